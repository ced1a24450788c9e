// The same echo tool on the official SDK over HTTP, the way its own documentation does it: one handler for both eras,
// which builds a server per request. Its first line of output is its port.

import { createServer } from 'node:http'

import { toNodeHandler } from '@modelcontextprotocol/node'
import { createMcpHandler, McpServer } from '@modelcontextprotocol/server'
import * as z from 'zod/v4'

const handler = createMcpHandler(() => {
  const server = new McpServer({ name: 'echo', version: '1.0.0' })
  server.registerTool(
    'echo',
    {
      title: 'Echo',
      description: 'Echo a text',
      inputSchema: z.object({ text: z.string() }),
      annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
    },
    ({ text }) => ({ content: [{ type: 'text', text }] }),
  )
  return server
})

const handle = toNodeHandler(handler)
const server = createServer((request, response) => void handle(request, response))
server.listen(0, '127.0.0.1', () => process.stdout.write(`${server.address().port}\n`))
