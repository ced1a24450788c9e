// What a legacy session has negotiated, as data: read from a session, and restored in another process. A stored session
// saves it before the client gets the answer to a request that changes it. Used by http-session.ts. No I/O besides that
// store.

import type { AuthContext } from '../definitions/auth-context.js'
import { errorMessage, Failure, INTERNAL_ERROR, ProtocolError } from '../errors.js'
import type { JsonObject } from '../json/json.js'
import {
  ErrorAnswer,
  formatRpcError,
  type JsonRpcAnswer,
  type JsonRpcBatch,
  type JsonRpcMessage,
  type MessageSink,
  type PendingAnswer,
} from '../jsonrpc/message.js'
import { isLogLevel } from '../revisions/client-profile.js'
import { isLegacyRevision, type LegacyRevision } from '../revisions/revision.js'
import type { NegotiatedState } from '../session/negotiated-state.js'
import type { Session } from '../session/session.js'
import { watchResource } from '../session/subscriptions.js'

const STATEFUL_METHODS: ReadonlySet<string> = new Set([
  'initialize',
  'logging/setLevel',
  'resources/subscribe',
  'resources/unsubscribe',
])

export interface SessionFacts {
  readonly revision: LegacyRevision
  readonly clientName: string
  /** Missing in facts that an earlier version has stored. */
  readonly clientVersion?: string
  readonly capabilities: JsonObject
  readonly logLevel: string
  readonly subscriptions: readonly string[]
}

/** Undefined before `initialize`. */
export function readFacts({ client, isInitialized, subscriptions }: NegotiatedState): SessionFacts | undefined {
  const { revision, name, version, capabilities, logLevel = 'info' } = client
  if (!isInitialized || !isLegacyRevision(revision)) return undefined
  return {
    revision,
    clientName: name,
    clientVersion: version,
    capabilities,
    logLevel,
    subscriptions: [...subscriptions],
  }
}

/** Makes a new session the continuation of another. */
export function restoreFacts(state: NegotiatedState, facts: SessionFacts): void {
  const { revision, clientName, clientVersion = '', capabilities, logLevel, subscriptions } = facts
  const toolCallFormat = revision === '2024-11-05' ? state.options.toolCallFormat : undefined
  const level = isLogLevel(logLevel) ? logLevel : 'info'
  state.client = { revision, name: clientName, version: clientVersion, capabilities, logLevel: level, toolCallFormat }
  for (const uri of subscriptions) {
    state.subscriptions.add(uri)
    watchResource(state.server, uri, state.caller.user)
  }
  state.isInitialized = true
  state.forwardEvents()
}

/** Saves the facts of a session after each request that changes them, before it is answered. */
export class StoredClientSession implements Session {
  constructor(
    private readonly session: Session,
    private readonly save: (facts: SessionFacts) => Promise<void>,
  ) {}

  get server() {
    return this.session.server
  }
  get caller() {
    return this.session.caller
  }
  get negotiatedRevision() {
    return this.session.negotiatedRevision
  }
  get state() {
    return this.session.state
  }
  get isBusy() {
    return this.session.isBusy
  }
  get outgoingRequests() {
    return this.session.outgoingRequests
  }

  receive(message: JsonRpcMessage | JsonRpcBatch, sink: MessageSink, auth?: AuthContext<unknown>): PendingAnswer {
    const answer = this.session.receive(message, sink, auth)
    return changesFacts(message) ? this.#saveFirst(message, answer) : answer
  }

  async #saveFirst(message: JsonRpcMessage | JsonRpcBatch, pending: PendingAnswer): Promise<JsonRpcAnswer> {
    const answer = await pending
    const facts = readFacts(this.session.state)
    try {
      if (facts) await this.save(facts)
      return answer
    } catch (error) {
      // Of a batch, what was changed is stored with the next change.
      if (message.kind !== 'request') return answer
      const reason = error instanceof Failure ? error.message : `Not stored: ${errorMessage(error)}`
      return new ErrorAnswer(
        INTERNAL_ERROR,
        formatRpcError(message.id, new ProtocolError(INTERNAL_ERROR, reason)),
        false,
      )
    }
  }

  whenIdle(): Promise<void> {
    return this.session.whenIdle()
  }
  endSubscriptions(): void {
    this.session.endSubscriptions()
  }
  abort(reason: string): void {
    this.session.abort(reason)
  }
  answerUnfinished(): void {
    this.session.answerUnfinished()
  }
  disconnect(reason: string, isMoved?: boolean): void {
    this.session.disconnect(reason, isMoved)
  }
}

/** A batch may contain such a request. */
function changesFacts(message: JsonRpcMessage | JsonRpcBatch): boolean {
  return message.kind === 'batch' || (message.kind === 'request' && STATEFUL_METHODS.has(message.method))
}
