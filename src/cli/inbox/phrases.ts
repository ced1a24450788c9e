// Text that several views of the inbox share. Text from outside leaves here without what a terminal would obey.

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

/** The parts that are there, on one line. */
export function joined(...parts: readonly (string | false | null | undefined)[]): string {
  return parts.filter((part) => typeof part === 'string' && part !== '').join(' · ')
}

/** Without seconds, so that what only grows older is not drawn anew each second. */
export function ago({ ago: say }: InboxWords, at: number, now: number): string {
  return now - at < MINUTE_MS ? say(now, now) : say(at, now)
}

/** In whole seconds, at least one: it is drawn while it grows. */
export function lasting({ duration }: InboxWords, ms: number): string {
  return duration(Math.max(1, Math.floor(ms / 1000)) * 1000)
}

export function projectName(project: string): string {
  return line(basename(project) || project)
}

export function endingOf({ say }: InboxWords, { ending, exitCode }: JobView): string {
  const code = exitCodeText(exitCode, ending)
  if (code !== undefined) return say('exitCode', { code: line(code) })
  const key = endingKey(ending)
  return key === undefined ? line(ending) || say('ended') : say(key)
}
