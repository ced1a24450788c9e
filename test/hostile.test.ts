// No input crashes the server or goes unanswered. Hostile lines are generated from a seed, each followed by a sentinel,
// and each must get exactly the expected answer. `npm run soak` sends a million.

import { resolve } from 'node:path'

import fc from 'fast-check'
import { expect, test } from 'vitest'

import { startServer } from './support/client.js'

const FIXTURE = resolve(import.meta.dirname, 'fixture/server.mjs')
const LONG_LINES = process.env.SOAK ? 1_000_000 : 100_000
const SEED = Number(process.env.SEED ?? 20261115)

const anyJson = fc.jsonValue({ maxDepth: 4 })

const oddNumber = fc.constantFrom(
  '1e400',
  '-0',
  '1E+2',
  '0.1e-7',
  '99999999999999999999999',
  '-9007199254740993',
  '1.0',
  '5e-324',
)

const oddString = fc.oneof(
  fc.string(),
  fc.string({ unit: 'binary' }),
  fc.constantFrom(
    '__proto__',
    'constructor',
    'toString',
    '\u2028',
    '\u0000',
    'tools/call',
    'initialize',
    'x'.repeat(5000),
  ),
)

const id = fc.oneof(
  fc.integer().map(String),
  oddNumber,
  oddString.map((text) => JSON.stringify(text)),
  fc.constantFrom('null', 'true', '[]', '{}', '"\\ud800"', '"\\udc00\\ud800"', '-1', '0'),
)

const method = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom('ping', 'tools/list', 'tools/call', 'initialize', 'server/discover') },
  { weight: 1, arbitrary: fc.constantFrom('notifications/cancelled', 'notifications/initialized', 'resources/list') },
  { weight: 1, arbitrary: oddString },
)

const meta = fc.record(
  {
    'io.modelcontextprotocol/protocolVersion': fc.oneof(fc.constantFrom('2026-07-28', '2025-11-25', ''), anyJson),
    'io.modelcontextprotocol/clientCapabilities': fc.oneof(fc.constant({}), anyJson),
    progressToken: anyJson,
  },
  { requiredKeys: [] },
)

const params = fc.oneof(
  fc.record(
    {
      name: fc.oneof(fc.constantFrom('echo', 'structured', 'shapes', 'blocks', 'Nope', '__proto__'), anyJson),
      arguments: anyJson,
      _meta: fc.oneof(meta, anyJson),
    },
    { requiredKeys: [] },
  ),
  fc.record({ requestId: anyJson, reason: anyJson }, { requiredKeys: [] }),
  fc.record(
    { protocolVersion: fc.oneof(fc.constantFrom('2024-11-05', '2025-03-26'), anyJson), capabilities: anyJson },
    { requiredKeys: [] },
  ),
  anyJson,
)

const message = fc
  .record(
    {
      jsonrpc: fc.constantFrom('"2.0"', '"2.0"', '"2.0"', '"1.0"', '2'),
      id,
      method,
      params,
      extra: anyJson,
      result: anyJson,
      error: anyJson,
    },
    { requiredKeys: ['jsonrpc'] },
  )
  .map((parts) => {
    const members = Object.entries(parts).map(([key, value]) => {
      const text = key === 'id' || key === 'jsonrpc' ? String(value) : JSON.stringify(value)
      return `${JSON.stringify(key)}:${text}`
    })
    return `{${members.join(',')}}`
  })

const mangled = fc
  .tuple(message, fc.nat(), fc.nat(), fc.string({ unit: 'binary', maxLength: 3 }))
  .map(([text, from, length, middle]) => {
    const at = from % (text.length + 1)
    return text.slice(0, at) + middle + text.slice(at + (length % 8))
  })

const hostileLine = fc
  .oneof(
    { weight: 6, arbitrary: message },
    { weight: 3, arbitrary: mangled },
    { weight: 1, arbitrary: fc.tuple(message, fc.nat()).map(([text, at]) => text.slice(0, at % (text.length + 1))) },
    { weight: 1, arbitrary: fc.array(message, { maxLength: 4 }).map((members) => `[${members.join(',')}]`) },
    { weight: 1, arbitrary: anyJson.map((value) => JSON.stringify(value)) },
    { weight: 1, arbitrary: fc.string({ unit: 'binary' }) },
    { weight: 1, arbitrary: fc.nat(200).map((depth) => '['.repeat(depth) + '{"a":'.repeat(depth)) },
    { weight: 1, arbitrary: oddNumber },
  )
  .map((text) => text.replaceAll('\n', ' '))

/** The number of expected answers to a line: 0 for notifications, responses and blanks, 1 for everything else. */
function due(line: string, batches: boolean): number {
  // oxlint-disable-next-line no-control-regex -- searches for control characters
  if (/^[\u0000-\u0020]*$/.test(line)) return 0
  const value = parse(line)
  if (!Array.isArray(value)) return dueOf(value)
  if (!batches || value.length === 0) return 1
  return value.some((member) => dueOf(member) === 1) ? 1 : 0
}

function parse(line: string): unknown {
  try {
    return JSON.parse(line)
  } catch {
    return undefined
  }
}

function dueOf(value: unknown): number {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return 1
  const { jsonrpc, id: given, method: name } = value as Record<string, unknown>
  if (name === undefined && ('result' in value || 'error' in value)) return 0
  return jsonrpc === '2.0' && given === undefined && typeof name === 'string' ? 0 : 1
}

for (const count of [10_000, LONG_LINES])
  test(
    `${count} hostile lines each get exactly the expected answers`,
    { tags: count > 10_000 ? ['long'] : [], timeout: 1_200_000 },
    async () => {
      const client = startServer({ args: [FIXTURE] })
      // The first call of a tool with such a schema loads the full validator, and would be overtaken.
      await client.request('tools/call', { name: 'shapes', arguments: {} })
      const chunk = 2000
      const generate = (start: number): readonly string[] =>
        fc.sample(hostileLine, { numRuns: Math.min(chunk, count - start), seed: SEED + start })
      let revision = '2025-11-25'
      let upcoming = generate(0)
      for (let start = 0; start < count; start += chunk) {
        const lines = upcoming
        // Restores a known revision between the lines; every other chunk uses the one with batches.
        const batches = (start / chunk) % 2 === 1
        const before = revision
        revision = batches ? '2025-03-26' : '2025-11-25'
        const sent = lines.flatMap((line, index) => [
          line,
          `{"jsonrpc":"2.0","id":"i${index}","method":"initialize","params":{"protocolVersion":"${revision}"}}`,
        ])
        const from = client.received.length
        client.write(Buffer.from(`${sent.join('\n')}\n`))
        // While the server is working.
        if (start + chunk < count) upcoming = generate(start + chunk)
        await client.waitFor((answer) => answer.id === `i${lines.length - 1}`)
        const answers = client.received.slice(from)
        let at = 0
        for (const [index, line] of lines.entries()) {
          let end = at
          while (end < answers.length && answers[end].id !== `i${index}`) end++
          const isDue = due(line, index > 0 ? batches : before === '2025-03-26')
          const strange = answers
            .slice(at, end)
            .flat()
            .filter((answer) => !isAnswer(answer))
          if (end - at !== isDue || strange.length > 0)
            expect.fail(`${JSON.stringify(line)} is due ${isDue}, and got ${JSON.stringify(answers.slice(at, end))}`)
          at = end + 1
        }
        // Sentinel ids repeat from chunk to chunk; checked ones are removed.
        client.clearReceived()
      }
      expect(await client.close()).toBe(0)
      expect(client.stderr()).toBe('')
    },
  )

function isAnswer(answer: unknown): boolean {
  if (typeof answer !== 'object' || answer === null) return false
  const { jsonrpc, error, result } = answer as Record<string, unknown>
  if (jsonrpc !== '2.0' || !('id' in answer)) return false
  if (error === undefined) return typeof result === 'object'
  const { code, message: text } = error as Record<string, unknown>
  return [-32700, -32600, -32601, -32602, -32022].includes(code as number) && typeof text === 'string'
}
