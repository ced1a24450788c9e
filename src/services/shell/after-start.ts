// What is done once clients have been answered: what a killed server of this project left running is ended, and a
// sandbox that somebody asked for is tried out before the first command needs it.

import type { Config } from '../../config/load.js'
import { Failure } from '../../lib/failure.js'
import type { Log } from '../../platform/log.js'
import { endLeftOver } from '../jobs/left-over.js'
import type { Confinement } from './confinement.js'

export async function afterStart(config: Config, log: Log, confinement: Confinement): Promise<void> {
  await Promise.all([lookBack(config, log), tryOut(confinement, log)])
}

async function lookBack(config: Config, log: Log): Promise<void> {
  try {
    const count = await endLeftOver(config)
    const which = count === 1 ? 'a killed server' : `${count} killed servers`
    if (count > 0) log.info(`cleaned up after ${which} of this project`)
  } catch (error) {
    log.warn(`what a killed server left running was not looked for: ${sentence(error)}`)
  }
}

async function tryOut(confinement: Confinement, log: Log): Promise<void> {
  try {
    await confinement.ready()
  } catch (error) {
    log.error(`no command will be run: ${sentence(error)}`)
  }
}

function sentence(error: unknown): string {
  return error instanceof Failure ? error.message : String(error)
}
