// Tasks run after the first response: kills the processes that a crashed server of this project left running, and
// verifies the sandbox before the first command needs it.

import type { Config } from '../../config/load.js'
import { Failure } from '../../lib/failure.js'
import type { Log } from '../../platform/log.js'
import { endLeftOver } from '../jobs/left-over.js'
import type { Confinement } from './confinement.js'

export async function afterStart(config: Config, log: Log, sandbox: Confinement): Promise<void> {
  await Promise.all([lookBack(config, log), tryOut(sandbox, log)])
}

async function lookBack(config: Config, log: Log): Promise<void> {
  try {
    const count = await endLeftOver(config)
    const which = count === 1 ? 'a killed server' : `${count} killed servers`
    if (count > 0) log.info(`cleaned up after ${which} of this project`)
  } catch (error) {
    log.warn(`could not check for processes of a crashed server: ${sentence(error)}`)
  }
}

async function tryOut(sandbox: Confinement, log: Log): Promise<void> {
  try {
    await sandbox.ready()
  } catch (error) {
    log.error(`no command will be run: ${sentence(error)}`)
  }
}

function sentence(error: unknown): string {
  return error instanceof Failure ? error.message : String(error)
}
