// The bare HTTP server: node:http, read the body, parse, answer. No token, no checks, no revision: the 1.00x of the HTTP
// rows. Its first line of output is its port.

import { createServer } from 'node:http'

const tool = {
  name: 'echo',
  title: 'Echo',
  description: 'Echo a text',
  inputSchema: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
  annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
}

const answer = ({ method, params }) => {
  if (method === 'tools/call') return { content: [{ type: 'text', text: params.arguments.text }] }
  return { tools: [tool] }
}

const server = createServer((request, response) => {
  const chunks = []
  request.on('data', (chunk) => chunks.push(chunk))
  request.on('end', () => {
    const message = JSON.parse(Buffer.concat(chunks).toString())
    const body = JSON.stringify({ jsonrpc: '2.0', id: message.id, result: answer(message) })
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) })
    response.end(body)
  })
})

server.listen(0, '127.0.0.1', () => process.stdout.write(`${server.address().port}\n`))
