// Handles tools/list and tools/call, from finding the tool to formatting its result. This is the only place that
// catches failures: a Failure or invalid arguments become text the model can act on; anything else is a bug and is
// rethrown. Found through method-table.ts. Runs tools; no I/O of its own.

import { isForViewsOnly } from '../definitions/app-view.js'
import type { Middleware } from '../definitions/middleware.js'
import type { ToolDefinition, ToolHandler } from '../definitions/tool.js'
import { echo, Failure, INVALID_PARAMS, INVALID_REQUEST, MISSING_CAPABILITY, ProtocolError } from '../errors.js'
import { isJsonObject, type JsonObject } from '../json/json.js'
import { ForwardedResult, type HandlerResult, stringifyMembers, TypedResult } from '../jsonrpc/result.js'
import { describeMissingScopes, hasScopesFor } from '../registry/tool-scopes.js'
import { BadInput, type RegisteredTool } from '../registry/tool-registry.js'
import { RequestCallContext, type RequestContext } from '../request/request-context.js'
import { findMissingCapabilities, supportsApps, TASKS_EXTENSION } from '../revisions/client-profile.js'
import { MODERN_REVISION } from '../revisions/revision.js'
import type { McpServer } from '../server/mcp-server.js'
import { andThen, loadOnce } from '../promises.js'
import { LIST_CACHE_MEMBERS, type MethodTable } from './method.js'
import { defaultToolOutput, formatToolResult, hasErrorFlag, isErrorOutput, type ResultParts } from './tool-result.js'

// Without a call here: a bundler would keep what the handlers import for servers that do not use it.
export const LEGACY_TOOLS: MethodTable = { 'tools/list': listTools, 'tools/call': callTool }

export const MODERN_TOOLS: MethodTable = {
  'tools/list': (server, context) => andThen(listTools(server, context), (page) => `${page},${LIST_CACHE_MEMBERS}`),
  'tools/call': callTool,
}

/** A server may have thousands of tools; the model reads these names. */
const MAX_NAMES = 50

/** Returns one page of the list, after refreshing it if there is something to refresh. */
function listTools(server: McpServer, { client, params, auth }: RequestContext): string | Promise<string> {
  return andThen(server.refreshLists(), () =>
    server.toolRegistry.list(client.revision, { cursor: params.cursor, auth, withViews: supportsApps(client) }),
  )
}

/** Returns the members of the result. A call that completes synchronously is answered without a promise. */
function callTool(server: McpServer, context: RequestContext): HandlerResult | Promise<HandlerResult> {
  const { name, arguments: rawArguments } = context.params
  if (typeof name !== 'string') throw new ProtocolError(INVALID_PARAMS, "Invalid params: 'name' must be a string")
  const registered = server.toolRegistry.find(name)
  if (!registered) return refreshAndRetry(server, name, context)
  const { tool } = registered
  if (isForViewsOnly(tool)) {
    if (!supportsApps(context.client)) return rejectUnknownTool(server, name, context)
    context.isForModel = false
  }
  if (tool.requires !== undefined || tool.taskSupport === 'always') {
    const missing = findMissingRequirements(tool, context)
    if (missing) return rejectMissingCapabilities(tool, missing, context)
  }
  if (!hasScopesFor(tool, context.auth)) throw new ProtocolError(INVALID_REQUEST, describeMissingScopes(tool))
  try {
    const result = server.middleware
      ? callThroughMiddleware(server.middleware, registered, context)
      : runTool(registered, rawArguments, context, createResult)
    return result instanceof Promise ? result.catch((error: unknown) => toErrorResult(error, context)) : result
  } catch (error) {
    return toErrorResult(error, context)
  }
}

/** Validates the arguments, opens the services and runs the tool. `deliver` receives the parts of the result. */
function runTool<R>(
  registered: RegisteredTool,
  rawArguments: unknown,
  context: RequestContext,
  deliver: (parts: ResultParts, context: RequestContext) => R | Promise<R>,
): R | Promise<R> {
  const { tool, inputNames } = registered
  const { toolCallFormat } = context.client
  const givenArguments = rawArguments ?? {}
  if (registered.dropsOthers && isJsonObject(givenArguments)) dropOthers(givenArguments, inputNames)
  const args = toolCallFormat ? toolCallFormat.readArguments(givenArguments, inputNames) : givenArguments
  const { services: available } = context.session.server
  // Services are opened after the input was validated, so an invalid call opens none.
  return andThen(registered.parseArguments(args), (input) =>
    andThen(tool.services ? available.open(tool.services) : {}, (services) => {
      if (context.state === 'cancelled') return deliver({ output: '' }, context)
      return andThen(registered.handler ?? registered.loadHandler(), (handler) =>
        andThen(handler.run(input, new RequestCallContext(context), services), (value) =>
          deliver(formatValue(registered, handler, value), context),
        ),
      )
    }),
  )
}

// Once: to import a loaded module takes longer than most calls.
const loadMiddleware = loadOnce(() => import('./middleware.js'))

async function callThroughMiddleware(
  layers: readonly Middleware<unknown>[],
  registered: RegisteredTool,
  context: RequestContext,
): Promise<HandlerResult> {
  const { callToolThrough } = await loadMiddleware()
  const parts = await callToolThrough(layers, registered.tool, context, {
    createCall: () => new RequestCallContext(context),
    run: (args) => runTool(registered, args, context, (result) => result),
    explain: explainFailure,
  })
  return createResult(parts, context)
}

/** Changes the object itself, so that nothing keeps what is dropped for as long as the call runs. */
function dropOthers(args: JsonObject, names: ReadonlySet<string>): void {
  for (const name in args) if (!names.has(name)) Reflect.deleteProperty(args, name)
}

/** The tool list may be stale: refresh it once before reporting an unknown tool. */
function refreshAndRetry(
  server: McpServer,
  name: string,
  context: RequestContext,
): HandlerResult | Promise<HandlerResult> {
  return andThen(server.disabledTools.has(name) ? undefined : server.refreshLists(), () =>
    server.toolRegistry.find(name) ? callTool(server, context) : rejectUnknownTool(server, name, context),
  )
}

/** Also used for tools of mounted servers. */
export function formatValue({ tool, outputNames }: RegisteredTool, handler: ToolHandler, value: unknown): ResultParts {
  if (value instanceof ForwardedResult) return value
  // A tool with `output` may return `{ content, isError }`; the value then need not match the schema.
  const isData = tool.output && isJsonObject(value) && (!hasErrorFlag(value) || outputNames?.includes('isError'))
  const structured = isData ? pick(value, outputNames) : undefined
  const output = handler.format
    ? handler.format(value)
    : defaultToolOutput(structured ?? value, structured !== undefined)
  if (tool.output && !structured && !isErrorOutput(output)) throw new TypeError('output promises an object')
  return { output, structured, meta: handler.meta?.(value) }
}

/** Creates the result. Messages that are due for this session are prepared first and sent in front of it. */
function createResult(parts: ResultParts, context: RequestContext): HandlerResult | Promise<HandlerResult> {
  const { server, caller } = context.session
  context.hasFailed = isErrorOutput(parts.output)
  // A result that is fetched later through a task handle carries no messages, nor does one that only a view sees.
  if (!server.messageQueue || context.taskHandle || !context.isForModel) return formatResult(parts, context)
  return andThen(server.messageQueue.prepare?.(caller), () => {
    const canCarry = !context.taskHandle && context.state !== 'cancelled'
    const batch = canCarry ? server.messageQueue?.takeBatch(caller) : undefined
    if (batch) context.onAnswerWritten((written) => (written ? batch.confirm() : batch.release()))
    return formatResult(parts, context, batch?.text)
  })
}

function formatResult(parts: ResultParts, { client, session }: RequestContext, pendingText?: string): HandlerResult {
  const { output, structured, meta } = parts
  const { newlineAfterText } = session.server
  const members = formatToolResult(output, client, { structured, newlineAfterText, pendingText })
  return meta && !client.toolCallFormat ? new TypedResult('complete', members, stringifyMembers(meta)) : members
}

/** Returns the named members, or all members if the schema names none. */
function pick(value: JsonObject, names: readonly string[] | undefined): JsonObject {
  if (!names) return value
  return Object.fromEntries(names.filter((name) => Object.hasOwn(value, name)).map((name) => [name, value[name]]))
}

function toErrorResult(error: unknown, context: RequestContext): HandlerResult | Promise<HandlerResult> {
  const parts = explainFailure(error, context)
  if (parts) return createResult(parts, context)
  throw withToolName(context, error)
}

/** The result of a call that failed as expected; undefined if the error is a bug. */
function explainFailure(error: unknown, context: RequestContext): ResultParts | undefined {
  if (error instanceof Failure) return createFailureParts(error.message)
  if (!(error instanceof BadInput)) return undefined
  // At 2024-11-05 invalid arguments are a protocol error; later revisions let the model read and correct them.
  if (context.client.revision < '2025-03-26') {
    throw new ProtocolError(INVALID_PARAMS, `Invalid params: ${error.message}`, { problems: error.problems })
  }
  return createFailureParts(`Invalid arguments: ${error.message}`)
}

/** Adds the tool's name to the error, because its stack may not show the tool. */
function withToolName({ params }: RequestContext, error: unknown): unknown {
  if (error instanceof ProtocolError) return error
  const where = `in tool ${String(params.name)}: `
  const stack = error instanceof Error && { stack: where + error.stack }
  return Object.assign(new Error(where + String(error), { cause: error }), stack)
}

function rejectUnknownTool(
  server: McpServer,
  name: string,
  context: RequestContext,
): HandlerResult | Promise<HandlerResult> {
  const reason = server.disabledTools.get(name)
  if (reason !== undefined) return createResult(createFailureParts(reason), context)
  const names = server.toolRegistry.names()
  const shown = names.length > MAX_NAMES ? names.slice(0, MAX_NAMES).concat('others') : names
  const available = shown.join(', ') || 'no tools'
  throw new ProtocolError(INVALID_PARAMS, `Unknown tool: ${echo(name, 128)} (this server has ${available})`)
}

function findMissingRequirements(
  { requires, taskSupport }: ToolDefinition,
  context: RequestContext,
): JsonObject | undefined {
  const missing = findMissingCapabilities(requires ?? {}, context.client.capabilities)
  if (taskSupport !== 'always' || context.clientAbilities.tasks) return missing
  const extensions = isJsonObject(missing?.extensions) ? missing.extensions : {}
  return { ...missing, extensions: { ...extensions, [TASKS_EXTENSION]: {} } }
}

function rejectMissingCapabilities(
  tool: ToolDefinition,
  requiredCapabilities: JsonObject,
  context: RequestContext,
): HandlerResult | Promise<HandlerResult> {
  const names = Object.keys(requiredCapabilities).join(', ')
  const message = `${tool.name} needs a client that declares: ${names}`
  if (context.client.revision < MODERN_REVISION) return createResult(createFailureParts(message), context)
  throw new ProtocolError(MISSING_CAPABILITY, message, { requiredCapabilities })
}

function createFailureParts(message: string): ResultParts {
  return { output: { content: message, isError: true } }
}
