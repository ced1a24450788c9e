// Declaration of the WebSearch tool: queries many engines at once and merges their results. Registered in tool-list.ts;
// loads its handler with the first call.

import { defineToolWith } from '@scorpiox/mcp/definitions/tool'
import type { SearchService } from './search-service.js'

export const webSearch = defineToolWith<{ search: SearchService }>()({
  name: 'WebSearch',
  title: 'Search the web',
  description: `Search the web using 11 engines concurrently
Returns about ten results (title, URL, date, snippet) and names blocked engines. Supports site:example.com.`,
  hints: { readOnly: true, destructive: false, openWorld: true },
  services: ['search'],

  input: {
    type: 'object',
    properties: { query: { type: 'string', description: 'The search query' } },
    required: ['query'],
  },

  load: async () => (await import('./web-search-handler.js')).webSearchHandler,
})
