import fc from 'fast-check'
import { expect, test } from 'vitest'

import { createSseParser } from './event-connection.js'

const line = fc.string({ unit: 'grapheme' }).map((text) => text.replace(/[\r\n]/g, '')) // as JSON has none
const event = fc.record({
  data: fc.array(line, { minLength: 1, maxLength: 4 }),
  noise: fc.array(fc.constantFrom(': still here', ':', 'id: 7', 'event: change', 'retry: 10', 'database: 1'), {
    maxLength: 3,
  }),
  spaced: fc.boolean(),
})

test('yields the same events for any chunks, line ends and comments', () => {
  fc.assert(
    fc.property(
      fc.array(event, { maxLength: 6 }),
      fc.constantFrom('\n', '\r\n', '\r'),
      fc.array(fc.nat(400), { maxLength: 30 }),
      (events, end, cuts) => {
        const text = events
          .map(({ data, noise, spaced }) =>
            [...noise, ...data.map((part) => `data:${spaced ? ' ' : part.startsWith(' ') ? ' ' : ''}${part}`), '', '']
              .join(end)
              .concat(noise.length > 0 ? `: alive${end}${end}` : ''),
          )
          .join('')
        const reader = createSseParser()
        const found = pieces(text, cuts).flatMap((piece) => reader.push(piece))
        expect(found).toEqual(events.map(({ data }) => data.join('\n')))
      },
    ),
  )
})

test('handles every split of a stream with mixed line ends', () => {
  const text = ': hello\r\n\r\ndata: {"a":1}\r\ndata\r\ndata:  two\n\ndata: last\r\rdata: never ended\n'
  for (let first = 0; first <= text.length; first += 1) {
    for (let second = first; second <= text.length; second += 1) {
      const reader = createSseParser()
      const found = [text.slice(0, first), text.slice(first, second), text.slice(second)].flatMap((piece) =>
        reader.push(piece),
      )
      expect(found).toEqual(['{"a":1}\n\n two', 'last'])
    }
  }
})

function pieces(text: string, cuts: readonly number[]): string[] {
  const ends = [...cuts.filter((cut) => cut < text.length).sort((a, b) => a - b), text.length]
  return ends.map((end, index) => text.slice(ends[index - 1] ?? 0, end))
}
