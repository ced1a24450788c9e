// The public API of the library: define tools, resources, prompts and skills, and serve them over stdio, HTTP or in
// memory. Transports are loaded on first use. Imported by programs that use the library, and by library.ts of the app.
// No effects before a function is called.

import type { RunningHttpServer } from './http/http-options.js'
import type { JsonObject } from './json/json.js'
import { loadSimpleCompiler } from './json-schema/lazy-compile.js'
import { createLog } from './log.js'
import type { MemoryClient, MemoryClientOptions } from './memory/memory-client.js'
import type { MemoryTransport } from './memory/memory-transport.js'
import type { TaskHandleStore } from './protocol-tasks/task-handle-store.js'
import { openServer } from './open-server.js'
import type { ToolDefinition } from './definitions/tool.js'
import type { OpenApiOptions } from './openapi/openapi-options.js'
import type { ServeOptions } from './serve-options.js'
import { serveStdio } from './stdio/serve-stdio.js'

export { Failure } from './errors.js'
export { createChangeEvents } from './definitions/change-events.js'
export { definePrompt, definePromptWith } from './definitions/prompt.js'
export { defineResource, defineTemplate, defineResourceWith, defineTemplateWith } from './definitions/resource.js'
export { defineSkill, defineSkillWith } from './definitions/skill.js'
export { defineTool, defineToolWith } from './definitions/tool.js'
export type { JsonObject } from './json/json.js'
export type { FromSchema } from './json-schema/infer-type.js'
export type { HttpMount, MountHeaders, ProgramMount } from './mount/mount-options.js'
export type { OpenApiHeaders, OpenApiOperation, OpenApiOptions, OperationFilter } from './openapi/openapi-options.js'
export type { LocalMount, ServeOptions, ServerMount, StdioOptions } from './serve-options.js'
export type { ListSource } from './server/mcp-server.js'
export type { Revision } from './revisions/revision.js'
export type { MessageQueue, MessageBatch } from './definitions/message-queue.js'
export type { ChangeEvent, ChangeEvents, PushMessage } from './definitions/change-events.js'
export type { StartedCall, FinishedCall, CallObserver } from './definitions/call-observer.js'
export type { ServiceFactories, GetService } from './server/service-table.js'
export type { AuthContext } from './definitions/auth-context.js'
export type { Caller } from './definitions/caller.js'
export { APP_MIME_TYPE } from './definitions/app-view.js'
export type { ResourceUi, ToolUi } from './definitions/app-view.js'
export type { Icon } from './definitions/icon.js'
export type { Middleware, PromptCall, ResourceCall, ToolCall, ToolResult } from './definitions/middleware.js'
export type { TaskHandleRecord, TaskHandleStore } from './protocol-tasks/task-handle-store.js'
export type {
  ClientAbilities,
  ClientAnswers,
  AskOptions,
  CallContext,
  TaskHandleOptions,
  LogLevel,
  ClientQuestion,
  ClientQuestions,
  RootsResult,
  FormAnswer,
  SamplingResult,
  SamplingMessage,
  SamplingRequest,
} from './definitions/call-context.js'
export type { Completer, PromptDefinition, PromptArgument, PromptMessage } from './definitions/prompt.js'
export type {
  ResourceContent,
  ResourceDefinition,
  ResourcePart,
  ResourceTemplateDefinition,
} from './definitions/resource.js'
export type { SkillDefinition, SkillFileEntry } from './definitions/skill.js'
export type { StandardIssue, StandardResult, StandardSchema } from './definitions/standard-schema.js'
export type {
  ContentBlock,
  ToolHints,
  SchemaOutput,
  ToolSchema,
  ToolDeclaration,
  ToolDefinition,
  ToolHandler,
  ToolOutput,
} from './definitions/tool.js'
export type { Refusal } from './http/host-policy.js'
export type { Authenticate, HttpOptions, HttpRoute, RouteContext, RunningHttpServer } from './http/http-options.js'
export type { MemoryTransport } from './memory/memory-transport.js'
export type { MemoryClientOptions, MemoryClient, ReceivedNotification, RequestError } from './memory/memory-client.js'

declare global {
  // Merged with the declarations of the DOM types or of @types/node; let projects with neither compile.
  interface AbortSignal {
    readonly aborted: boolean
  }
  interface Request {
    readonly url: string
  }
  interface Response {
    readonly status: number
  }
}

/** Printed when the server is started in a terminal. */
const TTY_HINT = 'MCP server on stdio, waiting for a client on standard input. Press Ctrl+C to stop.'

/** Serves over stdio until the client disconnects, then exits the process. */
export async function serve<S extends object, Claims = JsonObject>(options: ServeOptions<S, Claims>): Promise<never> {
  if (process.stdin.isTTY) createLog(options.name, 'info').info(TTY_HINT)
  // Loaded in advance, so that no call waits for it.
  await loadSimpleCompiler()
  await serveStdio(await openServer(options), options.stdio?.maxLineBytes)
  process.exit(0)
}

/** Serves over HTTP until it is closed. Default: a free port of the loopback interface. */
export async function serveHttp<S extends object, Claims = JsonObject>(
  options: ServeOptions<S, Claims>,
): Promise<RunningHttpServer> {
  const { startHttpServer } = await import('./http/serve-http.js')
  return startHttpServer(await openServer(options), options.http)
}

/** Connects a client in the same process, for tests: `await (await connect(server)).request('tools/list')`. */
export async function connect<S extends object, Claims = JsonObject>(
  options: ServeOptions<S, Claims>,
  client?: MemoryClientOptions,
): Promise<MemoryClient> {
  const [transport, { connectMemoryClient }] = await Promise.all([
    createMemoryTransport(options),
    import('./memory/memory-client.js'),
  ])
  return connectMemoryClient(transport, client)
}

/**
 * Creates an in-process transport for a client of the official SDK: `await client.connect(await
 * createMemoryTransport(server))`.
 */
export async function createMemoryTransport<S extends object, Claims = JsonObject>(
  options: ServeOptions<S, Claims>,
): Promise<MemoryTransport> {
  const memory = await import('./memory/memory-transport.js')
  return memory.openMemoryTransport(await openServer(options))
}

/** Opens a directory that stores task handles, so that they survive the process; pass it to the server. */
export async function openTaskHandleFiles(folder: string): Promise<TaskHandleStore> {
  const files = await import('./protocol-tasks/task-handle-files.js')
  return files.openTaskHandleFolder(folder)
}

/** Makes tools from an OpenAPI 3.0 to 3.2 document, given as an object or as JSON text: one for each operation. */
export async function toolsFromOpenApi(document: string | object, options: OpenApiOptions): Promise<ToolDefinition[]> {
  const openApi = await import('./openapi/tools-from-openapi.js')
  return openApi.createOpenApiTools(document, options)
}
