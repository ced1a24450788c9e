// The lines of a job's output that the pane of a job can show: the last ones, with their styles, as rows of the width of
// the pane; and what is found in them. Filled by job-output.ts. In memory only.

import type { LineRange } from '@scorpiox/server/text/column-width'
import { foldCase } from '../i18n/fold-case.js'
import type { Row } from './rows.js'
import { type StyledRowsOptions, toShownText, toStyledRows } from './styled-rows.js'

/** Characters and line breaks that can be scrolled back to; the rest is in the full output. */
const MAX_CHARACTERS = 400_000
const MAX_FOUND = 5000

export interface FoundText extends LineRange {
  /** Counted from the beginning of the output, so that it stays the same when lines are dropped. */
  readonly line: number
}

export interface OutputLines {
  readonly isEmpty: boolean
  /** Text that no longer changes, and the rows after it that may. */
  append(text: string, open: string): void
  /** The index of the row of what was found, if it is still there. */
  rows(options: Omit<StyledRowsOptions, 'marked'>, found: FoundText | undefined): DrawnOutput
  find(query: string): readonly FoundText[]
}

export interface DrawnOutput {
  readonly rows: readonly Row[]
  readonly foundRow: number | undefined
}

export function createOutputLines(): OutputLines {
  /** Complete ones, with SGR sequences. */
  let lines: string[] = []
  /** What follows the last line break, and may change. */
  let carried = ''
  let open = ''
  let dropped = 0
  let characters = 0
  /** Of complete lines without a mark, by the same index. */
  let drawn: (readonly Row[] | undefined)[] = []
  let drawnFor = ''

  const last = (): readonly string[] => `${carried}${open}`.split('\n')

  function drop(): void {
    let count = 0
    for (; characters > MAX_CHARACTERS && count < lines.length - 1; count++)
      characters -= 1 + (lines[count]?.length ?? 0)
    if (count === 0) return
    lines = lines.slice(count)
    drawn = drawn.slice(count)
    dropped += count
  }

  return {
    get isEmpty() {
      return lines.length === 0 && `${carried}${open}`.trim() === ''
    },
    append(text, nextOpen) {
      const added = `${carried}${text}`.split('\n')
      carried = added.pop() ?? ''
      open = nextOpen
      for (const line of added) {
        lines.push(line)
        characters += 1 + line.length
      }
      drop()
    },
    rows(options, found) {
      const key = `${options.columns} ${options.isWrapped}`
      if (key !== drawnFor) drawn = []
      drawnFor = key
      const rows: Row[] = []
      let foundRow: number | undefined
      const all = [...lines, ...withoutEmptyEnd(last())]
      for (const [index, line] of all.entries()) {
        if (found?.line === dropped + index) {
          const marked = toStyledRows(line, { ...options, marked: found })
          if (marked.markedRow !== -1) foundRow = rows.length + marked.markedRow
          rows.push(...marked.rows)
        } else if (index < lines.length) rows.push(...(drawn[index] ??= toStyledRows(line, options).rows))
        else rows.push(...toStyledRows(line, options).rows)
      }
      return { rows, foundRow }
    },
    find(query) {
      const wanted = foldCase(query)
      const found: FoundText[] = []
      for (const [index, line] of [...lines, ...last()].entries()) {
        const text = foldCase(toShownText(line))
        for (let from = text.indexOf(wanted); from !== -1; from = text.indexOf(wanted, from + wanted.length))
          found.push({ line: dropped + index, from, to: from + wanted.length })
        if (found.length >= MAX_FOUND) break
      }
      return found
    },
  }
}

function withoutEmptyEnd(lines: readonly string[]): readonly string[] {
  const end = lines.findLastIndex((line) => line.trim() !== '')
  return lines.slice(0, end + 1)
}
