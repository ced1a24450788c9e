// Exa: its hosted MCP server, which answers in paragraphs of "Name: value". https://docs.exa.ai/reference/exa-mcp

import type { Engine } from '../engine.js'
import { toHit, type Hit } from '../hit.js'
import { LAYOUT_CHANGED } from '../outcome.js'
import { callTool, readToolAnswer } from '../tool-answer.js'

const MEMBER = /^(Title|URL|Published(?: Date)?|Author|Highlights|Text|Summary):[ \t]?/

export const exa: Engine = {
  id: 'exa',
  family: 'exa',
  tier: 'endpoint',
  weight: 1,
  base: 'https://mcp.exa.ai',
  key: 'taken',

  ask: ({ text, site }, { base, key }) =>
    callTool(
      `${base}/mcp`,
      'web_search_exa',
      { query: site === undefined ? text : `${text} ${site}`, numResults: 10 },
      key === undefined ? {} : { 'x-api-key': key },
    ),

  read: (answer) =>
    readToolAnswer(answer, (said) => {
      const hits = said.split(/^(?=Title: )/m).flatMap((paragraph) => readParagraph(paragraph) ?? [])
      if (hits.length > 0) return { kind: 'ok', hits }
      return /^\s*(?:No search results found|$)/.test(said) ? { kind: 'empty' } : LAYOUT_CHANGED
    }),
}

function readParagraph(paragraph: string): Hit | undefined {
  const members = new Map<string, string>()
  let name = ''
  for (const line of paragraph.split('\n')) {
    const [mark, next] = MEMBER.exec(line) ?? []
    // Each name once: a page may quote one.
    if (mark !== undefined && next !== undefined && !members.has(next)) name = next
    if (line !== '---') members.set(name, `${members.get(name) ?? ''} ${line.slice(mark?.length ?? 0)}`.trim())
  }
  return toHit({
    url: members.get('URL'),
    title: members.get('Title'),
    snippet: members.get('Highlights') ?? members.get('Text') ?? members.get('Summary'),
    date: members.get('Published') ?? members.get('Published Date'),
  })
}
