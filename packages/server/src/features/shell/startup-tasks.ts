// Tasks run after the first response: kills the processes that a crashed server of this project left running, and verifies
// the sandbox before the first command needs it. Called by main.ts (stdio) and served-projects.ts of the app. Kills processes
// and removes the files of crashed servers.

import { Failure } from '@scorpiox/mcp/errors'
import type { Log } from '@scorpiox/mcp/log'
import type { Config } from '../../config/load-config.js'
import { findProjectRoot, getStateDir } from '../../config/paths.js'
import { removePoolDirectoriesOf } from '../../process/pool-directory.js'
import { createProcessTrees } from '../../process/process-tree.js'
import type { CommandSandbox } from '../../sandbox/command-sandbox.js'
import { listDeadServers, removeServerEntry } from '../../storage/server-registry.js'
import { jobDirectoryOf, listUserDirectories } from './job-files.js'
import { openJobStore } from './job-store.js'

export async function runStartupTasks(config: Config, log: Log, sandbox: CommandSandbox): Promise<void> {
  await Promise.all([cleanUpAfterCrashedServers(config, log), verifySandbox(sandbox, log)])
}

async function cleanUpAfterCrashedServers(config: Config, log: Log): Promise<void> {
  try {
    const count = await killOrphanedProcesses(config)
    const which = count === 1 ? 'a killed server' : `${count} killed servers`
    if (count > 0) log.info(`cleaned up after ${which} of this project`)
  } catch (error) {
    log.warn(`could not check for processes of a crashed server: ${messageOf(error)}`)
  }
}

async function verifySandbox(sandbox: CommandSandbox, log: Log): Promise<void> {
  try {
    await sandbox.verify()
  } catch (error) {
    log.error(`no command will run: ${messageOf(error)}`)
  }
}

function messageOf(error: unknown): string {
  return error instanceof Failure ? error.message : String(error)
}

const KILL_AFTER_MS = 2000

/**
 * Kills the processes that crashed servers of this project left running. Resolves to the number of crashed servers that
 * may have left processes running.
 */
export async function killOrphanedProcesses({ settings, cwd }: Pick<Config, 'settings' | 'cwd'>): Promise<number> {
  const jobDirectory = jobDirectoryOf(getStateDir(settings), findProjectRoot(cwd))
  const entries = await listDeadServers(jobDirectory.registryPath)
  for (const entry of entries) {
    const sparedTags = entry.outlive ? await tagsOfSurvivingJobs(await listUserDirectories(jobDirectory)) : undefined
    await createProcessTrees(entry.family).killAll(KILL_AFTER_MS, sparedTags)
    removePoolDirectoriesOf(entry.family)
    removeServerEntry(entry)
  }
  return entries.filter(({ outlive }) => !outlive).length
}

/** Background jobs only: foreground commands and their leftover processes end with their server. */
async function tagsOfSurvivingJobs(directories: readonly string[]): Promise<ReadonlySet<string>> {
  const records = await Promise.all(directories.map((folder) => openJobStore(folder).list()))
  const surviving = records.flat().filter(({ keep, background, ending }) => keep && background && ending === undefined)
  return new Set(surviving.map(({ tag }) => tag))
}
