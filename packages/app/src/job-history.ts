// Records the background jobs of this server in the call history, so that the timeline of a session still shows them when
// the server has exited. Created by services.ts. Subscribes to changes of jobs; writes through the history.

import type { ChangeEvents } from '@scorpiox/mcp/definitions/change-events'
import { errorMessage } from '@scorpiox/mcp/errors'
import type { Log } from '@scorpiox/mcp/log'
import type { Config } from '@scorpiox/server/config/load-config'
import {
  type CallHistory,
  createJobRecorder,
  loadCallRecorder,
  type PastJob,
} from '@scorpiox/server/features/history/index'
import { type JobService, JOBS_URI } from '@scorpiox/server/features/shell/index'
import { CONSOLE_SESSION } from '@scorpiox/server/sessions/console-session'

export interface JobHistoryDeps {
  readonly config: Config
  readonly log: Log
  readonly changeEvents: ChangeEvents
  /** Id of the server. */
  readonly server: () => string
  /** Undefined until the first job. */
  readonly jobs: () => Promise<JobService> | undefined
  readonly openHistory: () => Promise<CallHistory>
  readonly enteredSecrets: (user: string) => readonly Buffer[]
}

/** Undefined: the settings turn the history off. */
export function recordJobs(deps: JobHistoryDeps): { close(): Promise<void> } | undefined {
  const { config, log, changeEvents, openHistory } = deps
  if (!config.settings.CALL_HISTORY) return undefined
  const recorder = createJobRecorder({
    listJobs: (user, isLast) => listJobs(deps, user, isLast),
    openHistory,
    onError: (error) => log.warn(`jobs cannot be recorded: ${errorMessage(error)}`),
  })
  const unsubscribe = changeEvents.subscribe((event) => {
    if (event.kind === 'resource' && event.uri === JOBS_URI && event.user !== undefined) recorder.onChange(event.user)
  })
  return {
    close() {
      unsubscribe()
      return recorder.close()
    },
  }
}

async function listJobs(deps: JobHistoryDeps, user: string, isLast: boolean): Promise<readonly PastJob[]> {
  const { config, server: getServer, jobs, enteredSecrets } = deps
  const opened = await jobs()
  if (!opened) return []
  const { createCallSource, redactLine } = await loadCallRecorder()
  const server = getServer()
  const source = createCallSource({ config, server, enteredSecrets })(user)
  const all = await opened.list({ user, session: CONSOLE_SESSION })
  return all
    .filter(({ record }) => record.background)
    .map(({ id, isRunning, record: { session, command, startedAt, endedAt, exitCode, keep } }) => {
      const stopsNow = isRunning && isLast && !keep
      return {
        project: source.project,
        session,
        server,
        id,
        command: redactLine(command, source),
        startedAt,
        endedAt: stopsNow ? Date.now() : isRunning ? null : (endedAt ?? startedAt),
        outcome: stopsNow ? 'error' : isRunning ? 'running' : exitCode === 0 ? 'ok' : 'error',
      }
    })
}
