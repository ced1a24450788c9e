// The one path of a tools/call: find the tool, read its input, run it, say it. The only catch of failures:
// a Failure or bad arguments become words the model can act on; everything else is a bug and is thrown on.

import { Failure } from '../lib/failure.js'
import { isObject, type JsonObject } from '../lib/json.js'
import type { Tool, Words } from '../tools/tool.js'
import { BadInput, type Entry } from './catalogue.js'
import { missingCapabilities, TASKS_EXTENSION } from './client.js'
import { contentMembers } from './content.js'
import type { Exchange } from './exchange.js'
import { isMarked, plainWords } from './plain-words.js'
import { INVALID_PARAMS, MISSING_CAPABILITY, ProtocolError } from './protocol-error.js'
import { memberText, Reply, type Result } from './reply.js'
import { MODERN_REVISION } from './revision.js'
import type { Server } from './server.js'

/** The members of the result. Work that is done at once is answered at once, without a promise. */
export function callTool(server: Server, exchange: Exchange): Result | Promise<Result> {
  const { name } = exchange.params
  if (typeof name !== 'string') throw new ProtocolError(INVALID_PARAMS, "Invalid params: 'name' must be a string")
  const entry = server.catalogue.find(name)
  if (!entry) return lookAgain(server, name, exchange)
  return callEntry(server, entry, exchange)
}

/** Whoever calls without having seen a list may name what is not in it yet. */
function lookAgain(server: Server, name: string, exchange: Exchange): Result | Promise<Result> {
  const calledOrRefused = (): Result | Promise<Result> => {
    const entry = server.catalogue.find(name)
    return entry ? callEntry(server, entry, exchange) : refuse(server, name, exchange)
  }
  const preparing = server.refusals.has(name) ? undefined : server.prepare()
  return preparing ? preparing.then(calledOrRefused) : calledOrRefused()
}

function callEntry(server: Server, entry: Entry, exchange: Exchange): Result | Promise<Result> {
  const { arguments: given } = exchange.params
  const lacking = lackingCapabilities(entry.tool, exchange)
  if (lacking) return askForCapabilities(entry.tool, lacking, exchange)
  try {
    const { dialect } = exchange.client
    const { needs } = entry.tool
    const input = entry.read(dialect ? dialect.readArguments(given ?? {}, entry.inputNames) : (given ?? {}))
    // Services are opened after the input was accepted: a wrong call opens nothing.
    const result = andThen(input, (read) =>
      andThen(needs ? server.services.open(needs) : {}, (services) => {
        if (exchange.cancelled) return ''
        return andThen(entry.tool.run(read, exchange.toCall(), services), (value) => say(entry, value, exchange))
      }),
    )
    return result instanceof Promise ? result.catch((error: unknown) => explain(error, exchange)) : result
  } catch (error) {
    return explain(error, exchange)
  }
}

/** Goes on at once with a value, and with a promise when it is fulfilled: a call that needs no promise makes none. */
function andThen<R>(value: unknown, goOn: (value: unknown) => R | Promise<R>): R | Promise<R> {
  return isThenable(value) ? Promise.resolve(value).then(goOn) : goOn(value)
}

function isThenable(value: unknown): value is PromiseLike<unknown> {
  return typeof value === 'object' && value !== null && 'then' in value && typeof value.then === 'function'
}

function say({ tool, outputNames }: Entry, value: unknown, exchange: Exchange): Result | Promise<Result> {
  // A tool with `output` reports a failure by `isError`, and then the value need not fit the schema.
  const isData = isObject(value) && (!isMarked(value) || outputNames?.includes('isError'))
  const structured = tool.output && isData ? pick(value, outputNames) : undefined
  const words = tool.render ? tool.render(value) : plainWords(structured ?? value, structured !== undefined)
  if (typeof words !== 'string' && 'isError' in words) exchange.failed = words.isError
  if (tool.output && !structured && !exchange.failed) throw new TypeError('output promises an object')
  const meta = tool.meta && !exchange.client.dialect ? memberText(tool.meta(value)) : undefined
  return resultOf(words, exchange, structured, meta)
}

/** What is due for this session by now is prepared first, and goes with the result. Without any the result is made at once. */
function resultOf(words: Words, exchange: Exchange, structured?: JsonObject, meta?: string): Result | Promise<Result> {
  const { client, conversation, ticket } = exchange
  const { mail, newlineAfterText: newline } = conversation.server
  return andThen(ticket ? undefined : mail?.prepare?.(conversation.peer), () => {
    const members = contentMembers(words, client, { structured, newline, front: mailFor(exchange) })
    return meta === undefined ? members : new Reply('complete', members, meta)
  })
}

/** The named members; all of them where the schema names none. */
function pick(value: JsonObject, names: readonly string[] | undefined): JsonObject {
  if (!names) return value
  return Object.fromEntries(names.filter((name) => Object.hasOwn(value, name)).map((name) => [name, value[name]]))
}

function explain(error: unknown, exchange: Exchange): Result | Promise<Result> {
  if (error instanceof Failure) return failed(error.message, exchange)
  if (!(error instanceof BadInput)) throw bugOf(exchange, error)
  // At 2024-11-05 bad arguments are an error; later ones let the model read and repair them.
  if (exchange.client.revision < '2025-03-26') {
    throw new ProtocolError(INVALID_PARAMS, `Invalid params: ${error.message}`, { problems: error.problems })
  }
  return failed(`Invalid arguments: ${error.message}`, exchange)
}

/** What was thrown may show nothing of the tool on its stack, or have none: the log is to say whose bug it is. */
function bugOf({ params }: Exchange, error: unknown): unknown {
  if (error instanceof ProtocolError) return error
  const where = `in tool ${String(params.name)}: `
  const stack = error instanceof Error && { stack: where + error.stack }
  return Object.assign(new Error(where + String(error), { cause: error }), stack)
}

function refuse(server: Server, name: string, exchange: Exchange): Result | Promise<Result> {
  const reason = server.refusals.get(name)
  if (reason !== undefined) return failed(reason, exchange)
  const names = server.catalogue.names()
  const known = names.length > 0 ? `this server has ${names.join(', ')}` : 'this server has no tools'
  throw new ProtocolError(INVALID_PARAMS, `Unknown tool: ${name.slice(0, 128)} (${known})`)
}

function lackingCapabilities({ requires, defers }: Tool, exchange: Exchange): JsonObject | undefined {
  if (requires === undefined && defers !== 'always') return undefined
  const lacking = missingCapabilities(requires ?? {}, exchange.client.capabilities)
  if (defers !== 'always' || exchange.can.defer) return lacking
  const extensions = isObject(lacking?.extensions) ? lacking.extensions : {}
  return { ...lacking, extensions: { ...extensions, [TASKS_EXTENSION]: {} } }
}

function askForCapabilities(
  tool: Tool,
  requiredCapabilities: JsonObject,
  exchange: Exchange,
): Result | Promise<Result> {
  const list = Object.keys(requiredCapabilities).join(', ')
  const message = `${tool.name} needs a client that declares: ${list}`
  if (exchange.client.revision < MODERN_REVISION) return failed(message, exchange)
  throw new ProtocolError(MISSING_CAPABILITY, message, { requiredCapabilities })
}

function failed(message: string, exchange: Exchange): Result | Promise<Result> {
  exchange.failed = true
  return resultOf({ content: message, isError: true }, exchange)
}

/** What waits for this session, on its way with this result. An outcome that is fetched later carries none. */
function mailFor(exchange: Exchange): string | undefined {
  const { server, peer } = exchange.conversation
  if (!server.mail || exchange.ticket || exchange.cancelled) return undefined
  const parcel = server.mail.take(peer)
  if (!parcel) return undefined
  exchange.whenWritten((written) => (written ? parcel.delivered() : parcel.returned()))
  return parcel.text
}
