// Keeps the tool calls of a server in memory, for the console: those that run, and the last ended ones of each user
// with a summary of their input, never full input or output. Bounded, because it is kept whether or not it is read. It
// is the only observer of calls: other parts read it or subscribe to it. Created by services.ts of the app; read by
// server-feed of the console, the history of calls and callbacks. In memory only.

import type { CallObserver, FinishedCall, StartedCall } from '../definitions/call-observer.js'
import type { Caller } from '../definitions/caller.js'
import { isJsonObject } from '../json/json.js'

const MAX_CALLS = 100
const MAX_USERS = 100
const MAX_SUMMARY = 120
/** Characters of the text of an error that are searched for its first line. */
const MAX_ERROR = 500

export interface CallSummary {
  /** Unique in this process. */
  readonly id: number
  readonly session: string
  /** Name and version of the client; empty if it sent none. */
  readonly client: string
  readonly tool: string
  /** Summary of the input. */
  readonly about: string
  readonly outcome: 'ok' | 'error' | 'cancelled' | 'running'
  readonly startedAt: number
  readonly ms: number
  /** First line of the result of a failed call. */
  readonly error: string | null
}

export interface CallEvent {
  readonly kind: 'start' | 'end' | 'disconnect'
  readonly caller: Caller
  /** With `end`. */
  readonly ended?: EndedCall
}

export interface EndedCall {
  readonly summary: CallSummary
  /** With the whole input and the answer, which may be large. */
  readonly call: FinishedCall
}

export interface CallLog extends CallObserver {
  /** Oldest first. Names and summaries are as the client sent them: they may contain line breaks and control codes. */
  forUser(user: string): readonly CallSummary[]
  /** Id of the call that started last. */
  readonly lastId: number
  /** A call that runs, with its whole input. */
  findRunning(user: string, id: number): { readonly summary: CallSummary; readonly input: unknown } | undefined
  /** Whether a call of this session runs. */
  readonly isBusy: (user: string, session: string) => boolean
  /** Calls the listener when a call has started or ended, and when a session has closed. Calls wait for it. */
  subscribe(listener: (event: CallEvent) => void): () => void
}

interface RunningCall {
  readonly caller: Caller
  readonly summary: CallSummary
}

export function createCallLog(): CallLog {
  const running = new Map<StartedCall, RunningCall>()
  const ended = new Map<string, CallSummary[]>()
  const listeners = new Set<(event: CallEvent) => void>()
  let lastId = 0

  return {
    onStart(caller, call) {
      // The name of an unknown tool may have any length.
      const tool = call.tool.length > MAX_SUMMARY ? summarize({ name: call.tool }) : call.tool
      const { name, version } = call.client
      const summary = {
        id: ++lastId,
        session: caller.session,
        client: version === '' ? name : `${name} ${version}`,
        tool,
        about: summarize(call.input),
        outcome: 'running',
        startedAt: Date.now(),
        ms: 0,
        error: null,
      } as const
      running.set(call, { caller, summary })
      for (const listener of listeners) listener({ kind: 'start', caller })
    },
    onEnd(caller, call, started) {
      const found = running.get(started)
      if (!found) return
      running.delete(started)
      const calls = ended.get(caller.user) ?? []
      // Reinserted, so that the user seen least recently is evicted first.
      ended.delete(caller.user)
      ended.set(caller.user, calls)
      const [oldest] = ended.keys()
      if (ended.size > MAX_USERS && oldest !== undefined) ended.delete(oldest)
      const { outcome, ms, answer = '' } = call
      const error = outcome === 'error' ? findErrorLine(answer) : null
      const summary = { ...found.summary, outcome, ms: Math.round(ms), error }
      calls.push(summary)
      if (calls.length > MAX_CALLS) calls.shift()
      for (const listener of listeners) listener({ kind: 'end', caller, ended: { summary, call } })
    },
    onDisconnect(caller) {
      for (const listener of listeners) listener({ kind: 'disconnect', caller })
    },
    forUser(user) {
      const now = [...running.values()].filter(({ caller }) => caller.user === user).map(({ summary }) => summary)
      return [...(ended.get(user) ?? []), ...now].slice(-MAX_CALLS)
    },
    get lastId() {
      return lastId
    },
    findRunning(user, id) {
      for (const [{ input }, { caller, summary }] of running)
        if (summary.id === id && caller.user === user) return { summary, input }
      return undefined
    },
    isBusy(user, session) {
      for (const { caller } of running.values()) if (caller.user === user && caller.session === session) return true
      return false
    },
    subscribe(listener) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
  }
}

/** Text and flags of the input, truncated. */
function summarize(input: unknown): string {
  if (!isJsonObject(input)) return ''
  let text = ''
  for (const name in input) {
    const value = input[name]
    if (typeof value === 'string') text += ` ${value.slice(0, MAX_SUMMARY)}`
    else if (typeof value === 'number' || typeof value === 'boolean') text += ` ${name}=${value}`
    if (text.length > MAX_SUMMARY) break
  }
  // Copied, because a substring keeps the whole string in memory.
  return Buffer.from(text.slice(0, 2 * MAX_SUMMARY)).toString()
}

/** In the texts of a result these would be escaped. */
const TEXT_BLOCK = '{"type":"text","text":"'
const MESSAGE = '"message":"'

/**
 * First line of the last text of the result, or of the message of an error: pending messages come before it. Reads the
 * JSON text of the answer only as far as needed.
 */
function findErrorLine(answer: string): string {
  const block = answer.lastIndexOf(TEXT_BLOCK)
  const message = answer.indexOf(MESSAGE)
  if (block < 0 && message < 0) return ''
  const start = block >= 0 ? block + TEXT_BLOCK.length : message + MESSAGE.length
  // Without an escape that is cut off at the end.
  const escaped = /^(?:[^"\\]|\\u[0-9a-f]{4}|\\[^u])*/i.exec(answer.slice(start, start + MAX_ERROR))?.[0] ?? ''
  const text = String(JSON.parse(`"${escaped}"`))
  return Buffer.from(firstLine(text).slice(0, 2 * MAX_SUMMARY)).toString()
}

function firstLine(text: string): string {
  return text.split('\n').find((line) => line.trim() !== '') ?? ''
}
