// What the agent, the command line and the scanner must find, and the bytes of the format itself. Each list is
// `[label, check]`; `target` has the name of the judged server and a call of its simplest tool.
import assert from 'node:assert/strict'
import { discoverTools, openAgent, scan } from './callers.mjs'
import { mentions, readContent, readEvent } from './format.mjs'

export function agentChecks(server, { name, tool, call }) {
  const agent = openAgent(server)
  return [
    [
      'initialize, and a notification with an id',
      async () => {
        const { protocolVersion, capabilities, serverInfo } = await agent.initialize()
        assert.equal(protocolVersion, '2024-11-05')
        assert.ok(capabilities.tools, 'no tools in the capabilities')
        assert.equal(serverInfo.name, name)
      },
    ],
    [
      'tools/list without params',
      async () => {
        const entry = (await agent.listTools()).find((listed) => listed.name === tool)
        assert.deepEqual(Object.keys(entry).toSorted(), ['description', 'inputSchema', 'name'])
        assert.equal(entry.inputSchema.type, 'object')
      },
    ],
    ['tools/call', async () => assert.ok(mentions(readContent(await agent.callTool(...call('hello'))), 'hello'))],
    [
      'five calls at once, all with id 1',
      async () => {
        const texts = ['one', 'two', 'three', 'four', 'five']
        const results = await Promise.all(texts.map((text) => agent.callTool(...call(text))))
        for (const [index, text] of texts.entries()) assert.ok(mentions(readContent(results[index]), text), text)
      },
    ],
    [
      'unknown tool',
      async () => assert.equal((await agent.send('tools/call', { name: 'nope', arguments: {} })).error.code, -32602),
    ],
    ['unknown method', async () => assert.equal((await agent.send('no/such/method')).error.code, -32601)],
    ['ping', async () => assert.deepEqual((await agent.send('ping')).result, {})],
    !server.token && [
      'without a handshake',
      async () => assert.ok(mentions(readContent(await openAgent(server).callTool(...call('cold'))), 'cold')),
    ],
    server.token && [
      'without the token',
      () => assert.rejects(openAgent({ url: server.url }).initialize(), /HTTP 401/),
    ],
  ].filter(Boolean)
}

export function commandLineChecks({ url, token: secret }, { tool }) {
  const origin = new URL(url).origin
  const found = async (address, auth) => {
    const { tools, error, url: where } = await discoverTools(address, auth)
    assert.equal(error, undefined)
    assert.equal(where, url)
    assert.ok(tools.includes(tool), tools.join(', '))
  }
  if (!secret)
    return [
      ['with the path', () => found(url)],
      ['without the path', () => found(origin)],
    ]
  return [
    ['with a bearer token', () => found(url, { authorization: `Bearer ${secret}` })],
    ['with an api key', () => found(url, { 'x-api-key': secret })],
    ['with an api key, without the path', () => found(origin, { 'x-api-key': secret })],
    ['without credentials', async () => assert.deepEqual(await discoverTools(url), { error: 'HTTP 401' })],
    [
      'with wrong credentials',
      async () => assert.match((await discoverTools(url, { 'x-api-key': 'guessed' })).error, /HTTP 40[13]/),
    ],
  ]
}

export function scannerChecks({ url, token: secret }, { tool }) {
  const auth = secret ? { authorization: `Bearer ${secret}` } : {}
  return [
    [
      'finds the endpoint and its tools',
      async () => {
        const { probes } = await scan(url, auth)
        const answers = Object.fromEntries(probes.map(({ method, payload }) => [method, payload]))
        for (const { method, status, payload } of probes) {
          assert.equal(payload?.id, `conmap-${method}`, `${method} answered ${status} ${JSON.stringify(payload)}`)
        }
        assert.equal(answers.initialize.result.protocolVersion, '2024-11-05')
        assert.ok(answers['tools/list'].result.tools.some(({ name }) => name === tool))
        for (const method of ['resources/list', 'prompts/list']) {
          assert.ok(answers[method].result ?? answers[method].error.code === -32601, method)
        }
      },
    ],
  ]
}

/** The format in the raw, in each of the ways that ask for it. */
export function formatChecks({ url, token: secret }, { call }) {
  const [name, args] = call('raw')
  const post = (message, headers = {}) =>
    fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...(secret && { authorization: `Bearer ${secret}` }), ...headers },
      body: JSON.stringify({ jsonrpc: '2.0', ...message }),
    })
  const request = { id: 7, method: 'tools/call', params: { name, arguments: args } }
  return [
    ['a call with nothing but the message', async () => checkAnswer(await post(request))],
    [
      'a call with the version in the header',
      async () => checkAnswer(await post(request, { 'mcp-protocol-version': '2024-11-05' })),
    ],
    [
      'a call that accepts only an event stream',
      async () => checkAnswer(await post(request, { accept: 'text/event-stream' })),
    ],
    ['a call that accepts anything', async () => checkAnswer(await post(request, { accept: '*/*' }))],
    [
      'a call that asks for progress',
      async () => checkAnswer(await post({ ...request, params: { ...request.params, _meta: { progressToken: 7 } } })),
    ],
    [
      'a call with a string for an id',
      async () => assert.equal((await readEvent(await post({ ...request, id: 'seven' }))).id, 'seven'),
    ],
    [
      'a notification without an id',
      async () => {
        const response = await post({ method: 'notifications/initialized' })
        assert.equal(response.status, 202)
        assert.equal(await response.text(), '')
      },
    ],
    [
      'an error',
      async () => assert.equal((await readEvent(await post({ id: 8, method: 'no/such/method' }))).error.code, -32601),
    ],
  ]

  async function checkAnswer(response) {
    const { id, result } = await readEvent(response)
    assert.equal(id, 7)
    assert.ok(mentions(readContent(result), 'raw'))
  }
}
