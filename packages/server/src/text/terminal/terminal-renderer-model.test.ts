// Compares the renderer with a minimal terminal model: a list of lists of characters, without limits and slow.

import fc from 'fast-check'
import { expect, test } from 'vitest'

import { createTerminalRenderer } from './terminal-renderer.js'

type Step = { readonly text: string } | { readonly key: string } | { readonly final: string; readonly counts: number[] }

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      text: fc.string({ unit: fc.constantFrom(...'abcdefg '.split('')), minLength: 1, maxLength: 6 }),
    }),
  },
  { weight: 3, arbitrary: fc.record({ key: fc.constantFrom('\n', '\n', '\r', '\b', '\x1b7', '\x1b8', '\x1bM') }) },
  {
    weight: 4,
    arbitrary: fc.record({
      final: fc.constantFrom(...'ABCDEFGHJKLMPX@d'.split('')),
      counts: fc.array(fc.integer({ min: 0, max: 6 }), { maxLength: 2 }),
    }),
  },
)

test('text, cursor movements and erasures match a simple terminal model', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 25 }), (steps) => {
      expect(withoutEnds(screenOf(steps.map(encode).join('')))).toBe(withoutEnds(modelOf(steps)))
    }),
    { numRuns: 5000 },
  )
})

function screenOf(output: string): string {
  let text = ''
  const screen = createTerminalRenderer((bytes) => (text += bytes.toString()))
  screen.write(Buffer.from(output))
  screen.end()
  return text
}

/** Trailing spaces and trailing empty rows are not visible. */
function withoutEnds(text: string): string {
  return text.replace(/ +$/gm, '').trimEnd()
}

function encode(each: Step): string {
  if ('text' in each) return each.text
  return 'key' in each ? each.key : `\x1b[${each.counts.join(';')}${each.final}`
}

function modelOf(steps: readonly Step[]): string {
  const rows: string[][] = [[]]
  let [row, column, lowest] = [0, 0, 0]
  let saved: [number, number] | undefined

  const down = (count: number): number => Math.min(row + count, Math.max(lowest, row))

  function print(text: string): void {
    while (rows.length <= row) rows.push([])
    for (const letter of text) {
      while (rows[row]!.length < column) rows[row]!.push(' ')
      rows[row]![column++] = letter
    }
  }

  function press(key: string): void {
    if (key === '\r') column = 0
    if (key === '\b') column = Math.max(column - 1, 0)
    if (key === '\x1b7') saved = [row, column]
    if (key === '\x1b8' && saved) [row, column] = saved
    if (key === '\x1bM' && row > 0) row--
    else if (key === '\x1bM' && rows.length > 0) rows.unshift([])
    if (key !== '\n') return
    row++
    column = 0
    while (rows.length <= row) rows.push([])
  }

  function erase(part: number, all: boolean): void {
    const here = rows[row] ?? []
    if (part === 0) here.length = Math.min(here.length, column)
    if (part === 1) here.fill(' ', 0, column + 1)
    if (part === 2) here.length = 0
    if (all && part !== 1) rows.length = Math.min(rows.length, row + 1)
    if (all && part > 0) rows.splice(0, row, ...rows.slice(0, row).map(() => []))
  }

  function act(final: string, [first = 0, second = 0]: readonly number[]): void {
    const count = Math.max(first, 1)
    const here = rows[row] ?? []
    if (final === 'A' || final === 'F') row = Math.max(row - count, 0)
    if (final === 'B' || final === 'E') row = down(count)
    if (final === 'C') column += count
    if (final === 'D') column = Math.max(column - count, 0)
    if (final === 'E' || final === 'F') column = 0
    if (final === 'G') column = count - 1
    if (final === 'H' || final === 'd') row = count - 1
    if (final === 'H') column = Math.max(second, 1) - 1
    if ((final === 'J' || final === 'K') && first < 3) erase(first, final === 'J')
    if (final === 'P') here.splice(column, count)
    if (final === 'X') here.fill(' ', column, column + count)
    if (final === '@' && column < here.length) here.splice(column, 0, ...' '.repeat(count).split(''))
    if (final === 'L' && row < rows.length) rows.splice(row, 0, ...Array.from({ length: count }, () => []))
    if (final === 'M') rows.splice(row, count)
  }

  for (const each of steps) {
    if ('text' in each) print(each.text)
    else if ('key' in each) press(each.key)
    else act(each.final, each.counts)
    lowest = Math.max(lowest, rows.length - 1)
  }
  return rows.map((letters) => letters.join('')).join('\n')
}
