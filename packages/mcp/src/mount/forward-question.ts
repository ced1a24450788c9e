// Passes a question of a mounted server on to the client whose call it belongs to, and the answer back. The person sees
// which server asks. Used by remote-mount.ts. Sends messages to the client; no other I/O.

import { createMethodNotFound, type ServerRequest } from '../client/client-connection.js'
import type { CallContext, ClientQuestion, SamplingMessage } from '../definitions/call-context.js'
import { Failure } from '../errors.js'
import { isJsonObject, type JsonObject } from '../json/json.js'

const UNKNOWN_CALL =
  'The question cannot be passed on: it belongs to no call, or several users are served at the same time.'

export async function forwardQuestion(
  prefix: string,
  { method, params, key }: ServerRequest,
  call: CallContext | undefined,
): Promise<JsonObject> {
  const question = toQuestion(prefix, method, params)
  if (!call) throw new Failure(UNKNOWN_CALL)
  // A server that waits for the answer cannot be called again with it, as a client of the newest revision would do.
  const [name, options] = key === undefined ? [crypto.randomUUID(), { whileRunning: true }] : [`${prefix}-${key}`, {}]
  const { [name]: answer } = await call.ask({ [name]: question }, options)
  return toResult(answer)
}

function toQuestion(prefix: string, method: string, params: JsonObject): ClientQuestion {
  if (method === 'roots/list') return { kind: 'roots' }
  if (method === 'sampling/createMessage') return toSamplingQuestion(params)
  if (method !== 'elicitation/create') throw createMethodNotFound(method)
  const message = `${prefix}: ${String(params.message)}`
  if (params.mode === 'url') return { kind: 'url', message, url: String(params.url) }
  return { kind: 'form', message, schema: isJsonObject(params.requestedSchema) ? params.requestedSchema : {} }
}

function toSamplingQuestion(params: JsonObject): ClientQuestion {
  const { messages, maxTokens, systemPrompt, temperature, stopSequences, modelPreferences, tools } = params
  if (tools !== undefined) throw new Failure('Sampling with tools is not passed on by the server in between.')
  return {
    kind: 'sample',
    messages: Array.isArray(messages) ? messages.map(toMessage) : [],
    maxTokens: Number(maxTokens),
    ...(isText(systemPrompt) && { systemPrompt }),
    ...(typeof temperature === 'number' && { temperature }),
    ...(Array.isArray(stopSequences) && { stopSequences: stopSequences.filter(isText) }),
    ...(isJsonObject(modelPreferences) && { modelPreferences }),
  }
}

function isText(value: unknown): value is string {
  return typeof value === 'string'
}

function toMessage(message: unknown): SamplingMessage {
  const { role, content } = isJsonObject(message) ? message : {}
  return { role: role === 'assistant' ? role : 'user', content: isJsonObject(content) ? content : String(content) }
}

/** `text` is what this library adds to a sampling result. */
function toResult(answer: unknown): JsonObject {
  if (!isJsonObject(answer)) return {}
  const { text: _text, ...result } = answer
  return result
}
