// A command that a call waits for. It is recorded as a job only when needed: if its output is too long to be shown
// whole, or if it continues in the background.

import { Failure } from '../../lib/failure.js'
import type { Who } from '../who.js'
import type { Job } from '../jobs/job.js'
import type { Jobs } from '../jobs/jobs.js'
import type { Work } from './work.js'

export interface Foreground {
  readonly work: Work
  /** The job that records it; undefined if it is not recorded. */
  kept(): Promise<Job | undefined>
  /** Records it as a job. Undefined if that fails; `recordProblem` then has the reason. */
  keep(): Promise<Job | undefined>
  readonly problem: string | undefined
}

export function createForeground(work: Work, jobs: () => Promise<Jobs>, caller: Who, recorded?: Job): Foreground {
  let recording: Promise<Job | undefined> | undefined = recorded && Promise.resolve(recorded)
  let problem: string | undefined

  async function record(): Promise<Job | undefined> {
    try {
      return await (await jobs()).keep(work, caller)
    } catch (error) {
      work.spool.drop()
      if (!(error instanceof Failure)) throw error
      problem = error.message
      return undefined
    }
  }

  return {
    work,
    kept: async () => recording,
    keep: () => (recording ??= record()),
    get problem() {
      return problem
    },
  }
}

/** A command that is never recorded. */
export function unkept(work: Work): Foreground {
  return { work, kept: nothing, keep: nothing, problem: undefined }
}

function nothing(): Promise<undefined> {
  return Promise.resolve(undefined)
}
