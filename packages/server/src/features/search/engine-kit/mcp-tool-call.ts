// Engines that are MCP servers: one `tools/call` request without initialization, and its response as JSON or as an
// event stream.

import { isJsonObject, tryParseJson } from '@scorpiox/mcp/json/json'
import { getPath } from './json-response.js'
import {
  type EngineOutcome,
  type EngineRequest,
  type EngineResponse,
  failedOutcome,
  LAYOUT_CHANGED,
} from './search-engine.js'

const RATE_LIMIT_TEXT = /rate.?limit|too many requests|quota|\b429\b/i

export function buildToolCall(
  url: string,
  name: string,
  args: object,
  headers: EngineRequest['headers'] = {},
): EngineRequest {
  return {
    url,
    headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream', ...headers },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: args } }),
  }
}

/** `parse` is called with the text of the result, and with its JSON if it is JSON. */
export function parseToolResponse(
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
