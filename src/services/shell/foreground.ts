// A command somebody waits for. What it prints is kept as a job's only when that turns out to be needed: it is too long
// to be shown whole, or the command goes on when nobody can wait any longer.

import { Failure } from '../../lib/failure.js'
import type { Who } from '../who.js'
import type { Job } from '../jobs/job.js'
import type { Jobs } from '../jobs/jobs.js'
import type { Work } from './work.js'

export interface Foreground {
  readonly work: Work
  /** The job that keeps it, if it came to that. */
  kept(): Promise<Job | undefined>
  /** Makes it one; undefined when that cannot be, and `problem` says why. */
  keep(): Promise<Job | undefined>
  readonly problem: string | undefined
}

export function createForeground(work: Work, jobs: () => Promise<Jobs>, who: Who, recorded?: Job): Foreground {
  let keeping: Promise<Job | undefined> | undefined = recorded && Promise.resolve(recorded)
  let problem: string | undefined

  async function keep(): Promise<Job | undefined> {
    try {
      return await (await jobs()).keep(work, who)
    } catch (error) {
      work.spool.drop()
      if (!(error instanceof Failure)) throw error
      problem = error.message
      return undefined
    }
  }

  return {
    work,
    kept: async () => keeping,
    keep: () => (keeping ??= keep()),
    get problem() {
      return problem
    },
  }
}

/** One of which nobody will keep anything. */
export function unkept(work: Work): Foreground {
  return { work, kept: nothing, keep: nothing, problem: undefined }
}

function nothing(): Promise<undefined> {
  return Promise.resolve(undefined)
}
