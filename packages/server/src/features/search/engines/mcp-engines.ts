// Search engines that are MCP servers: one `tools/call` request without initialization, and its response as JSON or as an
// event stream. Registered in engines/index.ts. Pure.

import { isJsonObject, tryParseJson } from '@scorpiox/mcp/json/json'
import { getPath, joinStrings, parseRecords } from '../engine-kit/json-response.js'
import {
  type EngineOutcome,
  type EngineRequest,
  type EngineResponse,
  failedOutcome,
  LAYOUT_CHANGED,
  type SearchEngine,
} from '../engine-kit/search-engine.js'
import { parseHit, type SearchHit } from '../engine-kit/search-hit.js'

/** Parallel MCP server, which returns page excerpts. https://docs.parallel.ai/search/search-mcp */
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

const MEMBER = /^(Title|URL|Published(?: Date)?|Author|Highlights|Text|Summary):[ \t]?/

/** Exa MCP server, which returns paragraphs of "Name: value". https://docs.exa.ai/reference/exa-mcp */
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

/** Firecrawl MCP server; search needs no account. https://docs.firecrawl.dev/mcp-server */
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

const RATE_LIMIT_TEXT = /rate.?limit|too many requests|quota|\b429\b/i

function buildToolCall(url: string, name: string, args: object, headers: EngineRequest['headers'] = {}): EngineRequest {
  return {
    url,
    headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream', ...headers },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: args } }),
  }
}

/** `parse` is called with the text of the result, and with its JSON if it is JSON. */
function parseToolResponse(
  { text }: EngineResponse,
  parse: (resultText: string, json: unknown) => EngineOutcome,
): EngineOutcome {
  const message = findReply(text)
  if (!message) return LAYOUT_CHANGED
  if (isJsonObject(message.error)) return toErrorOutcome(message.error.message)
  const content = getPath(message.result, 'content')
  const blocks = Array.isArray(content) ? content.filter(isJsonObject) : []
  const resultText = blocks.map((block) => (typeof block.text === 'string' ? block.text : '')).join('\n')
  if (getPath(message.result, 'isError') === true) return toErrorOutcome(resultText)
  return content === undefined ? LAYOUT_CHANGED : parse(resultText, tryParseJson(resultText))
}

function findReply(text: string) {
  const lines = text.split(/\r?\n/).filter((line) => line.startsWith('data:'))
  const messages = [text, ...lines.map((line) => line.slice('data:'.length))].map(tryParseJson)
  return messages.filter(isJsonObject).find((message) => 'result' in message || 'error' in message)
}

function toErrorOutcome(text: unknown): EngineOutcome {
  const message = typeof text === 'string' ? text : ''
  // The text is untrusted and is not passed on.
  return RATE_LIMIT_TEXT.test(message) ? { kind: 'rate_limited' } : failedOutcome('it returned an error')
}
