// How a job ended, as codes, and their translation. Used by the page, the inbox and the messages of the socket. Pure.

import type { TranslationKey } from './translator.js'

/** How a job ended; `exit`: with an exit code. */
export const JOB_ENDINGS = ['exit', 'killed', 'server-stopped', 'server-lost', 'unknown'] as const

type JobEnding = (typeof JOB_ENDINGS)[number]

export interface JobEnd {
  /** Null while it runs. */
  readonly ending: JobEnding | null
  readonly exitCode: number | null
  /** The signal that ended it, such as SIGKILL. */
  readonly signal: string | null
}

const ENDING_KEYS: Readonly<Record<Exclude<JobEnding, 'exit'>, TranslationKey>> = {
  killed: 'endedKilled',
  'server-stopped': 'endedWithServer',
  'server-lost': 'endedServerGone',
  unknown: 'endedUnknown',
}

/** For ended jobs without an exit code. */
export function jobEndingKey({ ending }: JobEnd): TranslationKey {
  return ending === null || ending === 'exit' ? 'ended' : ENDING_KEYS[ending]
}

/** `1`, or `137 (SIGKILL)`; undefined if the job did not exit by itself. */
export function formatExitCode({ ending, exitCode, signal }: JobEnd): string | undefined {
  if (ending !== 'exit' || exitCode === null) return undefined
  return signal === null ? `${exitCode}` : `${exitCode} (${signal})`
}
