// Chooses the sandbox for commands of HTTP callers. On loopback the sandbox is used if it is available; on other addresses
// it is required, unless --no-sandbox disables it.

import type { Config } from '../config/load.js'
import { Failure } from '../lib/failure.js'
import type { Log } from '../platform/log.js'
import { createConfinement, UNCONFINED, type Confinement } from '../services/shell/confinement.js'
import { UsageError } from './usage-error.js'

export interface Exposure {
  readonly host: string
  readonly isLoopback: boolean
  /** Whether --no-sandbox was given. */
  readonly isWaived: boolean
}

export async function confineHttp(config: Config, exposure: Exposure, log: Log): Promise<Confinement> {
  const { SANDBOX: setting } = config.settings
  const { host, isLoopback, isWaived } = exposure
  const advice = 'Add --no-sandbox to let callers do everything that you can do'
  if (isWaived || (setting === 'off' && isLoopback)) return UNCONFINED
  if (setting === 'off') throw new UsageError(`${host} is reachable from outside, and SANDBOX is off. ${advice}`)
  const commandSandbox = createConfinement(config, setting === 'auto' ? 'workspace' : setting)
  try {
    await commandSandbox.ready()
    return commandSandbox
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    if (!isLoopback) throw new UsageError(`${host} is reachable from outside. ${error.message} ${advice}`)
    if (setting !== 'auto') throw error
    log.warn(`commands run without a sandbox: ${error.message}`)
    return UNCONFINED
  }
}
