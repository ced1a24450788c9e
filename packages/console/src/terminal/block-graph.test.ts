import fc from 'fast-check'
import { expect, test } from 'vitest'

import { textWidth } from '@scorpiox/server/text/column-width'
import { drawBlockGraph } from './block-graph.js'

const PROCESSOR = { columns: 8, floor: 100 }
const MEMORY = { columns: 8, floor: 0 }
const LEVELS = '▁▂▃▄▅▆▇█'

test('the newest value is on the right, and missing ones are blank on the left', () => {
  expect(drawBlockGraph([], PROCESSOR)).toBe('        ')
  expect(drawBlockGraph([0], PROCESSOR)).toBe('       ▁')
  expect(drawBlockGraph([0, 50], PROCESSOR)).toBe('      ▁▅')
})

test('little use of a processor looks little, and memory uses the height', () => {
  expect(drawBlockGraph([0, 1, 5, 80, 100], { columns: 5, floor: 100 })).toBe('▁▁▁▅▇')
  expect(drawBlockGraph([100, 400], { columns: 2, floor: 100 })).toBe('▂▇')
  expect(drawBlockGraph([5, 10], MEMORY)).toBe('      ▄▇')
  expect(drawBlockGraph([0, 0], MEMORY)).toBe('      ▁▁')
})

test('a short peak is seen where there are more values than columns', () => {
  const values = Array.from({ length: 60 }, (_, index) => (index === 31 ? 100 : 0))
  expect(drawBlockGraph(values, { columns: 10, floor: 100 })).toBe('▁▁▁▁▁▇▁▁▁▁')
})

const values = fc.array(fc.integer({ min: 0, max: 1e9 }), { maxLength: 80 })
const floor = fc.constantFrom(0, 100)

test('it is as wide as its columns', () => {
  fc.assert(
    fc.property(values, fc.integer({ min: 0, max: 100 }), floor, (numbers, columns, lowest) => {
      const graph = drawBlockGraph(numbers, { columns, floor: lowest })
      expect(textWidth(graph)).toBe(columns)
      expect(graph).toMatch(/^ *[▁-█]*$/)
    }),
  )
})

test('a larger value is never drawn lower', () => {
  fc.assert(
    fc.property(values, floor, (numbers, lowest) => {
      const sorted = numbers.toSorted((a, b) => a - b)
      const levels = Array.from(drawBlockGraph(sorted, { columns: sorted.length, floor: lowest }), (bar) =>
        LEVELS.indexOf(bar),
      )
      expect(levels).toEqual(levels.toSorted((a, b) => a - b))
      expect(levels).not.toContain(-1)
    }),
  )
})
