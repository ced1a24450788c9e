// Parallel: its public MCP server, which answers with excerpts of pages. https://docs.parallel.ai/search/search-mcp

import type { Engine } from '../engine.js'
import { below, joinedTexts, readRecords } from '../json-answer.js'
import { callTool, readToolAnswer } from '../tool-answer.js'

export const parallel: Engine = {
  id: 'parallel',
  family: 'parallel',
  tier: 'endpoint',
  weight: 1,
  base: 'https://search.parallel.ai',
  key: 'taken',

  ask: ({ text, site }, { base, key }) =>
    callTool(
      `${base}/mcp`,
      'web_search',
      { objective: site === undefined ? text : `${text} (only pages on ${site})`, search_queries: [text] },
      key === undefined ? {} : { authorization: `Bearer ${key}` },
    ),

  read: (answer) =>
    readToolAnswer(answer, (_, json) =>
      readRecords(below(json, 'results'), (record) => ({
        url: record.url,
        title: record.title,
        snippet: joinedTexts(record.excerpts),
        date: record.publish_date,
      })),
    ),
}
