// State of a session of a legacy revision (one that starts with `initialize`): its result, the log level and the
// resource subscriptions. Handles the methods that change it, and forwards change events and pushed messages to the
// sink of the session, if there is one. Used by session.ts, and by session-facts.ts to store and restore it. In memory
// only.

import type { Caller } from '../definitions/caller.js'
import type { PushMessage } from '../definitions/change-events.js'
import { echo, INVALID_PARAMS, ProtocolError, RESOURCE_NOT_FOUND } from '../errors.js'
import { isJsonObject, type JsonObject, stringifyWellFormed } from '../json/json.js'
import { formatRpcNotification, type MessageSink } from '../jsonrpc/message.js'
import { formatInitializeResult } from '../methods/lifecycle.js'
import { isMethodSupported } from '../methods/method-table.js'
import {
  CHANNEL_EXTENSION,
  type ClientProfile,
  isLogLevel,
  isLogLevelEnabled,
  readClientAbilities,
  readClientName,
  type ToolCallFormat,
} from '../revisions/client-profile.js'
import { type LegacyRevision, negotiateRevision } from '../revisions/revision.js'
import type { McpServer } from '../server/mcp-server.js'
import { listChangedMethod, watchResource } from './subscriptions.js'

const MAX_SUBSCRIPTIONS = 1000
const MAX_SUBSCRIPTION_CHARACTERS = 65_536
/** Characters of the JSON text: a session keeps the capabilities. */
const MAX_CAPABILITIES = 8192

export interface NegotiatedStateOptions {
  /** The revision before `initialize`. */
  readonly revision: LegacyRevision
  /** Where messages outside of requests are sent. */
  readonly sink?: MessageSink | undefined
  /** Used at 2024-11-05 only. */
  readonly toolCallFormat?: ToolCallFormat | undefined
}

export class NegotiatedState {
  client: ClientProfile
  /** Whether `initialize` has completed. */
  isInitialized = false
  readonly subscriptions = new Set<string>()
  #unsubscribeEvents: (() => void) | undefined

  constructor(
    readonly server: McpServer,
    readonly caller: Caller,
    readonly options: NegotiatedStateOptions,
  ) {
    const { revision, toolCallFormat } = options
    this.client = { revision, name: '', version: '', capabilities: {}, logLevel: 'info', toolCallFormat }
  }

  /** Handles a method that changes the session state and returns the result's members; undefined for other methods. */
  handleStatefulMethod(method: string, params: JsonObject): string | undefined {
    switch (method) {
      case 'initialize':
        return this.#initialize(params)
      case 'logging/setLevel':
        return this.server.logging ? this.#setLevel(params) : undefined
      case 'resources/subscribe':
      case 'resources/unsubscribe':
        if (!isMethodSupported(this.server, method)) return undefined
        return method === 'resources/subscribe' ? this.#subscribe(params) : this.#unsubscribe(params)
      default:
        return undefined
    }
  }

  close(): void {
    this.#unsubscribeEvents?.()
    this.#unsubscribeEvents = undefined
  }

  #initialize({ protocolVersion, capabilities, clientInfo }: JsonObject): string {
    if (protocolVersion !== undefined && typeof protocolVersion !== 'string') {
      throw new ProtocolError(INVALID_PARAMS, "Invalid params: 'protocolVersion' must be a string")
    }
    const revision = negotiateRevision(protocolVersion)
    this.client = {
      ...this.client,
      revision,
      name: readClientName(clientInfo),
      version: readClientName(clientInfo, 'version'),
      capabilities: this.#addChannel(capabilities),
      toolCallFormat: revision === '2024-11-05' ? this.options.toolCallFormat : undefined,
    }
    this.isInitialized = true
    this.forwardEvents()
    return formatInitializeResult(this.server, this.client)
  }

  /**
   * Claude Code does not declare whether its user enabled the channel. With the setting `all` it is treated as
   * declared.
   */
  #addChannel(declared: unknown): JsonObject {
    const capabilities = isJsonObject(declared) ? declared : {}
    if (JSON.stringify(capabilities).length > MAX_CAPABILITIES) {
      throw new ProtocolError(INVALID_PARAMS, "Invalid params: 'capabilities' is larger than 8 KB")
    }
    if (this.server.channelPush !== 'all') return capabilities
    const experimental = isJsonObject(capabilities.experimental) ? capabilities.experimental : {}
    return { ...capabilities, experimental: { ...experimental, [CHANNEL_EXTENSION]: {} } }
  }

  #setLevel({ level }: JsonObject): string {
    if (!isLogLevel(level)) throw new ProtocolError(INVALID_PARAMS, "Invalid params: 'level' is not a log level")
    this.client = { ...this.client, logLevel: level }
    return ''
  }

  #subscribe(params: JsonObject): string {
    const uri = requireUri(params)
    if (!this.server.resourceRegistry.findByUri(uri)) {
      throw new ProtocolError(RESOURCE_NOT_FOUND, `Resource not found: ${echo(uri)}`, { uri })
    }
    const characters = [...this.subscriptions, uri].join('').length
    const isFull = this.subscriptions.size >= MAX_SUBSCRIPTIONS || characters > MAX_SUBSCRIPTION_CHARACTERS
    if (isFull && !this.subscriptions.has(uri)) {
      throw new ProtocolError(INVALID_PARAMS, `There may be ${MAX_SUBSCRIPTIONS} subscriptions; end some of them first`)
    }
    this.subscriptions.add(uri)
    watchResource(this.server, uri, this.caller.user)
    return ''
  }

  // Also for resources that no longer exist.
  #unsubscribe(params: JsonObject): string {
    this.subscriptions.delete(requireUri(params))
    return ''
  }

  /** Sends changes to the client from now on. */
  forwardEvents(): void {
    const { sink } = this.options
    if (this.#unsubscribeEvents || !sink) return
    const notify = (method: string, params = '{}'): void => {
      const text = formatRpcNotification(method, params)
      if (sink.send) sink.send(text)
      else sink.notify(text)
    }
    const { dynamicLists, changeEvents } = this.server
    this.#unsubscribeEvents = changeEvents.subscribe((event) => {
      if (event.kind === 'task') return
      if (event.kind === 'message') return this.#pushMessage(event, notify)
      if (event.kind !== 'resource') return dynamicLists[event.kind] ? notify(listChangedMethod(event.kind)) : undefined
      const isVisible = event.user === undefined || event.user === this.caller.user
      if (!isVisible || !this.subscriptions.has(event.uri)) return
      notify('notifications/resources/updated', JSON.stringify({ uri: event.uri }))
    })
  }

  /** Sends a message to the client. The log notification reaches the user; only the channel reaches the model. */
  #pushMessage(
    { user, session, content, meta, claim, onWritten }: PushMessage,
    notify: (method: string, params: string) => void,
  ): void {
    const { sink } = this.options
    if (user !== this.caller.user || session !== this.caller.session || !sink?.send) return
    if (this.server.logging && isLogLevelEnabled('notice', this.client.logLevel)) {
      notify('notifications/message', stringifyWellFormed({ level: 'notice', logger: 'scorpiox-code', data: content }))
    }
    // Without confirmation of the write the message could be lost unnoticed.
    if (!sink.onWritten || this.server.channelPush === undefined || !readClientAbilities(this.client).push || !claim())
      return
    notify('notifications/claude/channel', stringifyWellFormed({ content, meta }))
    sink.onWritten(onWritten)
  }
}

function requireUri({ uri }: JsonObject): string {
  if (typeof uri === 'string') return uri
  throw new ProtocolError(INVALID_PARAMS, "Invalid params: 'uri' must be a string")
}
