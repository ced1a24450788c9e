import { setImmediate as turn } from 'node:timers/promises'

import fc from 'fast-check'
import { expect, test } from 'vitest'

import { createKeyInput } from './full-screen.js'

async function waitForKeys(): Promise<void> {
  for (let turns = 0; turns < 30; turns++) await turn()
}

test('keys of one chunk are passed on one at a time, and kept while no prompt reads', async () => {
  const keys = createKeyInput(() => {})
  const read: string[] = []
  keys.input.on('data', (chunk: Buffer) => {
    read.push(chunk.toString())
    if (chunk.toString() === '\r') keys.setListening(false)
  })
  keys.receive(Buffer.from('\u001B[B\u001B[1;5C\u001BOA\rab한 \r\u001B'))
  await waitForKeys()
  expect(read).toEqual([])
  keys.setListening(true)
  await waitForKeys()
  expect(read).toEqual(['\u001B[B', '\u001B[1;5C', '\u001BOA', '\r'])
  keys.setListening(true)
  await waitForKeys()
  expect(read.slice(4)).toEqual(['ab한 ', '\r'])
  keys.setListening(true)
  await waitForKeys()
  expect(read.slice(6)).toEqual(['\u001B'])
})

test('no byte is lost, however the input is split', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.constantFrom('\u001B[A', 'x', '한', '\r', ' ', '\u001B', '👍'), { maxLength: 12 }),
      fc.integer({ min: 1, max: 5 }),
      async (typed, size) => {
        const keys = createKeyInput(() => {})
        let read = ''
        keys.input.setEncoding('utf8').on('data', (chunk: string) => (read += chunk))
        keys.setListening(true)
        const bytes = Buffer.from(typed.join(''))
        for (let at = 0; at < bytes.length; at += size) keys.receive(bytes.subarray(at, at + size))
        await waitForKeys()
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
])('%j exits at once, whether a prompt reads or not', (typed, key) => {
  const ends: string[] = []
  createKeyInput((end) => ends.push(end)).receive(Buffer.from(typed))
  expect(ends).toEqual([key])
})

test('Ctrl+Z is ignored', async () => {
  const keys = createKeyInput(() => {})
  const read: string[] = []
  keys.input.on('data', (chunk: Buffer) => void read.push(chunk.toString()))
  keys.setListening(true)
  keys.receive(Buffer.from('a\u001Ab'))
  await waitForKeys()
  expect(read).toEqual(['a', 'b'])
})
