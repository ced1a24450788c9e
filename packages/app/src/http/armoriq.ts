// Serves clients that need the ArmorIQ format: POST /mcp without a session, each response one event with one line of
// JSON, every content item a text, every text JSON. Added to the HTTP server by program-extensions.ts. Writes HTTP
// responses; no other I/O.

import { statelessCaller } from '@scorpiox/mcp/definitions/caller'
import type { HttpContext } from '@scorpiox/mcp/http/http-context'
import { type HttpExchange, reportWhenWritten } from '@scorpiox/mcp/http/http-exchange'
import { DISCARD_SINK } from '@scorpiox/mcp/http/legacy-post'
import { isJsonObject, stringifyWellFormed } from '@scorpiox/mcp/json/json'
import { formatRpcResult, getAnswerText, type JsonRpcAnswer, type JsonRpcMessage } from '@scorpiox/mcp/jsonrpc/message'
import type { ToolCallFormat } from '@scorpiox/mcp/revisions/client-profile'
import type { Session } from '@scorpiox/mcp/session/session'

export const ARMORIQ_FORMAT: ToolCallFormat = {
  formatContent(blocks, isError) {
    const items = blocks.map((block) => ({
      type: 'text',
      text: block.type === 'text' ? toJsonText(block.text.toWellFormed(), isError) : stringifyWellFormed(block),
    }))
    return `"content":${JSON.stringify(items)},"isError":${isError}`
  },
  // The SDK adds its own keys to the arguments; a strict schema would reject every call.
  readArguments(args, known) {
    if (!isJsonObject(args)) return args
    const isAddedBySdk = (name: string): boolean => !known.has(name) && (name.startsWith('_') || name === 'user_email')
    return Object.fromEntries(Object.entries(args).filter(([name]) => !isAddedBySdk(name)))
  },
}

/** A text that is already a JSON object or array is not changed. */
function toJsonText(text: string, isError: boolean): string {
  return !isError && isJsonCollection(text) ? text : JSON.stringify(isError ? { error: text } : { result: text })
}

function isJsonCollection(text: string): boolean {
  if (!/^\s*[[{]/.test(text)) return false
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

/** No session is required, ids may repeat, and a notification with an id gets an empty result. */
export function handleArmoriqPost(
  context: HttpContext,
  exchange: HttpExchange,
  message: JsonRpcMessage,
  existing?: Session,
): void {
  exchange.protocol = 'armoriq'
  if (message.kind === 'request' && message.method.startsWith('notifications/')) {
    return exchange.event(formatRpcResult(message.id, '{}'))
  }
  const caller = statelessCaller(exchange.user)
  const session =
    existing ??
    context.createSession(caller, {
      server: exchange.server,
      revision: '2024-11-05',
      toolCallFormat: ARMORIQ_FORMAT,
      isStateless: true,
    })
  const pendingAnswer = session.receive(message, DISCARD_SINK, exchange.auth)
  if (!(pendingAnswer instanceof Promise)) return sendAnswer(exchange, pendingAnswer)
  if (existing) exchange.holdMemoryUntil(pendingAnswer)
  else {
    context.transientSessions.add(session)
    exchange.response.on('close', () => {
      context.transientSessions.delete(session)
      session.disconnect('the client disconnected')
      exchange.clientClosed()
    })
  }
  void pendingAnswer.then((answer) => sendAnswer(exchange, answer))
}

function sendAnswer(exchange: HttpExchange, answer: JsonRpcAnswer): void {
  reportWhenWritten(answer, exchange.response)
  const text = getAnswerText(answer)
  if (exchange.response.destroyed) return exchange.clientClosed()
  if (text === undefined) exchange.empty(202)
  else exchange.event(text)
}
