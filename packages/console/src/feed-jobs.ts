// What a console does with the jobs of a server, besides reading output and terminals: in this process (createFeedJobs),
// or over the socket, on both of its ends (parseJobRequest and answerJobRequest, requestJobs). Used by server-feed,
// console-socket and feed-connections. Acts through the job service.

import type { Caller } from '@scorpiox/mcp/definitions/caller'
import { Failure } from '@scorpiox/mcp/errors'
import { isJsonObject } from '@scorpiox/mcp/json/json'
import type { JobService } from '@scorpiox/server/features/shell/index'
import type { JobDetails } from './view.js'

export interface FeedJobs {
  kill(job: number): Promise<void>
  /** Resolves to the id of the new job. */
  restart(job: number): Promise<number>
  read(job: number): Promise<JobDetails>
}

export interface FeedJobsDeps {
  /** Throws a Failure if the server has no jobs. */
  readonly jobs: (job: number) => Promise<JobService>
  readonly caller: Caller
  /** Rejects if the command may not run in this server. */
  readonly authorize: (command: string, user: string) => Promise<void>
}

export function createFeedJobs({ jobs, caller, authorize }: FeedJobsDeps): FeedJobs {
  return {
    async kill(job) {
      await (await jobs(job)).kill(job, caller)
    },
    async restart(job) {
      const service = await jobs(job)
      return (await service.restart(job, caller, (command) => authorize(command, caller.user))).id
    },
    async read(job) {
      const { record } = await (await jobs(job)).find(job, caller)
      return { command: record.command }
    },
  }
}

export type JobRequest =
  | { readonly verb: 'kill'; readonly job: number }
  | { readonly verb: 'restart'; readonly job: number }
  | { readonly verb: 'job'; readonly job: number }

export function parseJobRequest(verb: unknown, job: number): JobRequest | undefined {
  return verb === 'kill' || verb === 'restart' || verb === 'job' ? { verb, job } : undefined
}

export interface JobReply {
  /** Reply to `restart`: the new job. */
  readonly job?: number
  /** Reply to `job`. */
  readonly details?: JobDetails
}

export async function answerJobRequest(jobs: FeedJobs, { verb, job }: JobRequest): Promise<JobReply> {
  if (verb === 'restart') return { job: await jobs.restart(job) }
  if (verb === 'job') return { details: await jobs.read(job) }
  await jobs.kill(job)
  return {}
}

/** The jobs of a server at the other end of a socket. */
export function requestJobs(send: (request: JobRequest) => Promise<JobReply>): FeedJobs {
  return {
    kill: async (job) => void (await send({ verb: 'kill', job })),
    async restart(job) {
      const { job: restarted } = await send({ verb: 'restart', job })
      if (restarted !== undefined) return restarted
      throw new Failure('The server of this job gave no answer about the new job: look for it in the list of jobs.')
    },
    async read(job) {
      const { details } = await send({ verb: 'job', job })
      if (details) return details
      throw new Failure('The server of this job runs another version of scorpiox-code: restart its client to read it.')
    },
  }
}

export function parseJobReply({ job, details }: { readonly [key: string]: unknown }): JobReply {
  return {
    ...(typeof job === 'number' && Number.isSafeInteger(job) && { job }),
    ...(isJobDetails(details) && { details }),
  }
}

function isJobDetails(value: unknown): value is JobDetails {
  return isJsonObject(value) && typeof value.command === 'string'
}
