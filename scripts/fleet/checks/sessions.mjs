// Sessions, streams and resumption on any machine.

import { createClient, message } from '../clients.mjs'
import { openStream, sendRequest } from '../http-client.mjs'

const REVISION = '2025-06-18'
const CLIENT = { capabilities: {}, clientInfo: { name: 'fleet', version: '1' } }

export const sessionChecks = {
  async 'a session goes on on every machine'({ user, machines, first }) {
    const client = createClient('session', { url: first.url, token: user.token })
    const wrong = []
    for (const { name, url } of machines) {
      const { status, text } = await client.call('Bash', { command: 'echo same session' }, { to: url })
      if (!text.includes('same session')) wrong.push(`${name}: ${status} ${text}`)
    }
    return wrong
  },

  async '/sse on one machine, /messages on the others'({ user, machines, first }) {
    const stream = await openStream(first.url, { path: '/sse', token: user.token })
    try {
      const { data: path } = await stream.next()
      const params = { protocolVersion: '2024-11-05', ...CLIENT }
      await sendRequest(first.url, { path, token: user.token, body: message('initialize', params, 'init') })
      await stream.message(({ id }) => id === 'init')
      const wrong = []
      for (const { name, url } of machines) {
        const body = message('tools/call', { name: 'Bash', arguments: { command: 'echo heard' } }, name)
        const { status, text } = await sendRequest(url, { path, token: user.token, body })
        if (status !== 202) wrong.push(`${name}: ${status} ${text}`)
        else await stream.message(({ id }) => id === name)
      }
      return wrong
    } finally {
      stream.close()
    }
  },

  async 'a WebSocket to every machine'({ user, machines }) {
    const wrong = []
    for (const { name, url } of machines) {
      const client = createClient('websocket', { url, token: user.token })
      const { text } = await client.call('Bash', { command: 'echo over a socket' })
      if (!text.includes('over a socket')) wrong.push(`${name}: ${text}`)
      client.close()
    }
    return wrong
  },

  async 'Last-Event-ID on another machine'({ user, machines, first }) {
    const session = await openSession(first.url, user.token, '2025-11-25')
    const headers = { 'mcp-session-id': session, 'mcp-protocol-version': '2025-11-25' }
    const wrong = []
    for (const { name, url } of machines) {
      const body = message('tools/call', { name: 'Bash', arguments: { command: 'sleep 1; echo resumed' } }, name)
      const stream = await openStream(first.url, { method: 'POST', token: user.token, headers, body })
      const { id } = await stream.next()
      stream.close()
      const resumed = await openStream(url, { token: user.token, headers: { ...headers, 'last-event-id': id } })
      if (resumed.status !== 200) wrong.push(`${name}: ${resumed.status}`)
      else
        await resumed.message((answer) => answer.id === name).catch((error) => wrong.push(`${name}: ${error.message}`))
      resumed.close()
    }
    return wrong
  },

  async 'a change on one machine, a subscription on another'({ user, machines, first }) {
    const session = await openSession(first.url, user.token, REVISION)
    const headers = { 'mcp-session-id': session, 'mcp-protocol-version': REVISION }
    const wrong = []
    for (const { name, url } of machines) {
      const stream = await openStream(url, { token: user.token, headers })
      if (stream.status !== 200) {
        wrong.push(`${name}: the stream was refused with ${stream.status}`)
        stream.close()
        continue
      }
      const body = message('resources/subscribe', { uri: 'scorpiox://tasks' })
      const { json, status } = await sendRequest(url, { token: user.token, headers, body })
      if (json?.result === undefined) wrong.push(`${name}: ${status} ${JSON.stringify(json)}`)
      for (const machine of machines) {
        const writer = createClient('stateless', { url: machine.url, token: user.token })
        await writer.call('TaskManager', { action: 'create', text: `seen by ${name}`, query: '' })
        await stream
          .message(({ method }) => method === 'notifications/resources/updated', 4_000)
          .catch((error) => wrong.push(`${name}, change on ${machine.name}: ${error.message}`))
      }
      stream.close()
    }
    return wrong
  },
}

export async function openSession(url, token, protocolVersion, capabilities = {}) {
  const body = message('initialize', { protocolVersion, ...CLIENT, capabilities })
  const { status, headers, text } = await sendRequest(url, { token, body })
  if (status !== 200) throw new Error(`initialize was answered with ${status}: ${text}`)
  return headers['mcp-session-id']
}
