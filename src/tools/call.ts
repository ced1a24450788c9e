// What is handed down into one call, the same in every era: who calls, and the ways up. On legacy revisions a question
// is a request to the client; on the modern one the call ends, the client brings the answers, and `run` starts again
// from the top with them. So: ask before you act.

import type { JsonObject } from '../lib/json.js'
import type { FromSchema } from '../lib/json-schema/type.js'

/** What a tool, a resource or a prompt is handed besides its input: who calls, and all it can do besides returning. */
export interface Call {
  /** Whose call it is. Everything that is kept must be kept by user. */
  readonly user: string
  /** The conversation it belongs to: one stdio process, one legacy HTTP session, one user on stateless HTTP. */
  readonly session: string
  /** The client's name as it gave it, such as `claude-code`; empty where it gave none. */
  readonly client: string
  /** Aborted when the client cancels, goes away, or the server stops. */
  readonly signal: AbortSignal
  /** Whether the client asked for progress on this call; without it `progress` does nothing. */
  readonly wantsProgress: boolean
  /** Reports progress; a value that is not greater than the last one is dropped. */
  readonly progress: (done: number, more?: { readonly total?: number; readonly message?: string }) => void
  /** Tells the client's log, if it wants to hear of this level. A model does not see it. */
  readonly log: (level: LogLevel, data: unknown, logger?: string) => void
  /** What this client can be asked. Asking for anything else is a failure. */
  readonly can: Abilities
  /** Asks the client; resolves when every question has its answer. Keys are unique within the call. */
  readonly ask: <const Q extends Questions>(questions: Q, options?: AskOptions<Answers<Q>>) => Promise<Answers<Q>>
  /** Says that a list has changed, to every client that wants to know. */
  readonly changed: (list: ListName) => void
  /** Says that a resource of this user has changed, to those who subscribed to it. */
  readonly updated: (uri: string) => void
  /** Lets the call outlive its answer where the client can take that: true once a handle for it is durable. */
  readonly defer: (options?: DeferOptions) => Promise<boolean>
  /** Tells whether the answer to this call was written to the client. */
  readonly whenWritten: (listener: (written: boolean) => void) => void
  /** Ends the connection of a client that streams and can come back for the rest; others notice nothing. */
  readonly hangUp: () => void
}

export const LOG_LEVELS = ['debug', 'info', 'notice', 'warning', 'error', 'critical', 'alert', 'emergency'] as const

/** How grave a log message is, the least grave first. */
export type LogLevel = (typeof LOG_LEVELS)[number]

export type ListName = 'tools' | 'resources' | 'prompts'

/** What a client declared that it can be asked, or told. */
export interface Abilities {
  readonly form: boolean
  readonly url: boolean
  readonly sample: boolean
  readonly roots: boolean
  readonly defer: boolean
  /** It takes messages that belong to no call, and shows them to its model. */
  readonly push: boolean
}

/** What a client can be asked: a form, a visit to a page, words of its model, the folders it works in. */
export type Question =
  | { readonly kind: 'form'; readonly message: string; readonly schema: JsonObject }
  | { readonly kind: 'url'; readonly message: string; readonly url: string }
  | SampleQuestion
  | { readonly kind: 'roots' }

/** Asks the client's model. The configured model is suggested unless `modelPreferences` says otherwise. */
export interface SampleQuestion {
  readonly kind: 'sample'
  readonly messages: readonly SampleMessage[]
  readonly maxTokens: number
  readonly systemPrompt?: string
  readonly temperature?: number
  readonly stopSequences?: readonly string[]
  readonly modelPreferences?: JsonObject
}

/** One message to the client's model. */
export interface SampleMessage {
  readonly role: 'user' | 'assistant'
  /** A string is a block of text. */
  readonly content: string | JsonObject
}

/** Questions by keys of your own, which are also those of the answers. */
export type Questions = Readonly<Record<string, Question>>

/** What a person said to a form; silence is never an answer. */
export type Said<Content> =
  | { readonly action: 'accept'; readonly content: Content }
  | { readonly action: 'decline' | 'cancel' }

/** What the client's model wrote. */
export interface Sampled {
  /** What the model wrote; '' where it gave no text. */
  readonly text: string
  readonly role: 'user' | 'assistant'
  /** The blocks as the client sent them. */
  readonly content: unknown
  readonly model: string
  readonly stopReason?: string
}

/** The folders a client works in. */
export interface Roots {
  readonly roots: readonly { readonly uri: string; readonly name?: string }[]
}

/** The answers to questions, each under the key of its question. */
export type Answers<Q extends Questions> = { readonly [K in keyof Q]: AnswerTo<Q[K]> }

export type AnswerTo<Q extends Question> = Q extends { readonly kind: 'form'; readonly schema: infer S }
  ? Said<FromSchema<S>>
  : Q extends { readonly kind: 'url' }
    ? { readonly action: 'accept' | 'decline' | 'cancel' }
    : Q extends { readonly kind: 'sample' }
      ? Sampled
      : Roots

/** How long to wait for answers, and what if they come late. */
export interface AskOptions<A = JsonObject> {
  /** How long an answer is waited for. Ten minutes unless told. */
  readonly timeoutMs?: number
  /** How long a modern client, for which nobody waits, may take to bring it. As long as `timeoutMs` unless told. */
  readonly returnMs?: number
  /** A modern client that comes back without a usable answer is not asked again; that is a Failure. */
  readonly once?: boolean
  /** Told, before the answers are given, the milliseconds each took, where known: a program answers faster than a person. */
  timing?(afterMs: { readonly [K in keyof A]?: number }): void
  /** Told of what a legacy client answers when the time is up, as long as its connection lasts. */
  late?(answers: Partial<A>): void
}

/** How a call that outlives its answer is kept. */
export interface DeferOptions {
  /** How long the outcome is kept after the call was made. One day unless told. */
  readonly ttlMs?: number
  /** How often the client should ask. */
  readonly pollMs?: number
  readonly message?: string
}
