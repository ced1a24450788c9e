// The control sequences that move the cursor or erase, each as what it does to the rows. Those that are not here
// (colours, scrolling, questions to the terminal) change nothing that can be read.

import type { Grid } from './grid.js'
import type { Page } from './page.js'
import { blank, cut, insert, remove } from './row.js'

const MAX_PARAMETER = 9999
const MAX_PARAMETERS = 16
const SEMICOLON = 0x3b

/** Numbers between semicolons, 0 where one is missing. */
export function readParameters(bytes: Buffer, from: number, to: number): number[] {
  const parameters = [0]
  for (let at = from; at < to; at++) {
    const byte = bytes[at] ?? 0
    const last = parameters.length - 1
    if (byte >= 0x30 && byte <= 0x39)
      parameters[last] = Math.min((parameters[last] ?? 0) * 10 + byte - 0x30, MAX_PARAMETER)
    else if (byte === SEMICOLON && parameters.length < MAX_PARAMETERS) parameters.push(0)
  }
  return parameters
}

/** Does what the sequence of a name, its final letter, does. */
export function act(page: Page, name: string, [first = 0, second = 0]: readonly number[]): void {
  // Nothing is behind the end of everything, and whoever colours matches, as grep does, erases there at each.
  if (first === 0 && (name === 'K' || name === 'J') && page.isPlain()) return
  ACTS[name]?.(page.grid(), first, second)
}

type Act = (grid: Grid, first: number, second: number) => void

const up: Act = (grid, count) => grid.moveBy(-some(count), 0)
const down: Act = (grid, count) => grid.moveBy(some(count), 0)
const right: Act = (grid, count) => grid.moveBy(0, some(count))
const left: Act = (grid, count) => grid.moveBy(0, -some(count))
const toColumn: Act = (grid, column) => grid.toColumn(some(column) - 1)
const toRow: Act = (grid, row) => grid.toRow(some(row) - 1)

function toPosition(grid: Grid, row: number, column: number): void {
  toRow(grid, row, 0)
  toColumn(grid, column, 0)
}

function eraseInRow(grid: Grid, part: number): void {
  if (part === 0) grid.change(cut)
  if (part === 1) grid.change((row, column) => blank(row, 0, column + 1))
  if (part === 2) grid.change((row) => cut(row, 0))
}

// There is a part 3, the lines that have left the screen. They are not erased: somebody wants to read them.
function eraseInPage(grid: Grid, part: number): void {
  eraseInRow(grid, part)
  if (part === 0 || part === 2) grid.eraseBelow()
  if (part === 1 || part === 2) grid.eraseAbove()
}

const ACTS: Readonly<Record<string, Act | undefined>> = {
  A: up,
  B: down,
  C: right,
  D: left,
  E: (grid, count) => grid.moveBy(some(count), -Infinity),
  F: (grid, count) => grid.moveBy(-some(count), -Infinity),
  G: toColumn,
  H: toPosition,
  I: (grid) => grid.tab(),
  J: eraseInPage,
  K: eraseInRow,
  L: (grid, count) => grid.insertRows(some(count)),
  M: (grid, count) => grid.removeRows(some(count)),
  P: (grid, count) => grid.change((row, column) => remove(row, column, some(count))),
  X: (grid, count) => grid.change((row, column) => blank(row, column, column + some(count))),
  '@': (grid, count) => grid.change((row, column) => insert(row, column, some(count))),
  '`': toColumn,
  a: right,
  d: toRow,
  e: down,
  f: toPosition,
  s: (grid) => grid.save(),
  u: (grid) => grid.restore(),
}

/** A missing or zero count means one. */
function some(count: number): number {
  return Math.max(count, 1)
}
