// Search engines that are themselves MCP servers: a tool called without a handshake, the answer as JSON or as a stream of
// events.

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

/** `read` is given what the tool said: its text, and the JSON in it if it is some. */
export function readToolAnswer({ text }: Answer, read: (said: string, json: unknown) => Outcome): Outcome {
  const message = replyIn(text)
  if (!message) return LAYOUT_CHANGED
  if (isObject(message.error)) return refusal(message.error.message)
  const content = below(message.result, 'content')
  const blocks = Array.isArray(content) ? content.filter(isObject) : []
  const said = blocks.map((block) => (typeof block.text === 'string' ? block.text : '')).join('\n')
  if (below(message.result, 'isError') === true) return refusal(said)
  return content === undefined ? LAYOUT_CHANGED : read(said, parseJson(said))
}

function replyIn(text: string) {
  const lines = text.split(/\r?\n/).filter((line) => line.startsWith('data:'))
  const messages = [text, ...lines.map((line) => line.slice('data:'.length))].map(parseJson)
  return messages.filter(isObject).find((message) => 'result' in message || 'error' in message)
}

function refusal(said: unknown): Outcome {
  const words = typeof said === 'string' ? said : ''
  // Its words are not passed on: whoever reads them might take them for ours.
  return LIMIT.test(words) ? { kind: 'rate_limited' } : failed('it answered with an error')
}
