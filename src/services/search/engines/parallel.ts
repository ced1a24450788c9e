// Parallel MCP server, which returns page excerpts. https://docs.parallel.ai/search/search-mcp

import type { Engine } from '../engine.js'
import { below, joinedTexts, readRecords } from '../json-answer.js'
import { callTool, readToolAnswer } from '../tool-answer.js'

export const parallel: Engine = {
  id: 'parallel',
  family: 'parallel',
  tier: 'endpoint',
  weight: 1,
  base: 'https://search.parallel.ai',
  key: 'optional',

  ask: ({ text, site }, { base, key }) =>
    callTool(
      `${base}/mcp`,
      'web_search',
      { objective: site === undefined ? text : `${text} (only pages on ${site})`, search_queries: [text] },
      key === undefined ? {} : { authorization: `Bearer ${key}` },
    ),

  read: (response) =>
    readToolAnswer(response, (_, json) =>
      readRecords(below(json, 'results'), (record) => ({
        url: record.url,
        title: record.title,
        snippet: joinedTexts(record.excerpts),
        date: record.publish_date,
      })),
    ),
}
