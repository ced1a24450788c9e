import { expect, test } from 'vitest'

import { buildCallDetails } from './build-call-details.js'
import { redactTokens } from './redact-tokens.js'

const SUMMARY = {
  id: 7,
  session: 's',
  client: 'test 1',
  tool: 'Bash',
  about: ' echo\n hunter22',
  outcome: 'ok',
  startedAt: 1,
  ms: 2,
  error: null,
} as const

function build(input: unknown, answer: string | undefined, secrets: readonly string[] = []) {
  const call = { tool: 'Bash', input, client: { name: 'test', version: '1' }, outcome: 'ok', ms: 2, answer } as const
  const source = {
    server: '00000000000000aa',
    project: '/srv/p',
    secrets: secrets.map((text) => Buffer.from(text)),
    redactTokens,
  }
  return buildCallDetails({ summary: SUMMARY, call }, source)
}

const answerWith = (content: unknown): string => JSON.stringify({ jsonrpc: '2.0', id: 1, result: { content } })

test('keeps the arguments and every block as it was sent, with pending messages in front', () => {
  const content = [
    { type: 'text', text: 'a callback fired\n\n' },
    { type: 'text', text: 'done\n' },
    { type: 'image', mimeType: 'image/png', data: 'AAAA' },
    { type: 'resource', resource: { uri: 'file:///x', text: '' } },
  ]
  const { call, ...details } = build({ command: 'echo', nested: { list: [1, 'two'] } }, answerWith(content))
  expect(call).toMatchObject({ id: '00000000000000aa.00000007', about: 'echo hunter22' })
  expect(JSON.parse(details.input)).toEqual({ command: 'echo', nested: { list: [1, 'two'] } })
  expect(details).toMatchObject({
    inputOmitted: 0,
    blocks: [
      { type: 'text', text: 'a callback fired\n\n', omitted: 0 },
      { type: 'text', text: 'done\n', omitted: 0 },
      { type: 'image', mimeType: 'image/png', bytes: 3, data: 'AAAA' },
      { type: 'other', name: 'resource file:///x' },
    ],
  })
})

test('secrets are replaced everywhere, and such arguments count as incomplete', () => {
  const content = [{ type: 'text', text: 'it is hunter22' }]
  const details = build({ command: 'echo hunter22', hunter22: 1 }, answerWith(content), ['hunter22'])
  expect(JSON.stringify(details)).not.toContain('hunter22')
  expect(details).toMatchObject({ blocks: [{ text: 'it is [secret]' }], call: { about: 'echo [secret]' } })
  expect(details.inputOmitted).toBeGreaterThan(0)
})

test('tokens are replaced in arguments, names of members and results, and such arguments count as incomplete', () => {
  const token = `ghp_${'a1'.repeat(18)}`
  const input = { command: `curl -H "Authorization: Bearer ${token}"`, env: { API_KEY: 'abcdef123', [token]: 1 } }
  const content = [{ type: 'text', text: `GITHUB_TOKEN=${token}` }]
  const details = build(input, answerWith(content))
  expect(JSON.stringify(details)).not.toMatch(/ghp_|abcdef123/)
  expect(details).toMatchObject({ blocks: [{ text: 'GITHUB_TOKEN=[secret]', omitted: 0 }] })
  expect(build({ env: { API_KEY: 'abcdef123' } }, undefined).inputOmitted).toBeGreaterThan(0)
})

test('a token that is cut at the end of what is kept is replaced too', () => {
  const command = `${'x '.repeat(32 * 1024 - 10)} ghp_${'a1'.repeat(18)} end`
  expect(build({ command }, answerWith([{ type: 'text', text: command.repeat(2) }])).input).not.toContain('ghp_')
})

test('huge arguments, texts and images are cut within bounds, without half characters', () => {
  const large = `${'x'.repeat(200_000)}\u{1F600}`
  const content = [
    { type: 'text', text: large },
    { type: 'text', text: large },
    { type: 'image', mimeType: 'image/png', data: 'A'.repeat(2_000_000) },
    ...Array.from({ length: 100 }, () => ({ type: 'text', text: 'more' })),
  ]
  const details = build(
    { command: large, list: Array.from({ length: 50_000 }, (_, index) => index) },
    answerWith(content),
  )
  expect(JSON.stringify(details).length).toBeLessThan(500_000)
  expect(details.inputOmitted).toBeGreaterThan(130_000)
  expect(details.blocks).toHaveLength(51)
  expect(details.blocks[2]).toEqual({ type: 'image', mimeType: 'image/png', bytes: 1_500_000, data: null })
  expect(JSON.stringify(details).isWellFormed()).toBe(true)
})

test.each([
  [undefined, []],
  ['no JSON', []],
  ['{"jsonrpc":"2.0","id":1,"result":7}', []],
  ['{"jsonrpc":"2.0","id":1,"error":{"code":-1,"message":"Unknown tool"}}', [{ text: 'Unknown tool' }]],
  ['{"jsonrpc":"2.0","id":1,"result":{"task":{"taskId":"t"}}}', [{ type: 'other', name: 'task' }]],
  ['{"jsonrpc":"2.0","id":1,"result":{"resultType":"input_required"}}', [{ type: 'other', name: 'input_required' }]],
  ['{"jsonrpc":"2.0","id":1,"result":{"content":[7,null,{"type":"text"}]}}', [{}, {}, { type: 'other', name: 'text' }]],
])('an answer of another form is understood: %s', (answer, blocks) => {
  expect(build(undefined, answer)).toMatchObject({ input: '{}', blocks })
})

test('of arguments with very many texts only those that are kept are searched for secrets', () => {
  const list = Array.from({ length: 90_000 }, () => 'token=x-'.repeat(20))
  const secrets = Array.from({ length: 64 }, (_, index) => `hunter22-${index}`)
  const startedAt = performance.now()
  expect(build({ list }, undefined, secrets).inputOmitted).toBeGreaterThan(10_000_000)
  // Some 50 ms; it was 3 s.
  expect(performance.now() - startedAt).toBeLessThan(1000)
})
