// What other code may use of the feature `shell`: types, what is needed at the start, and functions that load the rest.
// Imported by tool-list.ts, main.ts and services.ts of the app, the console, callbacks, scripts and skills. No effects
// of its own.

export { backgroundBash } from './background-bash-tool.js'
export { bash } from './bash-tool.js'
export { formatCommandResult } from './format-command-result.js'
export { describeJobEnd, getJobEnd } from './format-job.js'
export type { Job } from './job.js'
export { JOBS_URI, jobListResource, jobOutputTemplate } from './job-resources.js'
export { jobViewData } from './job-view.js'
export type { JobService } from './job-service.js'
export type { JobUsage } from './job-usage.js'
export { killBgTask } from './kill-bg-task-tool.js'
export { listBgTasks } from './list-bg-tasks-tool.js'
export { readBgOutput } from './read-bg-output-tool.js'
export type { CommandResult, ProbeOptions, ShellService } from './shell-service.js'
export type { TerminalChunk } from './terminal-replay.js'
export { DEFAULT_SIZE, type TerminalSize } from './terminal-size.js'
export { isUserTyping } from './user-typing.js'
export type { TimeLimit } from './wait-for-command.js'

export const loadRunningJobs = () => import('./list-running-jobs.js')
export const loadStartupTasks = () => import('./startup-tasks.js')
export const loadShellService = () => import('./open-shell-service.js')
/** Not needed on Linux. */
export const loadSystemDescriptions = () => import('./system-descriptions.js')
