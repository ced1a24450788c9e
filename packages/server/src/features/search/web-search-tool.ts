// Declaration of the WebSearch tool: queries many engines at once and merges their results.

import { defineToolWith } from '@scorpiox/mcp/definitions/tool'
import { resultData } from '../../result-data.js'
import type { SearchService } from './search-service.js'
import type { WebSearchResult } from './web-search-run.js'

export const webSearch = defineToolWith<{ search: SearchService }>()({
  name: 'WebSearch',
  title: 'Search the web',
  description: `Search the web using 11 engines concurrently
Returns about ten pages (title, URL, date, snippet, how many engines found each) and which engines were blocked. Understands site:example.com.`,
  hints: { readOnly: true, destructive: false, idempotent: true, openWorld: true },
  services: ['search'],

  input: {
    type: 'object',
    properties: { query: { type: 'string', description: 'The search query' } },
    required: ['query'],
  },

  async run({ query }, call, { search }): Promise<WebSearchResult> {
    const { runWebSearch } = await import('./web-search-run.js')
    return runWebSearch(query, search, call)
  },

  format: ({ text }) => text,

  meta: resultData('query', 'results', 'engines'),
})
