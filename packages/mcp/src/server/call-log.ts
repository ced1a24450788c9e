// Keeps the tool calls of a server in memory, for the console: those that run, and the last ended ones of each user
// with a summary of their input, never full input or output. Bounded, because it is kept whether or not it is read. It
// is the only observer of calls: other parts read it or subscribe to it. Created by services.ts of the app; read by
// server-feed of the console and by callbacks. In memory only.

import type { CallObserver, StartedCall } from '../definitions/call-observer.js'
import type { Caller } from '../definitions/caller.js'
import { isJsonObject } from '../json/json.js'

const MAX_CALLS = 100
const MAX_USERS = 100
const MAX_SUMMARY = 120

export interface CallSummary {
  readonly tool: string
  /** Summary of the input. */
  readonly about: string
  readonly outcome: 'ok' | 'error' | 'cancelled' | 'running'
  readonly startedAt: number
  readonly ms: number
}

export interface CallEvent {
  readonly kind: 'start' | 'end' | 'disconnect'
  readonly caller: Caller
}

export interface CallLog extends CallObserver {
  /** Oldest first. Names and summaries are as the client sent them: they may contain line breaks and control codes. */
  forUser(user: string): readonly CallSummary[]
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

  return {
    onStart(caller, call) {
      // The name of an unknown tool may have any length.
      const tool = call.tool.length > MAX_SUMMARY ? summarize({ name: call.tool }) : call.tool
      const about = summarize(call.input)
      running.set(call, { caller, summary: { tool, about, outcome: 'running', startedAt: Date.now(), ms: 0 } })
      for (const listener of listeners) listener({ kind: 'start', caller })
    },
    onEnd(caller, { outcome, ms }, call) {
      const found = running.get(call)
      if (!found) return
      running.delete(call)
      const { tool, about, startedAt } = found.summary
      const calls = ended.get(caller.user) ?? []
      // Reinserted, so that the user seen least recently is evicted first.
      ended.delete(caller.user)
      ended.set(caller.user, calls)
      const [oldest] = ended.keys()
      if (ended.size > MAX_USERS && oldest !== undefined) ended.delete(oldest)
      calls.push({ tool, about, outcome, startedAt, ms: Math.round(ms) })
      if (calls.length > MAX_CALLS) calls.shift()
      for (const listener of listeners) listener({ kind: 'end', caller })
    },
    onDisconnect(caller) {
      for (const listener of listeners) listener({ kind: 'disconnect', caller })
    },
    forUser(user) {
      const now = [...running.values()].filter(({ caller }) => caller.user === user).map(({ summary }) => summary)
      return [...(ended.get(user) ?? []), ...now].slice(-MAX_CALLS)
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
