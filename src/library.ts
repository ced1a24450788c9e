// The public door for people who write their own server: define what it offers, serve it.

import { createLog, stackOf } from './platform/log.js'
import { loadPlain } from './protocol/schema-check.js'
import { createServer, type Server, type ServerDescription } from './protocol/server.js'
import { createNotices } from './services/notices.js'
import { createServices, type Openers } from './services/services.js'
import type { HttpOptions, HttpServing } from './transport/http/serving.js'
import type { TicketStore } from './store/ticket-store.js'
import { serveStdio } from './transport/stdio.js'

export { Failure } from './lib/failure.js'
export { definePrompt, promptsOver } from './tools/prompt.js'
export { defineResource, defineTemplate, resourcesOver, templatesOver } from './tools/resource.js'
export { defineSkill, skillsOver } from './tools/skill.js'
export { defineTool, toolsOver } from './tools/tool.js'
export type { Mail, Parcel } from './services/mail.js'
export type { Notices } from './services/notices.js'
export type { ObservedCall, Observer } from './services/observer.js'
export type { TicketRecord, TicketStore } from './store/ticket-store.js'
export type { Answers, Call, Question, Questions, Said } from './tools/call.js'
export type { Complete, Prompt, PromptMessage } from './tools/prompt.js'
export type { Content, Resource, ResourcePart, ResourceTemplate } from './tools/resource.js'
export type { Skill, SkillFile } from './tools/skill.js'
export type { StandardSchema } from './tools/standard-schema.js'
export type { Block, Hints, Schema, Tool, Words } from './tools/tool.js'
export type { HttpOptions, HttpServing } from './transport/http/serving.js'

export interface ServeOptions<S extends object = object> extends Omit<ServerDescription, 'services' | 'notices'> {
  /** What tools name in `needs`, each opened by the first call that needs it. */
  readonly services?: Openers<S>
}

/** Serves over stdio until the client goes away, then ends the process. */
export async function serve<S extends object>(options: ServeOptions<S>): Promise<never> {
  // Beforehand, so that no call has to wait for it.
  await loadPlain()
  await serveStdio(assemble(options))
  process.exit(0)
}

/** Serves over HTTP until it is closed. */
export async function serveHttp<S extends object>(
  options: ServeOptions<S> & { readonly http?: HttpOptions },
): Promise<HttpServing> {
  const { openHttp } = await import('./transport/http/serving.js')
  return openHttp(assemble(options), options.http)
}

/** Where calls that outlive their answer also outlive the process; for `tickets`. */
export async function openTicketFiles(folder: string): Promise<TicketStore> {
  const files = await import('./store/ticket-files.js')
  return files.openTicketFiles(folder)
}

function assemble<S extends object>({ services, ...description }: ServeOptions<S>): Server {
  const log = createLog(description.name, 'info')
  const notices = createNotices()
  return createServer({
    logging: true,
    logError: (error) => log.error(stackOf(error)),
    ...description,
    notices,
    ...(services && { services: createServices(services, notices) }),
  })
}
