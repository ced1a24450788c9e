// The bare loop as CommonJS: what a server costs when it does nothing but parse, look up and answer.
// Same text as bare.mjs; each file stands alone because a shared import would cost the start-up being measured.

const tool = {
  name: 'echo',
  title: 'Echo',
  description: 'Echo a text',
  inputSchema: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
  annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
}

const answer = ({ method, params }) => {
  switch (method) {
    case 'tools/call':
      return { content: [{ type: 'text', text: params.arguments.text }] }
    case 'tools/list':
      return { tools: [tool] }
    case 'initialize':
      return {
        protocolVersion: params.protocolVersion,
        capabilities: { tools: {} },
        serverInfo: { name: 'echo', version: '1.0.0' },
      }
    default: // ping
      return {}
  }
}

let parts = []

process.stdin.on('data', (chunk) => {
  const end = chunk.lastIndexOf(10)
  if (end === -1) {
    parts.push(chunk)
    return
  }
  parts.push(chunk.subarray(0, end))
  const lines = (parts.length === 1 ? parts[0] : Buffer.concat(parts)).toString().split('\n')
  parts = end + 1 === chunk.length ? [] : [chunk.subarray(end + 1)]
  let replies = ''
  for (const line of lines) {
    const message = JSON.parse(line)
    if (message.id === undefined) continue
    replies += JSON.stringify({ jsonrpc: '2.0', id: message.id, result: answer(message) }) + '\n'
  }
  if (replies !== '') process.stdout.write(replies)
})
