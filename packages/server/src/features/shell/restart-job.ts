// Starts the command of a job again as a new job, after ending the old one if it still runs. Loaded by job-service on
// first use. Everything that can refuse the new job is asked before the old one is ended. Kills and starts processes
// through the job service; looks at the directory.

import { existsSync } from 'node:fs'

import type { Caller } from '@scorpiox/mcp/definitions/caller'
import { Failure } from '@scorpiox/mcp/errors'
import { formatProcesses } from './format-command-result.js'
import { isCompleteCommand } from './job-record.js'
import type { JobService, StartJobOptions } from './job-service.js'
import type { Job } from './job.js'

export interface RestartJobDeps {
  readonly service: Pick<JobService, 'start' | 'kill'>
  /** The directory in which commands run. */
  readonly cwd: string
  /** Rejects if a command of the caller cannot be started with these options now. */
  readonly checkStart: (caller: Caller, options: StartJobOptions) => Promise<void>
  /** Rejects if the command may not run. */
  readonly authorize: (command: string) => Promise<void> | undefined
}

/** The new job belongs to the session of the old one, so that it runs with the same rights. */
export async function restartJob(job: Job, { service, cwd, checkStart, authorize }: RestartJobDeps): Promise<Job> {
  const { id, record, isRunning } = job
  const { command, user, session, stdin } = record
  refuseChanged(job, cwd)
  const caller = { user, session }
  const terminal = stdin === 'terminal' ? (record.sizes?.at(-1) ?? {}) : undefined
  const options = { background: true, terminal, isInputEmpty: stdin === undefined }
  await authorize(command)
  await checkStart(caller, options)
  if (isRunning) {
    const { survivors } = await service.kill(id, caller)
    if (survivors.length > 0)
      throw new Failure(
        `Job ${id} was killed, but these of its processes could not be killed: ${formatProcesses(survivors)}. ` +
          'The command was not started again. Kill them, then restart the job.',
      )
  }
  try {
    return (await service.start(command, caller, options)).job
  } catch (error) {
    if (!isRunning || !(error instanceof Failure)) throw error
    throw new Failure(`Job ${id} was killed, but its command was not started again. ${error.message}`)
  }
}

function refuseChanged({ id, record }: Job, cwd: string): void {
  if (!isCompleteCommand(record))
    throw new Failure(`Job ${id} was not restarted: its command is too long to be stored whole.`)
  if (record.cwd !== cwd)
    throw new Failure(
      `Job ${id} was not restarted: it ran in ${record.cwd}, and this server runs commands in ${cwd}. ` +
        'Restart it from a server in that directory.',
    )
  if (!existsSync(cwd)) throw new Failure(`Job ${id} was not restarted: its directory ${cwd} does not exist any more.`)
}
