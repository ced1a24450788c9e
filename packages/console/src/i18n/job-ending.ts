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
  readonly endedAt: number | null
}

/** A list can also grow by jobs of the past: of a server that is connected again, or from before a restart. */
const NEW_FOR_MS = 60_000

/**
 * The jobs that have failed since `before`, of which the page and the inbox notify: those that ran then, and those that are
 * listed only now because they failed right after their start. `now`: by the clock of the server.
 */
export function findNewlyFailed<J extends ListedJob>(
  before: readonly J[],
  next: readonly J[],
  now: number,
): readonly J[] {
  if (before === next) return []
  const known = new Map(before.map((job) => [jobKey(job), job]))
  return next.filter((job) => {
    const earlier = known.get(jobKey(job))
    const isNew = earlier === undefined ? (job.endedAt ?? 0) > now - NEW_FOR_MS : earlier.ending === null
    return isNew && hasFailed(job)
  })
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
