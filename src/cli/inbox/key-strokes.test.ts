import { setImmediate as turn } from 'node:timers/promises'

import fc from 'fast-check'
import { expect, test } from 'vitest'

import { createKeyStrokes } from './key-strokes.js'

async function settle(): Promise<void> {
  for (let turns = 0; turns < 30; turns++) await turn()
}

test('keys that come in one piece come out one at a time, and wait while nobody reads', async () => {
  const keys = createKeyStrokes(() => {})
  const read: string[] = []
  keys.input.on('data', (chunk: Buffer) => {
    read.push(chunk.toString())
    if (chunk.toString() === '\r') keys.listen(false)
  })
  keys.take(Buffer.from('\u001B[B\u001B[1;5C\u001BOA\rab한 \r\u001B'))
  await settle()
  expect(read).toEqual([])
  keys.listen(true)
  await settle()
  expect(read).toEqual(['\u001B[B', '\u001B[1;5C', '\u001BOA', '\r'])
  keys.listen(true)
  await settle()
  expect(read.slice(4)).toEqual(['ab한 ', '\r'])
  keys.listen(true)
  await settle()
  expect(read.slice(6)).toEqual(['\u001B'])
})

test('however they are cut, no byte is lost', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.constantFrom('\u001B[A', 'x', '한', '\r', ' ', '\u001B', '👍'), { maxLength: 12 }),
      fc.integer({ min: 1, max: 5 }),
      async (typed, size) => {
        const keys = createKeyStrokes(() => {})
        let read = ''
        keys.input.setEncoding('utf8').on('data', (chunk: string) => (read += chunk))
        keys.listen(true)
        const bytes = Buffer.from(typed.join(''))
        for (let at = 0; at < bytes.length; at += size) keys.take(bytes.subarray(at, at + size))
        await settle()
        expect(read).toBe(typed.join(''))
      },
    ),
    { numRuns: 30 },
  )
})

test.each([
  ['\u0003', 'ctrl+c'],
  ['abc\u0003', 'ctrl+c'],
  ['\u0004', 'ctrl+d'],
])('%j ends it at once, whoever reads', (typed, key) => {
  const ends: string[] = []
  createKeyStrokes((end) => ends.push(end)).take(Buffer.from(typed))
  expect(ends).toEqual([key])
})

test('Ctrl+Z is passed over', async () => {
  const keys = createKeyStrokes(() => {})
  const read: string[] = []
  keys.input.on('data', (chunk: Buffer) => void read.push(chunk.toString()))
  keys.listen(true)
  keys.take(Buffer.from('a\u001Ab'))
  await settle()
  expect(read).toEqual(['a', 'b'])
})
