// This package's library with a list of tools that can change, and a tool that reports a change. The token of a request is
// its user name, and the limit on connections is raised. Its first line of output is its port.

import { defineTool, serveHttp } from '../../dist/library.mjs'

const touch = defineTool({
  name: 'touch',
  title: 'Touch',
  description: 'Report that the tools changed',
  hints: { readOnly: false, destructive: false, idempotent: true, openWorld: false },
  input: { type: 'object' },
  run: (_input, call) => {
    call.notifyListChanged('tools')
    return 'touched'
  },
  format: (text) => text,
})

const authenticate = (token) => token

const { port } = await serveHttp({
  name: 'streams',
  version: '1.0.0',
  tools: () => [touch],
  http: {
    port: 0,
    host: '127.0.0.1',
    auth: authenticate,
    maxConnections: 20_000,
    rate: 0,
  },
})

process.stdout.write(`${port}\n`)
