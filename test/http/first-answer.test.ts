// The first answers of a server over HTTP, which do not wait for what is loaded after the port is open: that does not
// change their form.

import { expect, test } from 'vitest'

import { callOf, initialize, sendRequest, startFixtureServer } from '../support/http-client.js'

test('a call that comes first is answered with JSON, as later ones are', async () => {
  const server = await startFixtureServer()
  const headers = { 'mcp-session-id': await initialize(server, '2025-06-18') }
  for (let round = 0; round < 2; round++) {
    const answer = await sendRequest(server, { body: callOf('who', { text: 'hello' }), headers })
    expect(answer.headers['content-type']).toBe('application/json')
    expect(answer.json.result.content[0].text).toBe('alice:hello')
  }
  await server.stop()
})
