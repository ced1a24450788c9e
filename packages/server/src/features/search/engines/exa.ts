// Exa MCP server, which returns paragraphs of "Name: value". https://docs.exa.ai/reference/exa-mcp

import { buildToolCall, parseToolResponse } from '../engine-kit/mcp-tool-call.js'
import { LAYOUT_CHANGED, type SearchEngine } from '../engine-kit/search-engine.js'
import { parseHit, type SearchHit } from '../engine-kit/search-hit.js'

const MEMBER = /^(Title|URL|Published(?: Date)?|Author|Highlights|Text|Summary):[ \t]?/

export const exa: SearchEngine = {
  id: 'exa',
  family: 'exa',
  tier: 'endpoint',
  weight: 1,
  baseUrl: 'https://mcp.exa.ai',
  apiKey: 'optional',

  buildRequest: ({ text, site }, { baseUrl, apiKey }) =>
    buildToolCall(
      `${baseUrl}/mcp`,
      'web_search_exa',
      { query: site === undefined ? text : `${text} ${site}`, numResults: 10 },
      apiKey === undefined ? {} : { 'x-api-key': apiKey },
    ),

  parseResponse: (response) =>
    parseToolResponse(response, (text) => {
      const hits = text.split(/^(?=Title: )/m).flatMap((paragraph) => readParagraph(paragraph) ?? [])
      if (hits.length > 0) return { kind: 'ok', hits }
      return /^\s*(?:No search results found|$)/.test(text) ? { kind: 'empty' } : LAYOUT_CHANGED
    }),
}

function readParagraph(paragraph: string): SearchHit | undefined {
  const members = new Map<string, string>()
  let name = ''
  for (const line of paragraph.split('\n')) {
    const [label, next] = MEMBER.exec(line) ?? []
    // The first occurrence of each name counts: page text may contain the others.
    if (label !== undefined && next !== undefined && !members.has(next)) name = next
    if (line !== '---') members.set(name, `${members.get(name) ?? ''} ${line.slice(label?.length ?? 0)}`.trim())
  }
  return parseHit({
    url: members.get('URL'),
    title: members.get('Title'),
    snippet: members.get('Highlights') ?? members.get('Text') ?? members.get('Summary'),
    date: members.get('Published') ?? members.get('Published Date'),
  })
}
