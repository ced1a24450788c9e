// Runs SetCallback and formats its results. Loaded by the first call. The documented sentences stay word for word.

import type { CallContext } from '@scorpiox/mcp/definitions/call-context'
import { Failure } from '@scorpiox/mcp/errors'
import type { CallbackService, ScheduledCallback } from './callback-service.js'
import { MAX_CALLBACK_SLOTS } from './callback-slots.js'
import type { CallbackRow } from './callback-table.js'
import type { SetCallbackInput } from './parse-callback.js'

export interface SetCallbackResult {
  readonly action: 'set' | 'list' | 'cancel'
  readonly callback_id: number | null
  readonly delivery: DeliveryRoute['delivery'] | null
  readonly inbox: string | null
  readonly cancelled: number
  readonly callbacks: readonly ReturnType<typeof toCallbackFields>[]
  readonly text: string
}

interface SetCallbackAction {
  readonly action: string
  readonly slot: number | undefined
  readonly input: SetCallbackInput
}

export function runSetCallback(
  { action, slot, input }: SetCallbackAction,
  callbacks: CallbackService,
  call: CallContext,
): Promise<SetCallbackResult> {
  switch (action.trim().toLowerCase()) {
    case 'set':
      return set(callbacks, input, call)
    case 'list':
      return list(callbacks, call)
    case 'cancel':
      return cancel(callbacks, slot, call)
    default:
      throw new Failure(`Error: unknown action ${JSON.stringify(action.slice(0, 40))}. Valid: set, list, cancel.`)
  }
}

const NOTHING = { callback_id: null, delivery: null, inbox: null, cancelled: 0, callbacks: [] } as const

async function set(
  callbacks: CallbackService,
  given: SetCallbackInput,
  { user, session, clientAbilities }: CallContext,
): Promise<SetCallbackResult> {
  const caller = { user, session }
  const entry = await callbacks.set(caller, given)
  const route: DeliveryRoute = {
    delivery: clientAbilities.push ? 'channel' : 'result',
    inbox: callbacks.inboxPathOf(caller) ?? null,
  }
  const callback_id = entry.callback.slot
  return {
    ...NOTHING,
    ...route,
    action: 'set',
    callback_id,
    callbacks: [toCallbackFields(entry)],
    text: formatScheduled(entry, route),
  }
}

async function list(callbacks: CallbackService, { user, session }: CallContext): Promise<SetCallbackResult> {
  const entries = await callbacks.list({ user, session })
  return { ...NOTHING, action: 'list', callbacks: entries.map(toCallbackFields), text: formatCallbackList(entries) }
}

async function cancel(
  callbacks: CallbackService,
  slot: number | undefined,
  { user, session }: CallContext,
): Promise<SetCallbackResult> {
  const cancelled = await callbacks.cancel({ user, session }, slot)
  const text = formatCancelled(cancelled, slot)
  return { ...NOTHING, action: 'cancel', callback_id: slot ?? null, cancelled: cancelled.length, text }
}

const MAX_LISTED_MESSAGE = 66
const MAX_CANCELLED_MESSAGE = 42

export interface DeliveryRoute {
  readonly delivery: 'channel' | 'result'
  readonly inbox: string | null
}

export function toCallbackFields({ callback, msUntilFire }: ScheduledCallback) {
  const { slot, message, delayMs, repeatsLeft, job, pattern } = callback
  return {
    callback_id: slot,
    message,
    fires_in_seconds: msUntilFire === Infinity ? null : toSeconds(msUntilFire),
    every_seconds: job === null ? delayMs / 1000 : null,
    repeats_left: repeatsLeft,
    task_id: job,
    pattern,
  }
}

function formatScheduled({ callback }: ScheduledCallback, route: DeliveryRoute): string {
  return `Callback scheduled: ${formatSchedule(callback)}\n${formatRoute(route, callback.slot)}`
}

export function formatCallbackList(entries: readonly ScheduledCallback[]): string {
  if (entries.length === 0) return 'No active callbacks.'
  return [`Active callbacks (${entries.length}/${MAX_CALLBACK_SLOTS}):`, ...entries.map(formatLine)].join('\n')
}

function formatCancelled(cancelled: readonly CallbackRow[], slot: number | undefined): string {
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

function formatRoute({ delivery, inbox }: DeliveryRoute, slot: number): string {
  const how =
    delivery === 'channel'
      ? 'it is pushed into this conversation (claude/channel)'
      : 'the message comes in front of the next result of any tool: this client takes no message while it is idle'
  const inboxNote = inbox === null ? '' : `; until then it is also in ${inbox}`
  return `Slot ${slot}. When it fires, ${how}${inboxNote}.`
}

function formatLine({ callback, msUntilFire }: ScheduledCallback): string {
  const { slot, message, repeatsLeft, job, pattern } = callback
  const when = job === null ? `in ${formatCountdown(msUntilFire)}` : `when ${formatEvent(job, pattern)}`
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
