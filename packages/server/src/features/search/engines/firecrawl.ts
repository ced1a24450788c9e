// Firecrawl MCP server; search needs no account. https://docs.firecrawl.dev/mcp-server

import { getPath, parseRecords } from '../engine-kit/json-response.js'
import { buildToolCall, parseToolResponse } from '../engine-kit/mcp-tool-call.js'
import type { SearchEngine } from '../engine-kit/search-engine.js'

export const firecrawl: SearchEngine = {
  id: 'firecrawl',
  family: 'firecrawl',
  tier: 'endpoint',
  weight: 1,
  baseUrl: 'https://mcp.firecrawl.dev',
  apiKey: 'optional',
  supportsOperators: true,

  buildRequest: ({ text }, { baseUrl, apiKey }) =>
    buildToolCall(
      `${baseUrl}/v2/mcp`,
      'firecrawl_search',
      { query: text, limit: 10 },
      apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` },
    ),

  parseResponse: (response) =>
    parseToolResponse(response, (_, json) => {
      const data = getPath(json, 'data') ?? json
      return parseRecords(getPath(data, 'web') ?? data, (record) => ({
        url: record.url,
        title: record.title,
        snippet: record.description ?? record.snippet,
        date: record.date,
      }))
    }),
}
