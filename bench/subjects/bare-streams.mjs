// The bare stream server: node:http holds the responses in a set and writes an event to each. It knows just enough of
// both eras for a stream to be opened: a subscription, or a session and a GET. Its first line of output is its port.

import { randomUUID } from 'node:crypto'
import { createServer } from 'node:http'

const streams = new Set()
const event = (message) => `event: message\ndata: ${JSON.stringify({ jsonrpc: '2.0', ...message })}\n\n`

const openStream = (response, first) => {
  response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' })
  if (first === undefined) response.flushHeaders()
  else response.write(first)
  streams.add(response)
  response.on('close', () => streams.delete(response))
}

const tellAll = () => {
  const changed = event({ method: 'notifications/tools/list_changed' })
  for (const response of streams) response.write(changed)
}

const reply = (response, id, result, headers = {}) => {
  const body = JSON.stringify({ jsonrpc: '2.0', id, result })
  response.writeHead(200, {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(body),
    ...headers,
  })
  response.end(body)
}

const answer = ({ id, method, params }, response) => {
  if (method === 'subscriptions/listen') {
    openStream(response, event({ method: 'notifications/subscriptions/acknowledged', params: {} }))
  } else if (method === 'initialize') {
    const result = { protocolVersion: params.protocolVersion, capabilities: { tools: { listChanged: true } } }
    const serverInfo = { name: 'streams', version: '1.0.0' }
    reply(response, id, { ...result, serverInfo }, { 'mcp-session-id': randomUUID() })
  } else if (method === 'tools/call') {
    tellAll()
    reply(response, id, { content: [{ type: 'text', text: 'touched' }] })
  } else {
    response.writeHead(202).end()
  }
}

const server = createServer((request, response) => {
  if (request.method === 'GET') return openStream(response)
  const chunks = []
  request.on('data', (chunk) => chunks.push(chunk))
  request.on('end', () => answer(JSON.parse(Buffer.concat(chunks).toString()), response))
})

server.listen(0, '127.0.0.1', () => process.stdout.write(`${server.address().port}\n`))
