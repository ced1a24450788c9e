import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

import { afterAll, beforeAll, expect, test } from 'vitest'

import { checkFromTerminal } from './check.js'
import { UsageError } from './usage-error.js'

// It repeats what it was sent, with what would move a cursor.
const rude = createServer((request, response) => {
  response.writeHead(401).end(`\u001b[2J\u009b31m ${request.headers.authorization ?? ''}`)
})
let url = ''

beforeAll(async () => {
  rude.listen(0, '127.0.0.1')
  await once(rude, 'listening')
  url = `http://127.0.0.1:${(rude.address() as AddressInfo).port}/mcp`
})

afterAll(() => void rude.close())

test('the report says what was seen and what to do, without the secret, and cannot move a terminal', async () => {
  const { text, exitCode } = await checkFromTerminal([url], { token: 'very-secret' })
  expect(exitCode).toBe(1)
  expect(text.split('\n')[0]).toBe(url)
  expect(text).toContain('! no credentials: HTTP 401 without WWW-Authenticate\n  → Add WWW-Authenticate')
  expect(text).toContain('✗ credentials: these are refused: HTTP 401 ')
  expect(text).toContain('Bearer ****')
  expect(text).not.toContain('very-secret')
  expect(text).not.toContain('\u009b')
  expect(text).not.toContain('\u001b')
  expect(text).toMatch(/\n0 ok, 1 warning, 1 failed, 3 skipped\n$/)
})

test('as JSON it is for programs', async () => {
  const { text } = await checkFromTerminal([url], { json: true })
  expect(JSON.parse(text)).toMatchObject({
    url,
    passed: false,
    verdicts: [{ name: 'HTTPS', state: 'skipped' }, {}, {}, {}, {}],
  })
})

test.each([
  ['no address', [], {}, 'which endpoint?'],
  ['two addresses', ['http://a/', 'http://b/'], {}, 'which endpoint?'],
  ['no scheme', ['mcp.example.com'], {}, 'must be an address such as'],
  ['another scheme', ['ftp://mcp.example.com'], {}, 'must be an address such as'],
  ['a password inside', ['https://a:b@mcp.example.com/mcp'], {}, '--token'],
  ['arguments that are not JSON', ['http://a/'], { tool: 'x', args: '{' }, '--args is not JSON'],
  ['arguments that are no object', ['http://a/'], { tool: 'x', args: '[]' }, '--args must be a JSON object'],
  ['arguments for no tool', ['http://a/'], { args: '{}' }, '--args needs --tool'],
  ['a header without a key', ['http://a/'], { 'key-header': 'X-API-Key' }, '--key-header needs --token'],
  ['no header at all', ['http://a/'], { token: 'x', 'key-header': 'X: Y' }, 'must be the name of a header'],
  ['a token with a newline', ['http://a/'], { token: 'x\n' }, 'printable ASCII'],
])('%s is told before anything is sent', async (_, operands, flags, sentence) => {
  const said = checkFromTerminal(operands, flags)
  await expect(said).rejects.toBeInstanceOf(UsageError)
  await expect(said).rejects.toThrow(sentence)
})
