// What a legacy conversation remembers: what `initialize` agreed on, how much log the client wants, and which resources
// it subscribed to. What changes is told through the outlet the conversation was given, if it was given one.

import { isObject, type JsonObject } from '../lib/json.js'
import { isLogLevel, type Client } from './client.js'
import type { Outlet, Peer } from './exchange.js'
import { initializeMembers } from './methods/lifecycle.js'
import { listChanged } from './methods/listen.js'
import { notificationText } from './message.js'
import { INVALID_PARAMS, METHOD_NOT_FOUND, ProtocolError, RESOURCE_NOT_FOUND } from './protocol-error.js'
import { agreeOn, type LegacyRevision } from './revision.js'
import type { Server } from './server.js'

const MAX_SUBSCRIPTIONS = 1000

export interface LegacyOptions {
  /** Spoken until `initialize` agrees on another. */
  readonly revision: LegacyRevision
  /** Where messages go that belong to no request. */
  readonly outlet?: Outlet | undefined
  readonly jsonText?: boolean | undefined
}

export class Legacy {
  client: Client
  /** Whether `initialize` has been through. */
  agreed = false
  readonly #subscriptions = new Set<string>()
  #leave: (() => void) | undefined

  constructor(
    private readonly server: Server,
    private readonly peer: Peer,
    private readonly options: LegacyOptions,
  ) {
    const { revision, jsonText = false } = options
    this.client = { revision, capabilities: {}, logLevel: 'info', jsonText }
  }

  /** The members of the answer to a method that changes the conversation; undefined: it is no such method. */
  answer(method: string, params: JsonObject): string | undefined {
    switch (method) {
      case 'initialize':
        return this.#initialize(params)
      case 'logging/setLevel':
        return this.#setLevel(params)
      case 'resources/subscribe':
        return this.#subscribe(params)
      case 'resources/unsubscribe':
        return this.#unsubscribe(params)
      default:
        return undefined
    }
  }

  close(): void {
    this.#leave?.()
    this.#leave = undefined
  }

  #initialize({ protocolVersion, capabilities }: JsonObject): string {
    if (protocolVersion !== undefined && typeof protocolVersion !== 'string') {
      throw new ProtocolError(INVALID_PARAMS, "Invalid params: 'protocolVersion' must be a string")
    }
    const revision = agreeOn(protocolVersion)
    const jsonText = this.options.jsonText === true && revision === '2024-11-05'
    this.client = { ...this.client, revision, capabilities: isObject(capabilities) ? capabilities : {}, jsonText }
    this.agreed = true
    this.#listen()
    return initializeMembers(this.server, revision)
  }

  #setLevel({ level }: JsonObject): string {
    if (!this.server.logging) throw new ProtocolError(METHOD_NOT_FOUND, 'Method not found: logging/setLevel')
    if (!isLogLevel(level)) throw new ProtocolError(INVALID_PARAMS, "Invalid params: 'level' is not a log level")
    this.client = { ...this.client, logLevel: level }
    return ''
  }

  #subscribe(params: JsonObject): string {
    const uri = this.#knownUri(params)
    if (this.#subscriptions.size >= MAX_SUBSCRIPTIONS) {
      throw new ProtocolError(INVALID_PARAMS, `There may be ${MAX_SUBSCRIPTIONS} subscriptions; end some of them first`)
    }
    this.#subscriptions.add(uri)
    return ''
  }

  #unsubscribe(params: JsonObject): string {
    this.#subscriptions.delete(this.#knownUri(params))
    return ''
  }

  #knownUri({ uri }: JsonObject): string {
    if (typeof uri !== 'string') throw new ProtocolError(INVALID_PARAMS, "Invalid params: 'uri' must be a string")
    if (this.server.library.at(uri)) return uri
    throw new ProtocolError(RESOURCE_NOT_FOUND, `Resource not found: ${uri.slice(0, 500)}`, { uri })
  }

  #listen(): void {
    const { outlet } = this.options
    if (this.#leave || !outlet) return
    const tell = (method: string, params = '{}'): void =>
      (outlet.send ?? outlet.notify)(notificationText(method, params))
    this.#leave = this.server.notices.listen((notice) => {
      if (notice.kind === 'ticket') return
      if (notice.kind !== 'resource') return tell(listChanged(notice.kind))
      const isOurs = notice.user === undefined || notice.user === this.peer.user
      if (!isOurs || !this.#subscriptions.has(notice.uri)) return
      tell('notifications/resources/updated', JSON.stringify({ uri: notice.uri }))
    })
  }
}
