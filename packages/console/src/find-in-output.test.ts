import { expect, test } from 'vitest'

import { findInOutput } from './find-in-output.js'
import { type ReadOutputChunk, readPart } from './output-stream.js'
import type { OutputOffset } from './view.js'

const MEGABYTE = 1024 * 1024
const never = new AbortController().signal

/** Ten megabytes of numbered lines. */
const LINES = Array.from({ length: 500_000 }, (_, line) => `line number ${line}\n`).join('')

test('finds the next and the previous part that shows a text, over parts that do not', async () => {
  const text = `the Needle at the beginning\n${LINES}and nee\u001B[31mDLE\u001B[0m at the end\n`
  const read = printed(text)
  const forwards = await find(read, 'needle', { from: 100_000 })
  expect(await shown(read, forwards)).toContain('and needle'.toUpperCase().toLowerCase())
  const backwards = await find(read, 'NEEDLE', { before: text.length - 1_000_000 })
  expect(await shown(read, backwards)).toContain('the needle at the beginning')
  const middle = await find(read, 'line number 250000\n'.trim(), { from: 0 })
  expect(await shown(read, middle)).toContain('line number 250000\n')
  expect(await find(read, 'not there', { from: 0 })).toBeNull()
  expect(await find(read, 'not there', { before: text.length })).toBeNull()
  expect(await find(read, 'needle', { from: text.length })).toBeNull()
  expect(await find(read, 'needle', { before: 0 })).toBeNull()
})

test('finds what spans two parts of one long line', async () => {
  const text = `${'.'.repeat(512 * 1024 - 4)}spanning${'.'.repeat(2 * MEGABYTE)}`
  const read = printed(text)
  expect(await shown(read, await find(read, 'spanning', { from: 0 }))).toContain('spanning')
  expect(await shown(read, await find(read, 'spanning', { before: text.length }))).toContain('spanning')
})

test('finds what is shown, not what was overwritten or dropped', async () => {
  const progress = `${LINES.slice(0, MEGABYTE)}\n10%\r99%\n`
  expect(await find(printed(progress), '10%', { from: 0 })).toBeNull()
  expect(await find(printed(progress), '99%', { from: 0 })).not.toBeNull()
  const read = printed(`${'a'.repeat(10)}${LINES}needle ${LINES}the end`, { dropped: [10, 2 * LINES.length + 10] })
  expect(await find(read, 'needle', { from: 0 })).toBeNull()
  expect(await find(read, 'needle', { before: 2 * LINES.length })).toBeNull()
  // What was printed before and after the dropped bytes is no text together.
  expect(await find(read, 'aaline', { from: 0 })).toBeNull()
  expect(await shown(read, await find(read, 'the end', { from: 0 }))).toContain('the end')
})

test('a letter whose lower case is longer hides nothing', async () => {
  expect(await find(printed('\u0130stanbul\nNEEDLE\n'), 'needle', { from: 0 })).toEqual({ from: 0 })
  expect(await find(printed('\u0130stanbul\n'), 'istanbul', { from: 0 })).toEqual({ from: 0 })
})

test('one request searches a bounded number of bytes, and a running job is not waited for', async () => {
  let bytes = 0
  const running: ReadOutputChunk = (from, maxBytes) => {
    bytes += maxBytes
    return Promise.resolve({ from, bytes: Buffer.alloc(maxBytes, 'a line\n'), size: 1e12, isRunning: true })
  }
  const { found, next } = await findInOutput(running, 'needle', { from: 0 }, never)
  expect(found).toBeNull()
  expect(bytes).toBeLessThan(20 * MEGABYTE)
  expect(next).toEqual({ from: expect.any(Number) })
  const short: ReadOutputChunk = async (from, maxBytes) => ({
    ...(await printed('prompt> ')(from, maxBytes)),
    isRunning: true,
  })
  expect(await find(short, 'prompt', { from: 0 })).toEqual({ from: 0 })
  expect(await find(short, 'other', { from: 0 })).toBeNull()
})

test('stops when it is aborted', async () => {
  const stopping = new AbortController()
  let reads = 0
  const read: ReadOutputChunk = (from, maxBytes) => {
    if (++reads === 20) stopping.abort()
    return printed(LINES)(from, maxBytes)
  }
  await findInOutput(read, 'needle', { from: 0 }, stopping.signal)
  expect(reads).toBeLessThan(25)
})

/** As a client does: it goes on until there is an end. */
async function find(read: ReadOutputChunk, query: string, start: OutputOffset): Promise<OutputOffset | null> {
  for (let position: OutputOffset | null = start; position !== null;) {
    const { found, next } = await findInOutput(read, query, position, never)
    if (found !== null) return found
    position = next
  }
  return null
}

/** In lower case. */
async function shown(read: ReadOutputChunk, position: OutputOffset | null): Promise<string> {
  if (position === null) return 'nothing was found'
  const { size } = await read(0, 0)
  return (await readPart(read, position, size, never)).text.toLowerCase()
}

function printed(output: string, { dropped }: { readonly dropped?: readonly [number, number] } = {}): ReadOutputChunk {
  const all = Buffer.from(output)
  return (wanted, maxBytes) => {
    const [gap = Infinity, until = Infinity] = dropped ?? []
    const from = wanted >= gap && wanted < until ? until : wanted
    const end = Math.min(from + maxBytes, from < gap ? gap : Infinity)
    return Promise.resolve({ from, bytes: all.subarray(from, end), size: all.length, isRunning: false })
  }
}
