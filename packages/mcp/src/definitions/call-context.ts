// Types of the context of one call: the caller, and what a tool, resource or prompt can do besides returning a value.
// It is the same for every protocol revision. On legacy revisions a question is a request to the client; on the modern
// one the call ends, the client repeats it with the answers, and `run` starts from the top. So ask before you act.
// Implemented by request-context.ts; used by all tools, resources and prompts. Types only.

import type { FromSchema } from '../json-schema/infer-type.js'
import type { JsonObject } from '../json/json.js'
import type { AuthContext } from './auth-context.js'

/** What a tool, resource or prompt receives besides its input. A function that takes one takes it with any `Claims`. */
export interface CallContext<Claims = unknown> {
  /** The user who made the call. Stored data must be keyed by user. */
  readonly user: string
  /** The authentication of this request; undefined over stdio and without `http.auth`. */
  readonly auth?: AuthContext<Claims> | undefined
  /** The session: one stdio process, one legacy HTTP session, or one user on stateless HTTP. */
  readonly session: string
  /** The client's name from `clientInfo`, such as `claude-code`; empty if it sent none. */
  readonly client: string
  /** Aborted when the client cancels or disconnects, or when the server stops. */
  readonly signal: AbortSignal
  /** Whether the client requested progress for this call; otherwise `progress` does nothing. */
  readonly wantsProgress: boolean
  /** Reports progress. A value that is not greater than the last one is dropped. */
  readonly progress: (done: number, more?: { readonly total?: number; readonly message?: string }) => void
  /** Sends a log message to the client if its log level includes `level`. The model does not see it. */
  readonly log: (level: LogLevel, data: unknown, logger?: string) => void
  /** What this client supports. Asking for anything else throws a Failure. */
  readonly clientAbilities: ClientAbilities
  /** Asks the client and resolves when every question is answered. Keys are unique within the call. */
  readonly ask: <const Q extends ClientQuestions>(
    questions: Q,
    options?: AskOptions<ClientAnswers<Q>>,
  ) => Promise<ClientAnswers<Q>>
  /** Notifies clients that a list has changed. */
  readonly notifyListChanged: (list: ListName) => void
  /** Notifies this user's subscribed sessions that a resource has changed. */
  readonly notifyResourceUpdated: (uri: string) => void
  /** Continues the call as a task if the client supports it. Returns true once the task handle is stored durably. */
  readonly continueAsTask: (options?: TaskHandleOptions) => Promise<boolean>
  /** Calls the listener with whether the answer to this call was written to the client. */
  readonly onAnswerWritten: (listener: (written: boolean) => void) => void
  /** Closes the connection if the client can reconnect and resume the stream; otherwise does nothing. */
  readonly closeConnection: () => void
}

export const LOG_LEVELS = ['debug', 'info', 'notice', 'warning', 'error', 'critical', 'alert', 'emergency'] as const

/** Severity of a log message, from lowest to highest. */
export type LogLevel = (typeof LOG_LEVELS)[number]

export type ListName = 'tools' | 'resources' | 'prompts'

/** What a client declared that it supports. */
export interface ClientAbilities {
  readonly form: boolean
  readonly url: boolean
  readonly sample: boolean
  readonly roots: boolean
  readonly tasks: boolean
  /** The client shows views of MCP Apps. */
  readonly apps: boolean
  /** The client accepts messages outside of calls and shows them to its model. */
  readonly push: boolean
}

/** A question to the client: a form, a URL to visit, text from its model, or its root directories. */
export type ClientQuestion =
  | { readonly kind: 'form'; readonly message: string; readonly schema: JsonObject }
  | { readonly kind: 'url'; readonly message: string; readonly url: string }
  | SamplingRequest
  | { readonly kind: 'roots' }

/** A request to the client's model. The configured model is suggested unless `modelPreferences` is set. */
export interface SamplingRequest {
  readonly kind: 'sample'
  readonly messages: readonly SamplingMessage[]
  readonly maxTokens: number
  readonly systemPrompt?: string
  readonly temperature?: number
  readonly stopSequences?: readonly string[]
  readonly modelPreferences?: JsonObject
}

/** One message to the client's model. */
export interface SamplingMessage {
  readonly role: 'user' | 'assistant'
  /** A string stands for one text block. */
  readonly content: string | JsonObject
}

/** Questions by key. The answers have the same keys. */
export type ClientQuestions = Readonly<Record<string, ClientQuestion>>

/** The user's response to a form. A missing response is never treated as an answer. */
export type FormAnswer<Content> =
  | { readonly action: 'accept'; readonly content: Content }
  | { readonly action: 'decline' | 'cancel' }

/** The result of a sampling request. */
export interface SamplingResult {
  /** The text the model produced; '' if it produced none. */
  readonly text: string
  readonly role: 'user' | 'assistant'
  /** The content blocks as the client sent them. */
  readonly content: unknown
  readonly model: string
  readonly stopReason?: string
}

/** The root directories of the client. */
export interface RootsResult {
  readonly roots: readonly { readonly uri: string; readonly name?: string }[]
}

/** The answers, each under the key of its question. */
export type ClientAnswers<Q extends ClientQuestions> = { readonly [K in keyof Q]: ClientAnswer<Q[K]> }

export type ClientAnswer<Q extends ClientQuestion> = Q extends { readonly kind: 'form'; readonly schema: infer S }
  ? FormAnswer<FromSchema<S>>
  : Q extends { readonly kind: 'url' }
    ? { readonly action: 'accept' | 'decline' | 'cancel' }
    : Q extends { readonly kind: 'sample' }
      ? SamplingResult
      : RootsResult

/** Timeouts and callbacks of a question to the client. */
export interface AskOptions<A = JsonObject> {
  /** How long to wait for an answer. Default: ten minutes. */
  readonly timeoutMs?: number
  /** How long a modern client may take to repeat the call with the answer. Default: `timeoutMs`. */
  readonly resumeWithinMs?: number
  /** Throws a Failure, instead of asking again, if a modern client repeats the call without a usable answer. */
  readonly askOnce?: boolean
  /** Throws a Failure if the call would have to start again with the answer, as that of a modern client. */
  readonly whileRunning?: boolean
  /**
   * Receives the response time of each answer in milliseconds, where known, before `ask` resolves. A program answers
   * faster than a person.
   */
  onTiming?(afterMs: { readonly [K in keyof A]?: number }): void
  /** Receives answers of a legacy client that arrive after the timeout, while its connection is open. */
  onLateAnswer?(answers: Partial<A>): void
}

/** Options of a call that continues as a task. */
export interface TaskHandleOptions {
  /** How long the outcome is kept, counted from the start of the call. Default: one day; at most 30 days. */
  readonly ttlMs?: number
  /** The poll interval suggested to the client. */
  readonly pollMs?: number
  readonly message?: string
}
