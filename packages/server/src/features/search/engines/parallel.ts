// Parallel MCP server, which returns page excerpts. https://docs.parallel.ai/search/search-mcp

import { getPath, joinStrings, parseRecords } from '../engine-kit/json-response.js'
import { buildToolCall, parseToolResponse } from '../engine-kit/mcp-tool-call.js'
import type { SearchEngine } from '../engine-kit/search-engine.js'

export const parallel: SearchEngine = {
  id: 'parallel',
  family: 'parallel',
  tier: 'endpoint',
  weight: 1,
  baseUrl: 'https://search.parallel.ai',
  apiKey: 'optional',

  buildRequest: ({ text, site }, { baseUrl, apiKey }) =>
    buildToolCall(
      `${baseUrl}/mcp`,
      'web_search',
      { objective: site === undefined ? text : `${text} (only pages on ${site})`, search_queries: [text] },
      apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` },
    ),

  parseResponse: (response) =>
    parseToolResponse(response, (_, json) =>
      parseRecords(getPath(json, 'results'), (record) => ({
        url: record.url,
        title: record.title,
        snippet: joinStrings(record.excerpts),
        date: record.publish_date,
      })),
    ),
}
