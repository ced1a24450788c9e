// Firecrawl MCP server; search needs no account. https://docs.firecrawl.dev/mcp-server

import type { Engine } from '../engine.js'
import { below, readRecords } from '../json-answer.js'
import { callTool, readToolAnswer } from '../tool-answer.js'

export const firecrawl: Engine = {
  id: 'firecrawl',
  family: 'firecrawl',
  tier: 'endpoint',
  weight: 1,
  base: 'https://mcp.firecrawl.dev',
  key: 'optional',
  operators: true,

  ask: ({ text }, { base, key }) =>
    callTool(
      `${base}/v2/mcp`,
      'firecrawl_search',
      { query: text, limit: 10 },
      key === undefined ? {} : { authorization: `Bearer ${key}` },
    ),

  read: (response) =>
    readToolAnswer(response, (_, json) => {
      const data = below(json, 'data') ?? json
      return readRecords(below(data, 'web') ?? data, (record) => ({
        url: record.url,
        title: record.title,
        snippet: record.description ?? record.snippet,
        date: record.date,
      }))
    }),
}
