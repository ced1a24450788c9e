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

/**
 * Everywhere in the console: an exit code other than 0, or killed with its server. A job that was killed by someone, or that
 * ended with its server in order, has not failed. Of one whose end is unknown it cannot be said: a client that is closed ends
 * its server too, and the banner names that server.
 */
export function hasFailed({ ending, exitCode }: Pick<JobEnd, 'ending' | 'exitCode'>): boolean {
  return (ending === 'exit' && exitCode !== 0) || ending === 'server-lost'
}

export interface ListedJob extends JobEnd {
  readonly project: string
  readonly id: number
}

/** The jobs that ran before and have failed since, of which the page and the inbox notify. */
export function findNewlyFailed<J extends ListedJob>(before: readonly J[], next: readonly J[]): readonly J[] {
  if (before === next) return []
  const running = new Set(before.filter(({ ending }) => ending === null).map(jobKey))
  return next.filter((job) => running.has(jobKey(job)) && hasFailed(job))
}

/** The same after another server of the project has taken the job over. */
export function jobKey({ project, id }: Pick<ListedJob, 'project' | 'id'>): string {
  return JSON.stringify([project, 'job', id])
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
