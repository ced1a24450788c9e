// tools/call from start to end: finds the tool, validates its input, runs it and formats the result. This is the only
// place that catches failures: a Failure or invalid arguments become text the model can act on; anything else is a bug
// and is rethrown.

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

/** Returns the members of the result. A call that completes synchronously is answered without a promise. */
export function callTool(server: Server, context: Exchange): Result | Promise<Result> {
  const { name } = context.params
  if (typeof name !== 'string') throw new ProtocolError(INVALID_PARAMS, "Invalid params: 'name' must be a string")
  const registered = server.catalogue.find(name)
  if (!registered) return refreshAndRetry(server, name, context)
  return callRegisteredTool(server, registered, context)
}

/** The tool list may be stale: refresh it once before reporting an unknown tool. */
function refreshAndRetry(server: Server, name: string, context: Exchange): Result | Promise<Result> {
  const callOrReject = (): Result | Promise<Result> => {
    const registered = server.catalogue.find(name)
    return registered ? callRegisteredTool(server, registered, context) : rejectUnknownTool(server, name, context)
  }
  const refreshing = server.refusals.has(name) ? undefined : server.prepare()
  return refreshing ? refreshing.then(callOrReject) : callOrReject()
}

function callRegisteredTool(server: Server, registered: Entry, context: Exchange): Result | Promise<Result> {
  const { arguments: rawArguments } = context.params
  const missing = findUnmetRequirements(registered.tool, context)
  if (missing) return rejectMissingCapabilities(registered.tool, missing, context)
  try {
    const { dialect } = context.client
    const { needs: serviceNames } = registered.tool
    const input = registered.read(
      dialect ? dialect.readArguments(rawArguments ?? {}, registered.inputNames) : (rawArguments ?? {}),
    )
    // Services are opened after the input was validated, so an invalid call opens none.
    const result = andThen(input, (parsed) =>
      andThen(serviceNames ? server.services.open(serviceNames) : {}, (services) => {
        if (context.cancelled) return ''
        return andThen(registered.tool.run(parsed, context.toCall(), services), (value) =>
          formatValue(registered, value, context),
        )
      }),
    )
    return result instanceof Promise ? result.catch((error: unknown) => toErrorResult(error, context)) : result
  } catch (error) {
    return toErrorResult(error, context)
  }
}

/** Continues at once with a value, or when a promise is fulfilled, so that a synchronous call creates no promise. */
function andThen<R>(value: unknown, continueWith: (value: unknown) => R | Promise<R>): R | Promise<R> {
  return isThenable(value) ? Promise.resolve(value).then(continueWith) : continueWith(value)
}

function isThenable(value: unknown): value is PromiseLike<unknown> {
  return typeof value === 'object' && value !== null && 'then' in value && typeof value.then === 'function'
}

function formatValue({ tool, outputNames }: Entry, value: unknown, context: Exchange): Result | Promise<Result> {
  // A tool with `output` may return `{ content, isError }`; the value then need not match the schema.
  const isData = isObject(value) && (!isMarked(value) || outputNames?.includes('isError'))
  const structured = tool.output && isData ? pick(value, outputNames) : undefined
  const output = tool.render ? tool.render(value) : plainWords(structured ?? value, structured !== undefined)
  if (typeof output !== 'string' && 'isError' in output) context.failed = output.isError
  if (tool.output && !structured && !context.failed) throw new TypeError('output promises an object')
  const meta = tool.meta && !context.client.dialect ? memberText(tool.meta(value)) : undefined
  return createResult(output, context, structured, meta)
}

/** Creates the result. Messages that are due for this session are prepared first and sent in front of it. */
function createResult(
  output: Words,
  context: Exchange,
  structured?: JsonObject,
  meta?: string,
): Result | Promise<Result> {
  const { client, conversation, ticket } = context
  const { mail, newlineAfterText: newline } = conversation.server
  return andThen(ticket ? undefined : mail?.prepare?.(conversation.peer), () => {
    const members = contentMembers(output, client, { structured, newline, front: takePendingMessages(context) })
    return meta === undefined ? members : new Reply('complete', members, meta)
  })
}

/** Returns the named members, or all members if the schema names none. */
function pick(value: JsonObject, names: readonly string[] | undefined): JsonObject {
  if (!names) return value
  return Object.fromEntries(names.filter((name) => Object.hasOwn(value, name)).map((name) => [name, value[name]]))
}

function toErrorResult(error: unknown, context: Exchange): Result | Promise<Result> {
  if (error instanceof Failure) return createFailureResult(error.message, context)
  if (!(error instanceof BadInput)) throw withToolName(context, error)
  // At 2024-11-05 invalid arguments are a protocol error; later revisions let the model read and correct them.
  if (context.client.revision < '2025-03-26') {
    throw new ProtocolError(INVALID_PARAMS, `Invalid params: ${error.message}`, { problems: error.problems })
  }
  return createFailureResult(`Invalid arguments: ${error.message}`, context)
}

/** Adds the tool's name to the error, because its stack may not show the tool. */
function withToolName({ params }: Exchange, error: unknown): unknown {
  if (error instanceof ProtocolError) return error
  const where = `in tool ${String(params.name)}: `
  const stack = error instanceof Error && { stack: where + error.stack }
  return Object.assign(new Error(where + String(error), { cause: error }), stack)
}

function rejectUnknownTool(server: Server, name: string, context: Exchange): Result | Promise<Result> {
  const reason = server.refusals.get(name)
  if (reason !== undefined) return createFailureResult(reason, context)
  const names = server.catalogue.names()
  const available = names.length > 0 ? `this server has ${names.join(', ')}` : 'this server has no tools'
  throw new ProtocolError(INVALID_PARAMS, `Unknown tool: ${name.slice(0, 128)} (${available})`)
}

function findUnmetRequirements({ requires, defers }: Tool, context: Exchange): JsonObject | undefined {
  if (requires === undefined && defers !== 'always') return undefined
  const missing = missingCapabilities(requires ?? {}, context.client.capabilities)
  if (defers !== 'always' || context.can.defer) return missing
  const extensions = isObject(missing?.extensions) ? missing.extensions : {}
  return { ...missing, extensions: { ...extensions, [TASKS_EXTENSION]: {} } }
}

function rejectMissingCapabilities(
  tool: Tool,
  requiredCapabilities: JsonObject,
  context: Exchange,
): Result | Promise<Result> {
  const list = Object.keys(requiredCapabilities).join(', ')
  const message = `${tool.name} needs a client that declares: ${list}`
  if (context.client.revision < MODERN_REVISION) return createFailureResult(message, context)
  throw new ProtocolError(MISSING_CAPABILITY, message, { requiredCapabilities })
}

function createFailureResult(message: string, context: Exchange): Result | Promise<Result> {
  context.failed = true
  return createResult({ content: message, isError: true }, context)
}

/** Takes the pending messages of this session. A result that is fetched later through a task handle carries none. */
function takePendingMessages(context: Exchange): string | undefined {
  const { server, peer } = context.conversation
  if (!server.mail || context.ticket || context.cancelled) return undefined
  const batch = server.mail.take(peer)
  if (!batch) return undefined
  context.whenWritten((written) => (written ? batch.delivered() : batch.returned()))
  return batch.text
}
