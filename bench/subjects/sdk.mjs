// The same echo tool on the official SDK, the way its own documentation builds a stdio server.

import { McpServer } from '@modelcontextprotocol/server'
import { serveStdio } from '@modelcontextprotocol/server/stdio'
import * as z from 'zod/v4'

serveStdio(() => {
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
