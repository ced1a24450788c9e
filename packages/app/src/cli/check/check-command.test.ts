import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

import { afterAll, beforeAll, expect, test } from 'vitest'

import { UsageError } from '@scorpiox/server/terminal/usage-error'
import { runCheckCommand } from './check-command.js'

// A server whose response contains the credentials and terminal control sequences.
const echoServer = createServer((request, response) => {
  response.writeHead(401).end(`\u001b[2J\u009b31m ${request.headers.authorization ?? ''}`)
})
let url = ''

beforeAll(async () => {
  echoServer.listen(0, '127.0.0.1')
  await once(echoServer, 'listening')
  url = `http://127.0.0.1:${(echoServer.address() as AddressInfo).port}/mcp`
})

afterAll(() => void echoServer.close())

test('the report contains findings and fixes, but neither the secret nor control characters', async () => {
  const { text, exitCode } = await runCheckCommand([url], { token: 'very-secret' })
  expect(exitCode).toBe(1)
  expect(text.split('\n')[0]).toBe(url)
  expect(text).toContain('! no credentials: HTTP 401 without WWW-Authenticate\n  → Add WWW-Authenticate')
  expect(text).toContain('✗ credentials: the token is rejected: HTTP 401 ')
  expect(text).toContain('Bearer ****')
  expect(text).not.toContain('very-secret')
  expect(text).not.toContain('\u009b')
  expect(text).not.toContain('\u001b')
  expect(text).toMatch(/\n0 ok, 1 warning, 1 failed, 3 skipped\n$/)
})

test('--json prints JSON', async () => {
  const { text } = await runCheckCommand([url], { json: true })
  expect(JSON.parse(text)).toMatchObject({
    url,
    passed: false,
    verdicts: [{ name: 'HTTPS', state: 'skipped' }, {}, {}, {}, {}],
  })
})

test.each([
  ['no address', [], {}, 'no endpoint given'],
  ['two addresses', ['http://a/', 'http://b/'], {}, 'no endpoint given'],
  ['no scheme', ['mcp.example.com'], {}, 'must be an address such as'],
  ['another scheme', ['ftp://mcp.example.com'], {}, 'must be an address such as'],
  ['a password inside', ['https://a:b@mcp.example.com/mcp'], {}, '--token'],
  ['arguments that are not JSON', ['http://a/'], { tool: 'x', args: '{' }, '--args is not JSON'],
  ['arguments that are no object', ['http://a/'], { tool: 'x', args: '[]' }, '--args must be a JSON object'],
  ['arguments for no tool', ['http://a/'], { args: '{}' }, '--args requires --tool'],
  ['a header without a key', ['http://a/'], { 'key-header': 'X-API-Key' }, '--key-header requires --token'],
  ['no header at all', ['http://a/'], { token: 'x', 'key-header': 'X: Y' }, 'must be the name of a header'],
  ['a token with a newline', ['http://a/'], { token: 'x\n' }, 'printable ASCII'],
])('%s is rejected before a request is sent', async (_, operands, flags, sentence) => {
  const run = runCheckCommand(operands, flags)
  await expect(run).rejects.toBeInstanceOf(UsageError)
  await expect(run).rejects.toThrow(sentence)
})
