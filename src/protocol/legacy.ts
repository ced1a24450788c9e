// What a legacy conversation remembers: what `initialize` agreed on, how much log the client wants, and which resources
// it subscribed to. What changes is told through the outlet the conversation was given, if it was given one.

import { isObject, printJson, type JsonObject } from '../lib/json.js'
import type { PushedMessage } from '../services/notices.js'
import type { Who } from '../services/who.js'
import { abilitiesOf, CHANNEL, clientName, isLogLevel, wantsToHear, type Client, type Dialect } from './client.js'
import { isOffered } from './methods/offered.js'
import { initializeMembers } from './methods/lifecycle.js'
import { listChanged } from './methods/listen.js'
import { notificationText } from './message.js'
import type { Outlet } from './outlet.js'
import { INVALID_PARAMS, ProtocolError, RESOURCE_NOT_FOUND } from './protocol-error.js'
import { agreeOn, type LegacyRevision } from './revision.js'
import type { Server } from './server.js'
import { beginWatching } from './watching.js'

const MAX_SUBSCRIPTIONS = 1000

export interface LegacyOptions {
  /** Spoken until `initialize` agrees on another. */
  readonly revision: LegacyRevision
  /** Where messages go that belong to no request. */
  readonly outlet?: Outlet | undefined
  /** Spoken at 2024-11-05 only. */
  readonly dialect?: Dialect | undefined
}

export class Legacy {
  client: Client
  /** Whether `initialize` has been through. */
  agreed = false
  readonly #subscriptions = new Set<string>()
  #leave: (() => void) | undefined

  constructor(
    private readonly server: Server,
    private readonly peer: Who,
    private readonly options: LegacyOptions,
  ) {
    const { revision, dialect } = options
    this.client = { revision, name: '', capabilities: {}, logLevel: 'info', dialect }
  }

  /** The members of the answer to a method that changes the conversation; undefined: it is no such method. */
  answer(method: string, params: JsonObject): string | undefined {
    const change = this.#changeBy(method)
    return change && isOffered(this.server, method) ? change(params) : undefined
  }

  close(): void {
    this.#leave?.()
    this.#leave = undefined
  }

  #changeBy(method: string): ((params: JsonObject) => string) | undefined {
    switch (method) {
      case 'initialize':
        return (params) => this.#initialize(params)
      case 'logging/setLevel':
        return (params) => this.#setLevel(params)
      case 'resources/subscribe':
        return (params) => this.#subscribe(params)
      case 'resources/unsubscribe':
        return (params) => this.#unsubscribe(params)
      default:
        return undefined
    }
  }

  #initialize({ protocolVersion, capabilities, clientInfo }: JsonObject): string {
    if (protocolVersion !== undefined && typeof protocolVersion !== 'string') {
      throw new ProtocolError(INVALID_PARAMS, "Invalid params: 'protocolVersion' must be a string")
    }
    const revision = agreeOn(protocolVersion)
    const dialect = revision === '2024-11-05' ? this.options.dialect : undefined
    const name = clientName(clientInfo)
    this.client = { ...this.client, revision, name, capabilities: this.#declared(capabilities), dialect }
    this.agreed = true
    this.#listen()
    return initializeMembers(this.server, this.client)
  }

  /** Claude Code does not say whether its user switched the channel on; where they told us instead, it is as if it had. */
  #declared(given: unknown): JsonObject {
    const capabilities = isObject(given) ? given : {}
    if (this.server.channel !== 'all') return capabilities
    const experimental = isObject(capabilities.experimental) ? capabilities.experimental : {}
    return { ...capabilities, experimental: { ...experimental, [CHANNEL]: {} } }
  }

  #setLevel({ level }: JsonObject): string {
    if (!isLogLevel(level)) throw new ProtocolError(INVALID_PARAMS, "Invalid params: 'level' is not a log level")
    this.client = { ...this.client, logLevel: level }
    return ''
  }

  #subscribe(params: JsonObject): string {
    const uri = uriOf(params)
    if (!this.server.library.at(uri)) {
      throw new ProtocolError(RESOURCE_NOT_FOUND, `Resource not found: ${uri.slice(0, 500)}`, { uri })
    }
    if (this.#subscriptions.size >= MAX_SUBSCRIPTIONS && !this.#subscriptions.has(uri)) {
      throw new ProtocolError(INVALID_PARAMS, `There may be ${MAX_SUBSCRIPTIONS} subscriptions; end some of them first`)
    }
    this.#subscriptions.add(uri)
    beginWatching(this.server, uri, this.peer.user)
    return ''
  }

  // Also from what has gone meanwhile.
  #unsubscribe(params: JsonObject): string {
    this.#subscriptions.delete(uriOf(params))
    return ''
  }

  #listen(): void {
    const { outlet } = this.options
    if (this.#leave || !outlet) return
    const tell = (method: string, params = '{}'): void => {
      const text = notificationText(method, params)
      if (outlet.send) outlet.send(text)
      else outlet.notify(text)
    }
    const { changing, notices } = this.server
    this.#leave = notices.listen((notice) => {
      if (notice.kind === 'task') return
      if (notice.kind === 'message') return this.#pass(notice, tell)
      if (notice.kind !== 'resource') return changing[notice.kind] ? tell(listChanged(notice.kind)) : undefined
      const isOurs = notice.user === undefined || notice.user === this.peer.user
      if (!isOurs || !this.#subscriptions.has(notice.uri)) return
      tell('notifications/resources/updated', JSON.stringify({ uri: notice.uri }))
    })
  }

  /** A log says it to the person; only the channel reaches the model. */
  #pass(
    { user, session, content, meta, mayLeave, taken }: PushedMessage,
    tell: (method: string, params: string) => void,
  ): void {
    const { outlet } = this.options
    if (user !== this.peer.user || session !== this.peer.session || !outlet?.send) return
    if (this.server.logging && wantsToHear('notice', this.client.logLevel)) {
      tell('notifications/message', printJson({ level: 'notice', logger: 'scorpiox-code', data: content }))
    }
    // Where nobody can tell whether it was written, it may have been written to nobody.
    if (!outlet.written || this.server.channel === undefined || !abilitiesOf(this.client).push || !mayLeave()) return
    tell('notifications/claude/channel', printJson({ content, meta }))
    outlet.written(taken)
  }
}

function uriOf({ uri }: JsonObject): string {
  if (typeof uri === 'string') return uri
  throw new ProtocolError(INVALID_PARAMS, "Invalid params: 'uri' must be a string")
}
