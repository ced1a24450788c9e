// Declaration of the WebSearch tool: queries many engines at once and merges their results.

import type { Search } from '../services/search/search.js'
import { resultData } from './result-data.js'
import { toolsOver } from './tool.js'
import type { Said } from './words/search.js'

export const webSearch = toolsOver<{ search: Search }>()({
  name: 'WebSearch',
  title: 'Search the web',
  description: `Search the web using 11 engines concurrently
Returns about ten pages (title, URL, date, snippet, how many engines found each) and which engines were blocked. Understands site:example.com.`,
  hints: { readOnly: true, destructive: false, idempotent: true, openWorld: true },
  needs: ['search'],

  input: {
    type: 'object',
    properties: { query: { type: 'string', description: 'The search query' } },
    required: ['query'],
  },

  async run({ query }, call, { search }): Promise<Said> {
    const { searchFor } = await import('./search-answers.js')
    return searchFor(query, search, call)
  },

  render: ({ words }) => words,

  meta: resultData('query', 'results', 'engines'),
})
