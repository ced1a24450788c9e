// The official SDK with a tool that reports a change of the tools. Its handler holds subscriptions of the modern revision
// only: for 2025 sessions its documentation leaves the routing to the author. Its first line of output is its port.

import { createServer } from 'node:http'

import { toNodeHandler } from '@modelcontextprotocol/node'
import { createMcpHandler, McpServer } from '@modelcontextprotocol/server'
import * as z from 'zod/v4'

const handler = createMcpHandler(
  () => {
    const server = new McpServer({ name: 'streams', version: '1.0.0' })
    const definition = { title: 'Touch', description: 'Say that the tools changed', inputSchema: z.object({}) }
    server.registerTool('touch', definition, () => {
      handler.notify.toolsChanged()
      return { content: [{ type: 'text', text: 'touched' }] }
    })
    return server
  },
  { maxSubscriptions: 20_000 },
)

const handle = toNodeHandler(handler)
const server = createServer((request, response) => void handle(request, response))
server.listen(0, '127.0.0.1', () => process.stdout.write(`${server.address().port}\n`))
