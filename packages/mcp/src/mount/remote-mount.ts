// A mounted server outside of this process: a program over stdio, or a server over HTTP. It is started on first need,
// its lists are kept, and calls are forwarded to it. Whatever it does wrong becomes a sentence for the model and concerns
// no other server. Created by mounted-server.ts. Starts programs and opens connections through client/; sets timers.

import { ClientConnection } from '../client/client-connection.js'
import type { OpenTransport } from '../client/client-transport.js'
import {
  HttpStatusFailure,
  type HttpTransportOptions,
  openHttpTransport,
  SessionEnded,
} from '../client/http-transport.js'
import { createParameterHeaders } from '../client/modern-client.js'
import { TimeoutFailure } from '../client/pending-request.js'
import { openProgramTransport } from '../client/program-transport.js'
import { openSseTransport } from '../client/sse-transport.js'
import { settleWithin } from '../client/settle-within.js'
import type { CallContext, LogLevel } from '../definitions/call-context.js'
import type { ResourceDefinition } from '../definitions/resource.js'
import { errorMessage, Failure } from '../errors.js'
import type { JsonObject } from '../json/json.js'
import { MODERN_REVISION } from '../revisions/revision.js'
import { forwardQuestion } from './forward-question.js'
import { createMountFailure, MountConnector, MountFailure } from './mount-connector.js'
import {
  addNamePrefix,
  addUriPrefix,
  type DefinitionLists,
  type ListName,
  type Mount,
  type MountDeps,
  removeNamePrefix,
  removeUriPrefix,
} from './mount-lists.js'
import type { HttpMount, ProgramMount } from './mount-options.js'
import { hasCapability, NO_LISTS, readLists, type ServerLists } from './read-lists.js'
import { createDefinitions, createResource, type RequestForwarder } from './remote-definitions.js'
import { KeptCalls, RunningCall } from './running-call.js'

const DEFAULT_START_MS = 60_000
const DEFAULT_TIMEOUT_MS = 5 * 60_000
const DEFAULT_MAX_BYTES = 16 * 1024 * 1024
/** How long a list of the server waits for a mounted one that is being started. */
const LIST_WAIT_MS = 10_000
/** Lists are read again after this time, because not every server announces changes. */
const LIST_MAX_AGE_MS = 5 * 60_000
/** Between an announced change and reading the lists again. */
const RELOAD_PAUSE_MS = 200
const ALIVE_MS = 3000
const MAX_USERS = 100
const MAX_WATCHED = 1000

export class RemoteMount implements Mount, RequestForwarder {
  readonly prefix: string
  canComplete = false
  #entries: ServerLists = NO_LISTS
  #definitions: DefinitionLists = NO_LISTS_DEFINED
  #loading: Promise<void> | undefined
  #loadedAt = -Infinity
  #loadTimer: NodeJS.Timeout | undefined
  #isStale = false
  #wasTried = false
  #isClosed = false
  /** Why the lists could not be read. */
  #problem: string | undefined
  readonly #shared: MountConnector
  /** If the headers depend on the user. */
  readonly #byUser = new Map<string, MountConnector>()
  readonly #watched = new Set<string>()
  readonly #kept = new KeptCalls()

  constructor(
    private readonly options: ProgramMount | HttpMount,
    private readonly deps: MountDeps,
  ) {
    this.prefix = options.prefix
    checkAddress(options)
    this.#shared = this.#createConnector(undefined)
  }

  lists(): DefinitionLists {
    return this.#definitions
  }

  /** Only the first attempt is waited for; later ones bring changes by themselves. */
  refresh(): Promise<void> | undefined {
    const isFresh = !this.#isStale && performance.now() - this.#loadedAt < LIST_MAX_AGE_MS
    if (!this.#loading && !isFresh && this.#shared.canOpen) this.#load()
    if (this.#wasTried || !this.#loading) return undefined
    return settleWithin(LIST_WAIT_MS, this.#loading)
  }

  findResource(uri: string): ResourceDefinition | undefined {
    const inner = removeUriPrefix(this.prefix, uri)
    return inner === undefined ? undefined : createResource(inner, {}, this)
  }

  findProblem(toolName: string): string | undefined {
    if (removeNamePrefix(this.prefix, toolName) === undefined || this.#loadedAt !== -Infinity) return undefined
    if (this.#problem === undefined)
      return `The mounted server "${this.prefix}" is still being started. Call again in a moment.`
    const next = this.#loading ? 'It is tried again now: call again in a moment.' : 'A later call tries it again.'
    return `${this.#problem.replace(/[^.!?]$/, '$&.')} ${next}`
  }

  check(lists: Partial<DefinitionLists>): void {
    this.deps.checkLists(lists)
  }

  async forward(method: string, params: JsonObject, call: CallContext | undefined): Promise<JsonObject> {
    if (!call) return this.#send(method, params, undefined)
    const key = JSON.stringify([call.user, call.session, method, params])
    const running = this.#kept.take(key) ?? new RunningCall(call)
    try {
      return await running.run(call, () => this.#send(method, params, running.context))
    } finally {
      if (running.isWaiting) this.#kept.keep(key, running)
    }
  }

  async #send(method: string, params: JsonObject, call: CallContext | undefined): Promise<JsonObject> {
    const headers = method === 'tools/call' ? this.#parameterHeaders(params) : {}
    const connector = this.#connectorFor(call?.user)
    const timeoutMs = this.options.timeoutMs ?? DEFAULT_TIMEOUT_MS
    connector.uses++
    try {
      for (let isRepeated = false; ; isRepeated = true) {
        const connection = await connector.get()
        try {
          return await connection.request(method, params, { timeoutMs, call, headers })
        } catch (error) {
          if (error instanceof SessionEnded) connector.drop()
          if (error instanceof TimeoutFailure) void endIfHung(connection)
          if (!(error instanceof SessionEnded) || isRepeated) throw this.#explain(error)
        }
      }
    } finally {
      connector.uses--
    }
  }

  async watch(uri: string, user: string): Promise<void> {
    if (this.#watched.size < MAX_WATCHED) this.#watched.add(uri)
    const connection = await this.#connectorFor(user).get()
    await this.#subscribe(connection, uri)
  }

  async close(): Promise<void> {
    this.#isClosed = true
    this.#kept.cancelAll()
    clearTimeout(this.#loadTimer)
    await Promise.all([this.#shared, ...this.#byUser.values()].map((connector) => connector.close()))
  }

  /** Arguments that the schema of the tool wants repeated in headers. */
  #parameterHeaders({ name, arguments: args }: JsonObject): Readonly<Record<string, string>> {
    const parameters = this.deps.listHeaderParameters(addNamePrefix(this.prefix, String(name)))
    return createParameterHeaders(parameters, args)
  }

  #load(): void {
    this.#isStale = false
    this.#loading = this.#readLists()
      .catch((error: unknown) => {
        this.#problem = errorMessage(error)
        if (!this.#isClosed) this.deps.log(this.#problem)
      })
      .finally(() => {
        this.#loading = undefined
        this.#wasTried = true
        // A change was announced meanwhile.
        if (this.#isStale) this.#loadSoon()
      })
  }

  async #readLists(): Promise<void> {
    const connection = await this.#shared.get()
    try {
      const entries = await readLists(connection, this.options.startTimeoutMs ?? DEFAULT_START_MS)
      this.canComplete = hasCapability(connection, 'completions')
      this.#loadedAt = performance.now()
      this.#applyLists(entries)
    } catch (error) {
      if (error instanceof TimeoutFailure) void endIfHung(connection)
      throw this.#explain(error)
    }
  }

  #applyLists(entries: ServerLists): void {
    const isSame = (name: keyof ServerLists): boolean =>
      JSON.stringify(entries[name]) === JSON.stringify(this.#entries[name])
    const changed: ListName[] = (['tools', 'prompts'] as const).filter((name) => !isSame(name))
    if (!isSame('resources') || !isSame('templates')) changed.push('resources')
    this.#entries = entries
    if (changed.length === 0) return
    this.#definitions = createDefinitions(entries, this, (reason) =>
      this.deps.log(`the mounted server "${this.prefix}": left out: ${reason}`),
    )
    for (const list of changed) this.deps.onListChanged(list)
  }

  #connectorFor(user: string | undefined): MountConnector {
    const { options } = this
    if (user === undefined || !('url' in options) || typeof options.headers !== 'function') return this.#shared
    const known = this.#byUser.get(user) ?? this.#createConnector(user)
    // The least recently used is first.
    this.#byUser.delete(user)
    this.#byUser.set(user, known)
    if (this.#byUser.size > MAX_USERS) this.#closeUnused(known)
    return known
  }

  #closeUnused(kept: MountConnector): void {
    const unused = [...this.#byUser].filter(([, connector]) => connector !== kept && connector.uses === 0)
    for (const [user, connector] of unused.slice(0, this.#byUser.size - MAX_USERS)) {
      this.#byUser.delete(user)
      void connector.close()
    }
  }

  #createConnector(user: string | undefined): MountConnector {
    return new MountConnector(this.prefix, async (onEnd, signal) => {
      const connection = await this.#connect(user, onEnd, signal)
      for (const uri of this.#watched) void this.#subscribe(connection, uri)
      return connection
    })
  }

  async #connect(
    user: string | undefined,
    onEnd: (reason: string) => void,
    signal: AbortSignal,
  ): Promise<ClientConnection> {
    const connect = (transport: OpenTransport): Promise<ClientConnection> =>
      ClientConnection.open(transport, {
        clientInfo: this.deps.clientInfo,
        // What a call's client cannot do is refused when it is asked for.
        capabilities: { elicitation: { form: {}, url: {} }, sampling: {} },
        startTimeoutMs: this.options.startTimeoutMs ?? DEFAULT_START_MS,
        signal,
        onNotification: (method, params, call) => this.#onNotification(method, params, { call, user }),
        onRequest: (request, call) => forwardQuestion(this.prefix, request, call),
        onClose: onEnd,
      })
    if (!('url' in this.options)) return connect(this.#openProgram(this.options))
    const http = this.#httpOptions(this.options, user)
    try {
      return await connect(openHttpTransport(http))
    } catch (error) {
      if (!(error instanceof HttpStatusFailure) || ![400, 404, 405].includes(error.status)) throw error
      // A server of 2024-11-05 does not accept messages at this address.
      return connect(openSseTransport(http)).catch(() => {
        throw error
      })
    }
  }

  #httpOptions({ url, headers = {} }: HttpMount, user: string | undefined): HttpTransportOptions {
    const caller = user === undefined ? undefined : { user, session: `user:${user}` }
    return {
      url: new URL(url),
      headers: async () => {
        try {
          return typeof headers === 'function' ? await headers(caller) : headers
        } catch (error) {
          throw this.#explainHeaders(error)
        }
      },
      maxBytes: this.options.maxBytes ?? DEFAULT_MAX_BYTES,
    }
  }

  #openProgram({ command, args = [], env = {}, cwd, maxBytes = DEFAULT_MAX_BYTES }: ProgramMount): OpenTransport {
    const log = (line: string): void => this.deps.log(`${this.prefix}: ${line}`)
    return openProgramTransport({ command, args, env, cwd, maxBytes, log })
  }

  #onNotification(
    method: string,
    params: JsonObject,
    { call, user }: { readonly call: CallContext | undefined; readonly user: string | undefined },
  ): void {
    if (method === 'notifications/message') return forwardLog(params, call)
    if (method === 'notifications/resources/updated' && typeof params.uri === 'string')
      return this.deps.onResourceUpdated(addUriPrefix(this.prefix, params.uri), user)
    // The lists are those that the shared connection reads.
    if (user !== undefined || !/^notifications\/(tools|prompts|resources)\/list_changed$/.test(method)) return
    this.#isStale = true
    if (!this.#loading) this.#loadSoon()
  }

  /** A server may announce changes without end. */
  #loadSoon(): void {
    this.#loadTimer ??= setTimeout(() => {
      this.#loadTimer = undefined
      if (this.#isStale && !this.#loading && this.#shared.canOpen) this.#load()
    }, RELOAD_PAUSE_MS).unref()
  }

  /** A server that does not support it is read when a client asks. */
  async #subscribe(connection: ClientConnection, uri: string): Promise<void> {
    await connection.subscribe(uri, [...this.#watched], DEFAULT_START_MS).catch(() => {})
  }

  /** What the author does not throw as a Failure is not meant for the model. */
  #explainHeaders(error: unknown): Failure {
    if (error instanceof Failure) return new Failure(`cannot be called: ${error.message}`, { cause: error })
    this.deps.logError(error)
    return new Failure("cannot be called: its headers could not be determined; see the server's log")
  }

  #explain(error: unknown): unknown {
    if (!(error instanceof Failure) || error instanceof MountFailure) return error
    return createMountFailure(this.prefix, error)
  }
}

/** Mistakes show at the start, not in the first call. */
function checkAddress(options: ProgramMount | HttpMount): void {
  const { prefix } = options
  if ('url' in options) {
    if (/^https?:/i.test(options.url) && URL.canParse(options.url)) return
    throw new Error(`the url of the mounted server ${prefix} must begin with http:// or https://, not ${options.url}`)
  }
  if (!options.command) throw new Error(`the mounted server ${prefix} needs a command, a url or a server`)
}

const NO_LISTS_DEFINED: DefinitionLists = { tools: [], prompts: [], resources: [], templates: [] }

/** A server that answers nothing at all is ended, so that the next use starts it again. */
async function endIfHung(connection: ClientConnection): Promise<void> {
  const method = connection.revision === MODERN_REVISION ? 'server/discover' : 'ping'
  try {
    await connection.request(method, {}, { timeoutMs: ALIVE_MS })
  } catch (error) {
    if (error instanceof TimeoutFailure) await connection.close('answered nothing any more, so it was closed')
  }
}

function forwardLog({ level, data, logger }: JsonObject, call: CallContext | undefined): void {
  call?.log(isLogLevel(level) ? level : 'info', data, typeof logger === 'string' ? logger : undefined)
}

function isLogLevel(level: unknown): level is LogLevel {
  return /^(debug|info|notice|warning|error|critical|alert|emergency)$/.test(String(level))
}
