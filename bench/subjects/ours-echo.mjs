// The same echo tool on this package's library: the kernel with one tool, without the thirteen.

import { defineTool, serve } from '../../dist/library.mjs'

await serve({
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
})
