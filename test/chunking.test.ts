// The answers do not depend on how the bytes of a message stream are cut into chunks.

import { resolve } from 'node:path'
import { setImmediate as turn } from 'node:timers/promises'

import fc from 'fast-check'
import { expect, test } from 'vitest'

import { type Json, startServer } from './support/client.js'

const FIXTURE = resolve(import.meta.dirname, 'fixture/server.mjs')
const RUNS = process.env.SOAK ? 2000 : 150

const line = fc.oneof(
  fc
    .string({ unit: 'grapheme' })
    .map((text) => ({ method: 'tools/call', params: { name: 'echo', arguments: { text } } })),
  fc.constantFrom('ping', 'tools/list', 'nope').map((method) => ({ method })),
  fc.constantFrom('{broken', '', '   ', '5', 'é✓😀'),
)

const ending = fc.constantFrom('\n', '\r\n')

test('any chunking of a stream gives the same answers', async () => {
  const client = startServer({ args: [FIXTURE] })
  let round = 0
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.tuple(line, ending), { minLength: 1, maxLength: 12 }),
      fc.array(fc.nat(400), { maxLength: 30 }),
      async (lines, cuts) => {
        const bytes = Buffer.from(
          lines
            .map(
              ([given, end], index) =>
                (typeof given === 'string' ? given : JSON.stringify({ jsonrpc: '2.0', id: `m${index}`, ...given })) +
                end,
            )
            .join(''),
        )
        const whole = await answers([bytes])
        expect(await answers(cut(bytes, cuts))).toEqual(whole)
        const due = lines.filter(([given]) => typeof given !== 'string' || given.trim() !== '').length
        expect(whole).toHaveLength(due)
      },
    ),
    { numRuns: RUNS },
  )
  expect(await client.close()).toBe(0)

  async function answers(pieces: readonly Buffer[]): Promise<Json[]> {
    const from = client.received.length
    for (const piece of pieces) {
      client.write(piece)
      // An iteration of the event loop between the pieces makes each one a separate write.
      await turn()
    }
    await client.request('ping', {}, `end${++round}`)
    return client.received.slice(from, -1)
  }
})

function cut(bytes: Buffer, cuts: readonly number[]): Buffer[] {
  const positions = [...new Set(cuts.map((position) => position % (bytes.length + 1)))].sort((a, b) => a - b)
  return [...positions, bytes.length]
    .map((end, index) => bytes.subarray(positions[index - 1] ?? 0, end))
    .filter((piece) => piece.length > 0)
}
