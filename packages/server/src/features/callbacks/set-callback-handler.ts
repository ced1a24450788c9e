// Handler of the tool SetCallback: runs set, list and cancel on the callback service and formats the results. Loaded by the
// first call, and by the resource of callbacks, which shows the same list. The documented sentences stay word for word. No
// I/O of its own.

import type { CallContext } from '@scorpiox/mcp/definitions/call-context'
import { Failure } from '@scorpiox/mcp/errors'
import { formatCount } from '../../text/format.js'
import { toResultMeta } from '../../text/result-data.js'
import type { CallbackService, ScheduledCallback } from './callback-service.js'
import { type CallbackRow, MAX_CALLBACK_SLOTS } from './callback-table.js'
import type { SetCallbackInput } from './parse-callback.js'

interface SetCallbackToolInput extends SetCallbackInput {
  readonly action: string
  readonly callback_id?: number | undefined
}

type SetCallbackResult =
  | { readonly action: 'set'; readonly entry: ScheduledCallback; readonly route: DeliveryRoute }
  | { readonly action: 'list'; readonly entries: readonly ScheduledCallback[] }
  | { readonly action: 'cancel'; readonly cancelled: readonly CallbackRow[]; readonly slot: number | undefined }

export const setCallbackHandler = {
  run: runSetCallback,
  format: formatSetCallback,
  meta: (result: SetCallbackResult) => toResultMeta(toResultFields(result)),
}

async function runSetCallback(
  { action: givenAction, callback_id: slot, ...input }: SetCallbackToolInput,
  { user, session, clientAbilities }: CallContext,
  { callbacks }: { readonly callbacks: CallbackService },
): Promise<SetCallbackResult> {
  const caller = { user, session }
  const action = givenAction.trim().toLowerCase()
  switch (action) {
    case 'set': {
      const entry = await callbacks.set(caller, input)
      const delivery = clientAbilities.push ? 'channel' : 'result'
      return { action, entry, route: { delivery, inbox: callbacks.inboxPathOf(caller) ?? null } }
    }
    case 'list':
      return { action, entries: await callbacks.list(caller) }
    case 'cancel':
      return { action, cancelled: await callbacks.cancel(caller, slot), slot }
    default:
      throw new Failure(`Error: unknown action ${JSON.stringify(givenAction.slice(0, 40))}. Valid: set, list, cancel.`)
  }
}

function toResultFields(result: SetCallbackResult): object {
  const { action } = result
  const fields = { action, callback_id: null, delivery: null, inbox: null, cancelled: 0, callbacks: [] }
  if (action === 'list') return { ...fields, callbacks: result.entries.map(toCallbackFields) }
  if (action === 'cancel') return { ...fields, callback_id: result.slot ?? null, cancelled: result.cancelled.length }
  const { entry, route } = result
  return { ...fields, ...route, callback_id: entry.callback.slot, callbacks: [toCallbackFields(entry)] }
}

function formatSetCallback(result: SetCallbackResult): string {
  if (result.action === 'list') return formatCallbackList(result.entries)
  if (result.action === 'cancel') return formatCancelled(result.cancelled, result.slot)
  return formatScheduled(result.entry, result.route)
}

const MAX_LISTED_MESSAGE = 66
const MAX_CANCELLED_MESSAGE = 42

interface DeliveryRoute {
  readonly delivery: 'channel' | 'result'
  readonly inbox: string | null
}

function toCallbackFields({ callback, msUntilFire }: ScheduledCallback) {
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
  return `Cancelled ${formatCount(cancelled.length, 'callback', 'callbacks')}.`
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
  return pattern === null ? `job ${job} ends` : `job ${job} prints a line that matches ${pattern}`
}

function formatRoute({ delivery, inbox }: DeliveryRoute, slot: number): string {
  const how =
    delivery === 'channel'
      ? 'it is pushed into this conversation (claude/channel)'
      : 'the message appears before the next result of any tool: this client accepts no messages while idle'
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
