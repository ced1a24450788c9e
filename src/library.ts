// The public door for people who write their own server: define what it offers, serve it.

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
  // Merged with the one of the DOM's types or of @types/node. A project that has neither still compiles.
  interface AbortSignal {
    readonly aborted: boolean
  }
}

/** For a person who started it by hand and sees nothing happen. */
const ALONE = 'this is an MCP server: it waits for a client on its standard input. Ctrl+C ends it.'

/** A server: who it is and what it offers. The same for `serve`, `serveHttp`, `connect` and `linkedTransport`. */
export interface ServeOptions<S extends object = object> extends Omit<ServerDescription, 'services'> {
  /** What tools name in `needs`, each opened by the first call that needs it and closed at the end. */
  readonly services?: Openers<S>
  readonly stdio?: StdioOptions
  readonly http?: HttpOptions
}

/** How `serve` listens. */
export interface StdioOptions {
  /** The longest line that is read; 16 MiB unless told. */
  readonly maxLineBytes?: number
}

/** Serves over stdio until the client goes away, then ends the process. */
export async function serve<S extends object>(options: ServeOptions<S>): Promise<never> {
  if (process.stdin.isTTY) createLog(options.name, 'info').info(ALONE)
  // Beforehand, so that no call has to wait for it.
  await loadPlain()
  await serveStdio(assemble(options), options.stdio?.maxLineBytes)
  process.exit(0)
}

/** Serves over HTTP until it is closed: on a free port of this machine, unless `http` says otherwise. */
export async function serveHttp<S extends object>(options: ServeOptions<S>): Promise<HttpServing> {
  const { openHttp } = await import('./transport/http/serving.js')
  return openHttp(assemble(options), options.http)
}

/** A client of the server in the same process, for tests: `await (await connect(server)).request('tools/list')`. */
export async function connect<S extends object>(
  options: ServeOptions<S>,
  client?: ClientOptions,
): Promise<MemoryClient> {
  const [line, { connectOver }] = await Promise.all([linkedTransport(options), import('./transport/memory-client.js')])
  return connectOver(line, client)
}

/** The server's other end as a transport for a client of the official SDK: `await client.connect(await linkedTransport(server))`. */
export async function linkedTransport<S extends object>(options: ServeOptions<S>): Promise<LinkedTransport> {
  const { linkInMemory } = await import('./transport/memory.js')
  return linkInMemory(assemble(options))
}

/** Where calls that outlive their answer also outlive the process; for `tickets`. */
export async function openTicketFiles(folder: string): Promise<TicketStore> {
  const files = await import('./store/ticket-files.js')
  return files.openTicketFiles(folder)
}

function assemble<S extends object>({ services, ...description }: ServeOptions<S>): Server {
  const log = createLog(description.name, 'info')
  const { notices = createNotices() } = description
  return createServer({
    logError: (error) => log.error(stackOf(error)),
    ...description,
    notices,
    ...(services && { services: createServices(services, notices) }),
  })
}
