// Declaration of ReadDocs, which reads a web page, PDF or feed as Markdown, plain text or HTML. Registered in
// tool-list.ts; loads its handler with the first call.

import { defineToolWith } from '@scorpiox/mcp/definitions/tool'
import type { DocumentReader } from './document-reader.js'

export const readDocs = defineToolWith<{ documents: DocumentReader }>()({
  name: 'ReadDocs',
  title: 'Read a web page',
  description: `Fetch URL content as markdown via headless browser
Also PDF, JSON, text, feeds. A long page returns its outline and beginning; continue with find, url#section or cursor.`,
  hints: { readOnly: true, destructive: false, openWorld: true },
  services: ['documents'],

  input: {
    type: 'object',
    properties: {
      url: { type: 'string', description: 'The URL to fetch' },
      format: { type: 'string', description: 'Output format: text, html, or markdown' },
      wait_ms: { type: 'integer', description: 'Wait time for page load in ms' },
      find: { type: 'string', description: 'Words or /regex/i: matching lines, by section' },
      cursor: { type: 'string' },
    },
    required: ['url'],
  },

  load: async () => (await import('./read-docs-handler.js')).readDocsHandler,
})
