// The transcripts of the published documents, sent unchanged: every member they show is returned with that value.

import { expect, test } from 'vitest'

import { LIBRARY, startServer } from './support/client.js'

test('the handshake of the scorpiox page', async () => {
  const client = startServer()
  client.write(
    '{"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": { "protocolVersion": "2024-11-05", "capabilities": {}, "clientInfo": {"name": "claude-ai", "version": "1.0"} }}\n',
  )
  expect(await client.waitFor(({ id }) => id === 1)).toMatchObject({
    jsonrpc: '2.0',
    id: 1,
    result: {
      protocolVersion: '2024-11-05',
      capabilities: { tools: {} },
      serverInfo: { name: 'scorpiox-code', version: '1.0.0' },
    },
  })
  client.write('{"jsonrpc": "2.0", "method": "notifications/initialized", "params": {}}\n')
  const listed = await client.request('tools/list', {})
  expect(listed).toMatchObject({ jsonrpc: '2.0', result: { tools: expect.any(Array) } })
  client.write(
    '{"jsonrpc": "2.0", "id": 42, "method": "tools/call", "params": { "name": "Bash", "arguments": {"command": "ls -la /tmp", "timeout": 5000} }}\n',
  )
  const called = await client.waitFor(({ id }) => id === 42)
  expect(called).toMatchObject({
    jsonrpc: '2.0',
    id: 42,
    result: { isError: false },
  })
  expect(called.result.content[0]).toEqual({ type: 'text', text: expect.stringMatching(/^total \d+\ndrwx/) })
  expect(client.received).toHaveLength(3)
  expect(await client.close()).toBe(0)
})

const GRAMMAR = `
import { defineTool, serve } from ${JSON.stringify(LIBRARY)}
const forms = { eat: 'ate', write: 'wrote' }
await serve({ name: 'minimcp-grammar', version: '0.1.0', tools: [defineTool({
  name: 'conjugate', title: 'Conjugate', description: 'Return the English conjugation for (verb, tense, person).',
  hints: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
  input: {
    type: 'object', required: ['verb', 'tense', 'person'],
    properties: {
      verb: { enum: ["work","play","walk","talk","listen","watch","study","finish","start","look","want","like","be","have","do","go","come","see","eat","write"] },
      tense: { enum: ["infinitive","present simple","past simple","past participle","simple future"] },
      person: { enum: ["1st singular","2nd singular","3rd singular"] },
    },
  },
  run: ({ verb }) => forms[verb] ?? 'unknown', format: (form) => form,
})] })`

test('the round trip of the minimcp page, on a server written with the library', async () => {
  const client = startServer({ args: ['--input-type=module', '-e', GRAMMAR] })
  client.write(`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2024-11-05","capabilities":{},"clientInfo":{"name":"test","version":"0.1"}}}
{"jsonrpc":"2.0","method":"notifications/initialized"}
{"jsonrpc":"2.0","id":1,"method":"tools/list"}
{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"conjugate","arguments":{"verb":"eat","tense":"past simple","person":"3rd singular"}}}
`)
  expect(await client.close()).toBe(0)
  expect(client.received).toMatchObject([
    {
      jsonrpc: '2.0',
      id: 0,
      result: {
        protocolVersion: '2024-11-05',
        capabilities: { tools: { listChanged: false } },
        serverInfo: { name: 'minimcp-grammar', version: '0.1.0' },
      },
    },
    { jsonrpc: '2.0', id: 1, result: { tools: [{ name: 'conjugate', inputSchema: { type: 'object' } }] } },
    { jsonrpc: '2.0', id: 2, result: { content: [{ type: 'text', text: 'ate' }], isError: false } },
  ])
})

test('the error of the minimcp page: a wrong verb, and a line that is not JSON', async () => {
  const client = startServer({ args: ['--input-type=module', '-e', GRAMMAR] })
  await client.initialize('2024-11-05')
  const args = { verb: 'swim', tense: 'past simple', person: '3rd singular' }
  expect(await client.request('tools/call', { name: 'conjugate', arguments: args }, 1)).toMatchObject({
    jsonrpc: '2.0',
    id: 1,
    error: { code: -32602, message: "Invalid params: 'verb' must be one of the 20 allowed verbs" },
  })
  client.write('{"jsonrpc":\n')
  expect(await client.waitFor(({ id }) => id === null)).toMatchObject({ error: { code: -32700 } })
  await client.close()
})
