// Engines that are MCP servers: one `tools/call` request without initialization, and its response as JSON or as an
// event stream.

import { isObject, parseJson } from '../../lib/json.js'
import type { Answer, Question } from './engine.js'
import { below } from './json-answer.js'
import { failed, LAYOUT_CHANGED, type Outcome } from './outcome.js'

const LIMIT = /rate.?limit|too many requests|quota|\b429\b/i

export function callTool(url: string, name: string, args: object, headers: Question['headers'] = {}): Question {
  return {
    url,
    headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream', ...headers },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: args } }),
  }
}

/** `parse` is called with the text of the result, and with its JSON if it is JSON. */
export function readToolAnswer({ text }: Answer, parse: (resultText: string, json: unknown) => Outcome): Outcome {
  const message = replyIn(text)
  if (!message) return LAYOUT_CHANGED
  if (isObject(message.error)) return refusal(message.error.message)
  const content = below(message.result, 'content')
  const blocks = Array.isArray(content) ? content.filter(isObject) : []
  const resultText = blocks.map((block) => (typeof block.text === 'string' ? block.text : '')).join('\n')
  if (below(message.result, 'isError') === true) return refusal(resultText)
  return content === undefined ? LAYOUT_CHANGED : parse(resultText, parseJson(resultText))
}

function replyIn(text: string) {
  const lines = text.split(/\r?\n/).filter((line) => line.startsWith('data:'))
  const messages = [text, ...lines.map((line) => line.slice('data:'.length))].map(parseJson)
  return messages.filter(isObject).find((message) => 'result' in message || 'error' in message)
}

function refusal(text: unknown): Outcome {
  const message = typeof text === 'string' ? text : ''
  // The text is untrusted and is not passed on.
  return LIMIT.test(message) ? { kind: 'rate_limited' } : failed('it returned an error')
}
