import type { Entry } from '../../services/callbacks/callbacks.js'
import { MAX_SLOTS } from '../../services/callbacks/slots.js'
import type { CallbackRow } from '../../store/state/callback-rows.js'

const MAX_LISTED_MESSAGE = 66
const MAX_CANCELLED_MESSAGE = 42

export interface Route {
  readonly delivery: 'channel' | 'result'
  readonly inbox: string | null
}

export function fieldsOf({ callback, msLeft }: Entry) {
  const { slot, message, delayMs, repeatsLeft, job, pattern } = callback
  return {
    callback_id: slot,
    message,
    fires_in_seconds: msLeft === Infinity ? null : toSeconds(msLeft),
    every_seconds: job === null ? delayMs / 1000 : null,
    repeats_left: repeatsLeft,
    task_id: job,
    pattern,
  }
}

export function scheduledWords({ callback }: Entry, route: Route): string {
  return `Callback scheduled: ${formatSchedule(callback)}\n${formatRoute(route, callback.slot)}`
}

export function listWords(entries: readonly Entry[]): string {
  if (entries.length === 0) return 'No active callbacks.'
  return [`Active callbacks (${entries.length}/${MAX_SLOTS}):`, ...entries.map(formatLine)].join('\n')
}

export function cancelledWords(cancelled: readonly CallbackRow[], slot: number | undefined): string {
  const [only] = cancelled
  if (slot !== undefined && only)
    return `Cancelled callback slot ${slot}: "${truncateMessage(only.message, MAX_CANCELLED_MESSAGE)}"`
  return `Cancelled ${cancelled.length} ${cancelled.length === 1 ? 'callback' : 'callbacks'}.`
}

function formatSchedule({ delayMs, repeatsLeft, job, pattern }: CallbackRow): string {
  if (job !== null)
    return `fires when ${formatEvent(job, pattern)}${pattern === null ? '' : formatRepeats(repeatsLeft)}.`
  const seconds = delayMs / 1000
  return repeatsLeft === 1 ? `fires once, in ${seconds}s.` : `fires every ${seconds}s${formatRepeats(repeatsLeft)}.`
}

function formatRepeats(repeatsLeft: number): string {
  if (repeatsLeft === 1) return ', once'
  return repeatsLeft < 0 ? ', repeats infinitely' : `, repeats ${repeatsLeft} times`
}

function formatEvent(job: number, pattern: string | null): string {
  return pattern === null
    ? `background task ${job} ends`
    : `background task ${job} prints a line that matches ${pattern}`
}

function formatRoute({ delivery, inbox }: Route, slot: number): string {
  const how =
    delivery === 'channel'
      ? 'it is pushed into this conversation (claude/channel)'
      : 'the message comes in front of the next result of any tool: this client takes no message while it is idle'
  const inboxNote = inbox === null ? '' : `; until then it is also in ${inbox}`
  return `Slot ${slot}. When it fires, ${how}${inboxNote}.`
}

function formatLine({ callback, msLeft }: Entry): string {
  const { slot, message, repeatsLeft, job, pattern } = callback
  const when = job === null ? `in ${formatCountdown(msLeft)}` : `when ${formatEvent(job, pattern)}`
  const left = repeatsLeft < 0 ? 'infinite' : `${repeatsLeft} left`
  return `  [${slot}] "${truncateMessage(message, MAX_LISTED_MESSAGE)}" - fires ${when} (${left})`
}

function formatCountdown(ms: number): string {
  const seconds = toSeconds(ms)
  return `${Math.floor(seconds / 60)}m${String(seconds % 60).padStart(2, '0')}s`
}

function toSeconds(ms: number): number {
  return Number.isFinite(ms) ? Math.max(Math.ceil(ms / 1000), 0) : 0
}

/** Collapses white space and truncates. */
function truncateMessage(message: string, max: number): string {
  const characters = Array.from(message.replaceAll(/\s+/g, ' ').trim())
  return characters.length <= max ? characters.join('') : `${characters.slice(0, max).join('')}...`
}
