// The recent tool calls of each user, including running ones: tool, summary of the input, outcome and duration, never
// full input or output. Bounded, because it is kept whether or not a console is open.

import type { CallObserver, StartedCall } from '@scorpiox/mcp/definitions/call-observer'
import { isJsonObject } from '@scorpiox/mcp/json/json'
import { toSingleLine } from './text/single-line.js'

const MAX_CALLS = 100
const MAX_USERS = 100
const MAX_ABOUT = 120

export interface CallSummary {
  readonly tool: string
  /** Summary of the input. */
  readonly about: string
  readonly outcome: 'ok' | 'error' | 'cancelled' | 'running'
  readonly startedAt: number
  readonly ms: number
}

export interface RecentCalls extends CallObserver {
  /** Oldest first. */
  forUser(user: string): readonly CallSummary[]
  onChange(listener: (user: string) => void): () => void
}

interface RunningCall {
  readonly user: string
  readonly call: CallSummary
}

export function createRecentCalls(): RecentCalls {
  const ended = new Map<string, CallSummary[]>()
  const running = new Map<StartedCall, RunningCall>()
  const listeners = new Set<(user: string) => void>()
  const notify = (user: string): void => {
    for (const listener of listeners) listener(user)
  }

  return {
    onStart({ user }, call) {
      const tool = call.tool.length > MAX_ABOUT ? detachString(call.tool) : call.tool
      const about = summarizeInput(call.input)
      running.set(call, { user, call: { tool, about, outcome: 'running', startedAt: Date.now(), ms: 0 } })
      notify(user)
    },
    onEnd({ user }, { outcome, ms }, start) {
      const found = running.get(start)
      if (!found) return
      running.delete(start)
      const { tool, about, startedAt } = found.call
      const calls = ended.get(user) ?? []
      // Reinserted, so that the user seen least recently is evicted first.
      ended.delete(user)
      ended.set(user, calls)
      const [oldest] = ended.keys()
      if (ended.size > MAX_USERS && oldest !== undefined) ended.delete(oldest)
      calls.push({ tool, about, outcome, startedAt, ms: Math.round(ms) })
      if (calls.length > MAX_CALLS) calls.shift()
      notify(user)
    },
    onDisconnect: () => {},
    forUser(user) {
      const now = [...running.values()].filter((each) => each.user === user).map(({ call }) => call)
      return [...(ended.get(user) ?? []), ...now].slice(-MAX_CALLS).map(toSingleLines)
    },
    onChange(listener) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
  }
}

/** Done when read, because `callStarted` delays the call. */
function toSingleLines({ tool, about, outcome, startedAt, ms }: CallSummary): CallSummary {
  return { tool: toSingleLine(tool, MAX_ABOUT), about: toSingleLine(about, MAX_ABOUT), outcome, startedAt, ms }
}

/** Text and flags of the input, truncated. */
function summarizeInput(input: unknown): string {
  if (!isJsonObject(input)) return ''
  let text = ''
  for (const name in input) {
    const value = input[name]
    if (typeof value === 'string') text += ` ${value.slice(0, MAX_ABOUT)}`
    else if (typeof value === 'number' || typeof value === 'boolean') text += ` ${name}=${value}`
    if (text.length > MAX_ABOUT) break
  }
  return detachString(text)
}

/** Copies the text, because a substring keeps the whole string in memory. */
function detachString(text: string): string {
  return Buffer.from(text.slice(0, 2 * MAX_ABOUT)).toString()
}
