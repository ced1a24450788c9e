// The public API of the library: define tools, resources, prompts and skills, and serve them.

import { createLog, stackOf } from './platform/log.js'
import { loadPlain } from './protocol/schema-check.js'
import { createServer, type Server, type ServerDescription } from './protocol/server.js'
import { createNotices } from './services/notices.js'
import { createServices, type Openers } from './services/services.js'
import type { HttpOptions, HttpServing } from './transport/http/serving.js'
import type { TicketStore } from './store/ticket-store.js'
import type { LinkedTransport } from './transport/memory.js'
import type { ClientOptions, MemoryClient } from './transport/memory-client.js'
import { serveStdio } from './transport/stdio.js'

export { Failure } from './lib/failure.js'
export { createNotices } from './services/notices.js'
export { definePrompt, promptsOver } from './tools/prompt.js'
export { defineResource, defineTemplate, resourcesOver, templatesOver } from './tools/resource.js'
export { defineSkill, skillsOver } from './tools/skill.js'
export { defineTool, toolsOver } from './tools/tool.js'
export type { JsonObject } from './lib/json.js'
export type { FromSchema } from './lib/json-schema/type.js'
export type { Offer } from './protocol/server.js'
export type { Revision } from './protocol/revision.js'
export type { Mail, Parcel } from './services/mail.js'
export type { Notice, Notices, PushedMessage } from './services/notices.js'
export type { BegunCall, ObservedCall, Observer } from './services/observer.js'
export type { Openers, Others } from './services/services.js'
export type { Who } from './services/who.js'
export type { TicketRecord, TicketStore } from './store/ticket-store.js'
export type {
  Abilities,
  Answers,
  AskOptions,
  Call,
  DeferOptions,
  LogLevel,
  Question,
  Questions,
  Roots,
  Said,
  Sampled,
  SampleMessage,
  SampleQuestion,
} from './tools/call.js'
export type { Complete, Prompt, PromptArgument, PromptMessage } from './tools/prompt.js'
export type { Content, Resource, ResourcePart, ResourceTemplate } from './tools/resource.js'
export type { Skill, SkillFile } from './tools/skill.js'
export type { StandardIssue, StandardResult, StandardSchema } from './tools/standard-schema.js'
export type { Block, Hints, Parsed, Schema, Tool, Words } from './tools/tool.js'
export type { Refusal } from './transport/http/gate.js'
export type { Authenticate, HttpOptions, HttpServing } from './transport/http/serving.js'
export type { LinkedTransport } from './transport/memory.js'
export type { ClientOptions, MemoryClient, Notified, RequestFailure } from './transport/memory-client.js'

declare global {
  // Merged with the declaration of the DOM types or of @types/node; lets projects with neither compile.
  interface AbortSignal {
    readonly aborted: boolean
  }
}

/** Printed when the server is started in a terminal. */
const TTY_HINT = 'MCP server on stdio, waiting for a client on standard input. Press Ctrl+C to stop.'

/** The definition of a server. The same for `serve`, `serveHttp`, `connect` and `createMemoryTransport`. */
export interface ServeOptions<S extends object = object> extends Omit<ServerDescription, 'services'> {
  /** The services that tools name. Each is opened by the first call that needs it and closed at the end. */
  readonly services?: Openers<S>
  readonly stdio?: StdioOptions
  readonly http?: HttpOptions
}

/** Options of the stdio transport. */
export interface StdioOptions {
  /** Maximum length of a line in bytes. Default: 16 MiB. */
  readonly maxLineBytes?: number
}

/** Serves over stdio until the client disconnects, then exits the process. */
export async function serve<S extends object>(options: ServeOptions<S>): Promise<never> {
  if (process.stdin.isTTY) createLog(options.name, 'info').info(TTY_HINT)
  // Loaded in advance, so that no call waits for it.
  await loadPlain()
  await serveStdio(createServerFromOptions(options), options.stdio?.maxLineBytes)
  process.exit(0)
}

/** Serves over HTTP until it is closed. Default: a free port of the loopback interface. */
export async function serveHttp<S extends object>(options: ServeOptions<S>): Promise<HttpServing> {
  const { openHttp } = await import('./transport/http/serving.js')
  return openHttp(createServerFromOptions(options), options.http)
}

/** Connects a client in the same process, for tests: `await (await connect(server)).request('tools/list')`. */
export async function connect<S extends object>(
  options: ServeOptions<S>,
  client?: ClientOptions,
): Promise<MemoryClient> {
  const [transport, { connectOver }] = await Promise.all([
    linkedTransport(options),
    import('./transport/memory-client.js'),
  ])
  return connectOver(transport, client)
}

/**
 * Creates an in-process transport for a client of the official SDK: `await client.connect(await
 * createMemoryTransport(server))`.
 */
export async function linkedTransport<S extends object>(options: ServeOptions<S>): Promise<LinkedTransport> {
  const memory = await import('./transport/memory.js')
  return memory.linkInMemory(createServerFromOptions(options))
}

/** Opens a directory that stores task handles, so that they survive the process; pass it to the server. */
export async function openTicketFiles(folder: string): Promise<TicketStore> {
  const files = await import('./store/ticket-files.js')
  return files.openTicketFiles(folder)
}

function createServerFromOptions<S extends object>({ services, ...definition }: ServeOptions<S>): Server {
  const log = createLog(definition.name, 'info')
  const { notices = createNotices() } = definition
  return createServer({
    logError: (error) => log.error(stackOf(error)),
    ...definition,
    notices,
    ...(services && { services: createServices(services, notices) }),
  })
}
