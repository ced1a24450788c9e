// Text helpers shared by the screens of the inbox. Untrusted text is returned without terminal control characters.

import { basename } from 'node:path'

import { oneLine } from '../../lib/one-line.js'
import { endingKey, exitCodeText } from '../../services/board/languages/job-ending.js'
import type { JobView } from '../../services/board/view.js'
import type { InboxWords } from './language.js'

const MAX_LINE_CHARS = 500
const MINUTE_MS = 60_000

export function line(text: string): string {
  return oneLine(text.toWellFormed(), MAX_LINE_CHARS)
}

/** Joins the non-empty parts. */
export function joined(...parts: readonly (string | false | null | undefined)[]): string {
  return parts.filter((part) => typeof part === 'string' && part !== '').join(' · ')
}

/** Without seconds, so that the text does not change and redraw every second. */
export function ago({ ago: formatRelative }: InboxWords, at: number, now: number): string {
  return now - at < MINUTE_MS ? formatRelative(now, now) : formatRelative(at, now)
}

/** In whole seconds, at least one, because it is redrawn while it increases. */
export function lasting({ duration }: InboxWords, ms: number): string {
  return duration(Math.max(1, Math.floor(ms / 1000)) * 1000)
}

export function projectName(project: string): string {
  return line(basename(project) || project)
}

export function endingOf({ say: formatRelative }: InboxWords, { ending, exitCode }: JobView): string {
  const code = exitCodeText(exitCode, ending)
  if (code !== undefined) return formatRelative('exitCode', { code: line(code) })
  const key = endingKey(ending)
  return key === undefined ? line(ending) || formatRelative('ended') : formatRelative(key)
}
