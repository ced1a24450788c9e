import type { Entry } from '../../services/callbacks/callbacks.js'
import { MAX_SLOTS } from '../../services/callbacks/slots.js'
import type { CallbackRow } from '../../store/state/callback-rows.js'

const LISTED = 66
const CANCELLED = 42

export interface Route {
  readonly delivery: 'channel' | 'result'
  readonly inbox: string | null
}

export function fieldsOf({ callback, msLeft }: Entry) {
  const { slot, message, delayMs, repeatsLeft, job, pattern } = callback
  return {
    callback_id: slot,
    message,
    fires_in_seconds: msLeft === Infinity ? null : secondsOf(msLeft),
    every_seconds: job === null ? delayMs / 1000 : null,
    repeats_left: repeatsLeft,
    task_id: job,
    pattern,
  }
}

export function scheduledWords({ callback }: Entry, route: Route): string {
  return `Callback scheduled: ${whenWords(callback)}\n${routeWords(route, callback.slot)}`
}

export function listWords(entries: readonly Entry[]): string {
  if (entries.length === 0) return 'No active callbacks.'
  return [`Active callbacks (${entries.length}/${MAX_SLOTS}):`, ...entries.map(lineOf)].join('\n')
}

export function cancelledWords(cancelled: readonly CallbackRow[], slot: number | undefined): string {
  const [only] = cancelled
  if (slot !== undefined && only) return `Cancelled callback slot ${slot}: "${preview(only.message, CANCELLED)}"`
  return `Cancelled ${cancelled.length} ${cancelled.length === 1 ? 'callback' : 'callbacks'}.`
}

function whenWords({ delayMs, repeatsLeft, job, pattern }: CallbackRow): string {
  if (job !== null) return `fires when ${eventWords(job, pattern)}${pattern === null ? '' : timesWords(repeatsLeft)}.`
  const seconds = delayMs / 1000
  return repeatsLeft === 1 ? `fires once, in ${seconds}s.` : `fires every ${seconds}s${timesWords(repeatsLeft)}.`
}

function timesWords(repeatsLeft: number): string {
  if (repeatsLeft === 1) return ', once'
  return repeatsLeft < 0 ? ', repeats infinitely' : `, repeats ${repeatsLeft} times`
}

function eventWords(job: number, pattern: string | null): string {
  return pattern === null
    ? `background task ${job} ends`
    : `background task ${job} prints a line that matches ${pattern}`
}

function routeWords({ delivery, inbox }: Route, slot: number): string {
  const how =
    delivery === 'channel'
      ? 'it is pushed into this conversation (claude/channel)'
      : 'the message comes in front of the next result of any tool: this client takes no message while it is idle'
  const besides = inbox === null ? '' : `; until then it is also in ${inbox}`
  return `Slot ${slot}. When it fires, ${how}${besides}.`
}

function lineOf({ callback, msLeft }: Entry): string {
  const { slot, message, repeatsLeft, job, pattern } = callback
  const when = job === null ? `in ${countdown(msLeft)}` : `when ${eventWords(job, pattern)}`
  const left = repeatsLeft < 0 ? 'infinite' : `${repeatsLeft} left`
  return `  [${slot}] "${preview(message, LISTED)}" - fires ${when} (${left})`
}

function countdown(ms: number): string {
  const seconds = secondsOf(ms)
  return `${Math.floor(seconds / 60)}m${String(seconds % 60).padStart(2, '0')}s`
}

function secondsOf(ms: number): number {
  return Number.isFinite(ms) ? Math.max(Math.ceil(ms / 1000), 0) : 0
}

/** Collapses white space and truncates. */
function preview(message: string, most: number): string {
  const characters = Array.from(message.replaceAll(/\s+/g, ' ').trim())
  return characters.length <= most ? characters.join('') : `${characters.slice(0, most).join('')}...`
}
