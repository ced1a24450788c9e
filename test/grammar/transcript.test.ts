// The document's own transcript, byte by byte apart from the spaces of Python's printer.

import { createInterface } from 'node:readline'

import { expect, test } from 'vitest'

import { PERSONS, startGrammar, TENSES, VERBS } from './support.js'

const SENT = [
  '{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2024-11-05","capabilities":{},"clientInfo":{"name":"test","version":"0.1"}}}',
  '{"jsonrpc":"2.0","method":"notifications/initialized"}',
  '{"jsonrpc":"2.0","id":1,"method":"tools/list"}',
  '{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"conjugate","arguments":{"verb":"eat","tense":"past simple","person":"3rd singular"}}}',
]

const list = (items: readonly string[]): string => items.map((item) => `"${item}"`).join(', ')

const SCHEMA =
  `{"type": "object", "required": ["verb", "tense", "person"], "properties": ` +
  `{"verb": {"enum": [${list(VERBS)}]}, "tense": {"enum": [${list(TENSES)}]}, "person": {"enum": [${list(PERSONS)}]}}}`

const ANSWERED = [
  '{"jsonrpc": "2.0", "id": 0, "result": {"protocolVersion": "2024-11-05", "capabilities": {"tools": {"listChanged": false}}, "serverInfo": {"name": "minimcp-grammar", "version": "0.1.0"}}}',
  `{"jsonrpc": "2.0", "id": 1, "result": {"tools": [{"name": "conjugate", "inputSchema": ${SCHEMA}}]}}`,
  '{"jsonrpc": "2.0", "id": 2, "result": {"content": [{"type": "text", "text": "ate"}], "isError": false}}',
]

test('four messages at once are answered as in the document, in its order', async () => {
  const client = startGrammar('tools-only')
  const lines: string[] = []
  createInterface({ input: client.child.stdout }).on('line', (line) => lines.push(line))
  client.write(`${SENT.join('\n')}\n`)
  expect(await client.close()).toBe(0)
  expect(lines).toEqual(ANSWERED.map((line) => JSON.stringify(JSON.parse(line))))
})

test('a client that waits for each answer gets the same answers', async () => {
  const client = startGrammar('tools-only')
  const { result } = await client.initialize('2024-11-05', { tools: {} })
  expect(result).toEqual({
    protocolVersion: '2024-11-05',
    capabilities: { tools: { listChanged: false } },
    serverInfo: { name: 'minimcp-grammar', version: '0.1.0' },
  })
  const { tools } = (await client.request('tools/list')).result
  expect(tools).toEqual([{ name: 'conjugate', inputSchema: JSON.parse(SCHEMA) }])
  const args = { verb: 'write', tense: 'past simple', person: '3rd singular' }
  expect(await client.request('tools/call', { name: tools[0].name, arguments: args }, 1)).toEqual({
    jsonrpc: '2.0',
    id: 1,
    result: { content: [{ type: 'text', text: 'wrote' }], isError: false },
  })
  expect(client.received).toHaveLength(3)
  expect([await client.close(), client.stderr()]).toEqual([0, ''])
})

test('an unknown verb is refused with the error of the document', async () => {
  const client = startGrammar('tools-only')
  await client.initialize('2024-11-05')
  const args = { verb: 'fly', tense: 'past simple', person: '3rd singular' }
  expect(await client.request('tools/call', { name: 'conjugate', arguments: args }, 1)).toEqual({
    jsonrpc: '2.0',
    id: 1,
    error: {
      code: -32602,
      message: "Invalid params: 'verb' must be one of the 20 allowed verbs",
      data: { problems: [{ path: 'verb', message: expect.any(String) }] },
    },
  })
  await client.close()
})

test('an unknown method and an invalid line get the error codes of the document', async () => {
  const client = startGrammar('tools-only')
  expect(await client.request('verbs/list')).toMatchObject({ error: { code: -32601 } })
  client.write('{"jsonrpc":\n')
  expect(await client.waitFor(({ id }) => id === null)).toMatchObject({ error: { code: -32700 } })
  await client.close()
})
