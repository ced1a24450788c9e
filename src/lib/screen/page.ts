// A page of a terminal: while text only comes behind text it is a backlog of plain bytes; when a control code changes
// what is there, the last rows become a grid; with the next new row it is plain again. Which of the two it is depends
// on the text alone, never on how it was cut into chunks.

import { createBacklog, type OnText } from './backlog.js'
import { createGrid, type Grid } from './grid.js'
import type { Survey } from './survey.js'

const TAB = Buffer.from('\t')

export interface Page {
  /** Whether what comes now comes behind everything there is. */
  isPlain(): boolean
  /** A chunk of plain text, where isPlain. */
  append(chunk: Buffer, measured: Survey): void
  /** Text without control codes. */
  print(bytes: Buffer, from: number, to: number): void
  newline(): void
  carriageReturn(): void
  tab(): void
  rowIsEmpty(): boolean
  /** The rows, to be changed. */
  grid(): Grid
  /** What would still be handed on if nothing more came. */
  rest(): Buffer
  /** Only what can still change of it. */
  visible(): Buffer
}

export function createPage(onText: OnText): Page {
  const grid = createGrid(onText)
  const backlog = createBacklog((bytes, measured) => {
    grid.flush()
    onText(bytes, measured)
  })
  let plain = true
  /** After a carriage return the cursor is at the start of a row with text; until more text comes nothing has changed. */
  let returned = false

  function edit(): Grid {
    if (plain) grid.open(backlog.takeRows(), returned)
    plain = false
    returned = false
    return grid
  }

  /** Whether text that comes now comes behind everything. */
  function comesBehind(): boolean {
    plain ||= grid.close()
    return plain && !returned
  }

  return {
    isPlain: comesBehind,
    append: (chunk, measured) => backlog.addChunk(chunk, measured),
    print(bytes, from, to) {
      if (comesBehind()) backlog.add(bytes, from, to)
      else edit().print(bytes, from, to)
    },
    newline() {
      if (plain) backlog.addNewline()
      else plain = grid.newline()
      returned = false
    },
    carriageReturn() {
      if (plain) returned = !backlog.atRowStart()
      else grid.toColumn(0)
    },
    tab() {
      if (comesBehind()) backlog.add(TAB, 0, 1)
      else edit().tab()
    },
    rowIsEmpty: () => (plain ? backlog.atRowStart() : grid.rowIsEmpty()),
    grid: edit,
    rest: () => (plain ? Buffer.concat([grid.picture(true), ...backlog.pieces()]) : grid.picture(false)),
    visible: () => grid.visible(plain ? backlog.rows() : []),
  }
}
