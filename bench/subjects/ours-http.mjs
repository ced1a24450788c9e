// The same echo tool on this package's library over HTTP, with its token, its access checks and both eras. Its first line of
// output is its port.

import { defineTool, serveHttp } from '../../dist/library.mjs'

const { port } = await serveHttp({
  name: 'echo',
  version: '1.0.0',
  tools: [
    defineTool({
      name: 'echo',
      title: 'Echo',
      description: 'Echo a text',
      hints: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
      input: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
      run: ({ text }) => text,
      format: (text) => text,
    }),
  ],
  http: { port: 0, host: '127.0.0.1', auth: { token: 'bench-token' }, rate: 0 },
})

process.stdout.write(`${port}\n`)
