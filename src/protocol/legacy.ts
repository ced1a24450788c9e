// State of a legacy session: the result of `initialize`, the log level and the resource subscriptions. Sends change
// notifications through the sink of the session, if there is one.

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
  /** The revision before `initialize`. */
  readonly revision: LegacyRevision
  /** Where messages outside of requests are sent. */
  readonly outlet?: Outlet | undefined
  /** Used at 2024-11-05 only. */
  readonly dialect?: Dialect | undefined
}

export class Legacy {
  client: Client
  /** Whether `initialize` has completed. */
  agreed = false
  readonly #subscriptions = new Set<string>()
  #unsubscribeEvents: (() => void) | undefined

  constructor(
    private readonly server: Server,
    private readonly caller: Who,
    private readonly options: LegacyOptions,
  ) {
    const { revision, dialect } = options
    this.client = { revision, name: '', capabilities: {}, logLevel: 'info', dialect }
  }

  /** Handles a method that changes the session state and returns the result's members; undefined for other methods. */
  answer(method: string, params: JsonObject): string | undefined {
    const handler = this.#findHandler(method)
    return handler && isOffered(this.server, method) ? handler(params) : undefined
  }

  close(): void {
    this.#unsubscribeEvents?.()
    this.#unsubscribeEvents = undefined
  }

  #findHandler(method: string): ((params: JsonObject) => string) | undefined {
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
    this.client = { ...this.client, revision, name, capabilities: this.#addChannel(capabilities), dialect }
    this.agreed = true
    this.#forwardEvents()
    return initializeMembers(this.server, this.client)
  }

  /**
   * Claude Code does not declare whether its user enabled the channel. With the setting `all` it is treated as
   * declared.
   */
  #addChannel(declared: unknown): JsonObject {
    const capabilities = isObject(declared) ? declared : {}
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
    const uri = requireUri(params)
    if (!this.server.library.at(uri)) {
      throw new ProtocolError(RESOURCE_NOT_FOUND, `Resource not found: ${uri.slice(0, 500)}`, { uri })
    }
    if (this.#subscriptions.size >= MAX_SUBSCRIPTIONS && !this.#subscriptions.has(uri)) {
      throw new ProtocolError(INVALID_PARAMS, `There may be ${MAX_SUBSCRIPTIONS} subscriptions; end some of them first`)
    }
    this.#subscriptions.add(uri)
    beginWatching(this.server, uri, this.caller.user)
    return ''
  }

  // Also for resources that no longer exist.
  #unsubscribe(params: JsonObject): string {
    this.#subscriptions.delete(requireUri(params))
    return ''
  }

  #forwardEvents(): void {
    const { outlet } = this.options
    if (this.#unsubscribeEvents || !outlet) return
    const notify = (method: string, params = '{}'): void => {
      const text = notificationText(method, params)
      if (outlet.send) outlet.send(text)
      else outlet.notify(text)
    }
    const { changing, notices } = this.server
    this.#unsubscribeEvents = notices.listen((event) => {
      if (event.kind === 'task') return
      if (event.kind === 'message') return this.#pushMessage(event, notify)
      if (event.kind !== 'resource') return changing[event.kind] ? notify(listChanged(event.kind)) : undefined
      const isVisible = event.user === undefined || event.user === this.caller.user
      if (!isVisible || !this.#subscriptions.has(event.uri)) return
      notify('notifications/resources/updated', JSON.stringify({ uri: event.uri }))
    })
  }

  /** Sends a message to the client. The log notification reaches the user; only the channel reaches the model. */
  #pushMessage(
    { user, session, content, meta, mayLeave, taken }: PushedMessage,
    notify: (method: string, params: string) => void,
  ): void {
    const { outlet } = this.options
    if (user !== this.caller.user || session !== this.caller.session || !outlet?.send) return
    if (this.server.logging && wantsToHear('notice', this.client.logLevel)) {
      notify('notifications/message', printJson({ level: 'notice', logger: 'scorpiox-code', data: content }))
    }
    // Without confirmation of the write the message could be lost unnoticed.
    if (!outlet.written || this.server.channel === undefined || !abilitiesOf(this.client).push || !mayLeave()) return
    notify('notifications/claude/channel', printJson({ content, meta }))
    outlet.written(taken)
  }
}

function requireUri({ uri }: JsonObject): string {
  if (typeof uri === 'string') return uri
  throw new ProtocolError(INVALID_PARAMS, "Invalid params: 'uri' must be a string")
}
