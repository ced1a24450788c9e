// Formats the message of a fired callback: slot, time, remaining repeats and event, followed by the message text.

import type { CallbackRow } from '../../store/state/callback-rows.js'

/** `left`: remaining repeats after firing; -1: unlimited. */
export function firedText({ slot, message }: CallbackRow, repeatsLeft: number, at: Date, event = ''): string {
  const rest = repeatsLeft < 0 ? 'repeats until cancelled' : `${repeatsLeft} left`
  return `[Callback ${slot} fired at ${formatTime(at)}, ${rest}${event && `: ${event}`}] ${message}`
}

function formatTime(at: Date): string {
  const [hours, minutes, seconds] = [at.getHours(), at.getMinutes(), at.getSeconds()].map(twoDigits)
  return `${hours}:${minutes}:${seconds} (${formatUtcOffset(-at.getTimezoneOffset())})`
}

function formatUtcOffset(offset: number): string {
  if (offset === 0) return 'UTC'
  const minutes = Math.abs(offset) % 60
  const hours = Math.trunc(Math.abs(offset) / 60)
  return `UTC${offset < 0 ? '-' : '+'}${hours}${minutes === 0 ? '' : `:${twoDigits(minutes)}`}`
}

function twoDigits(part: number): string {
  return String(part).padStart(2, '0')
}
