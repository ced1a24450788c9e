// What the inspector page shows: the state of the server under development, what it offers, its questions, the wire and
// its output. Sent by inspector.ts as events, read by the page, so it runs in a browser too. Types only.

import type { JsonObject } from '@scorpiox/mcp/json/json'

export type ServerStatus = 'starting' | 'ready' | 'failed'

/** Why the server is not ready. */
export interface ServerProblem {
  readonly message: string
  /** The last lines that this run wrote to stderr, such as the stack of a syntax error; '' if none. */
  readonly output: string
}

export interface ConnectedServer {
  readonly name: string
  readonly version: string
  /** The revision that the server chose. */
  readonly revision: string
  /** '' if there are none. */
  readonly instructions: string
  readonly capabilities: JsonObject
}

/** A request of the server that a person answers on the page. */
export interface ServerQuestion {
  readonly id: number
  /** `elicitation/create`, `sampling/createMessage` or any other. */
  readonly method: string
  readonly params: JsonObject
}

export interface InspectorState {
  /** The command line of the server. */
  readonly command: string
  /** Published revisions, newest first. */
  readonly revisions: readonly string[]
  /** The revision that is requested. */
  readonly revision: string
  readonly status: ServerStatus
  readonly problem: ServerProblem | undefined
  readonly server: ConnectedServer | undefined
  readonly questions: readonly ServerQuestion[]
  /** Counts the starts of the server. */
  readonly run: number
}

/** What the server lists. */
export interface ServerOffers {
  readonly tools: readonly JsonObject[]
  readonly resources: readonly JsonObject[]
  readonly templates: readonly JsonObject[]
  readonly prompts: readonly JsonObject[]
  /** Lists that the server failed to return, a sentence each. */
  readonly problems: readonly string[]
}

export type WireKind = 'request' | 'result' | 'error' | 'notification' | 'invalid'

/** One message in either direction. */
export interface WireEntry {
  readonly n: number
  /** Milliseconds since 1970. */
  readonly at: number
  readonly run: number
  readonly isSent: boolean
  readonly kind: WireKind
  /** Of a request or notification; for an answer that of its request; '' if unknown. */
  readonly method: string
  /** As JSON; '' for notifications. */
  readonly id: string
  /** Of an answer: milliseconds since its request. */
  readonly ms: number | undefined
  /** The message, cut if it is long. */
  readonly text: string
  /** Size of the whole message. */
  readonly bytes: number
}

/** A line of the server's stderr, or a note of the inspector about it. */
export interface OutputLine {
  readonly n: number
  readonly at: number
  readonly run: number
  readonly isNote: boolean
  readonly text: string
}

export type InspectorEvent =
  | { readonly type: 'state'; readonly state: InspectorState }
  | { readonly type: 'offers'; readonly offers: ServerOffers }
  | { readonly type: 'wire'; readonly entries: readonly WireEntry[] }
  | { readonly type: 'output'; readonly lines: readonly OutputLine[] }
  | {
      readonly type: 'progress'
      readonly callId: string
      readonly progress: number
      readonly total: number | undefined
      readonly message: string
    }
  | { readonly type: 'log'; readonly level: string; readonly text: string }

/** The answer to a request, in either direction. */
export type RpcOutcome = { readonly result: JsonObject } | { readonly error: RpcError }

export interface RpcError {
  readonly code: number
  readonly message: string
  readonly data?: unknown
}

/** The answer to a request of the page, with the milliseconds that the server took. */
export type TimedOutcome = RpcOutcome & { readonly ms: number }

/** A request of the page to the server under development. */
export interface InspectorRequest {
  /** Chosen by the page; progress and cancellation name it. */
  readonly callId: string
  readonly method: string
  readonly params: JsonObject
}
