// What confines the commands of callers over HTTP: on loopback the sandbox where it can be had, beyond loopback the
// sandbox or nothing at all, unless the person says otherwise in so many words.

import type { Config } from '../config/load.js'
import { Failure } from '../lib/failure.js'
import type { Log } from '../platform/log.js'
import { createConfinement, UNCONFINED, type Confinement } from '../services/shell/confinement.js'
import { UsageError } from './usage-error.js'

export interface Exposure {
  readonly host: string
  readonly isLoopback: boolean
  /** The person wants none. */
  readonly isWaived: boolean
}

export async function confineHttp(config: Config, exposure: Exposure, log: Log): Promise<Confinement> {
  const { SANDBOX: setting } = config.settings
  const { host, isLoopback, isWaived } = exposure
  const waiver = 'Say --no-sandbox if callers may do everything that you can do'
  if (isWaived || (setting === 'off' && isLoopback)) return UNCONFINED
  if (setting === 'off') throw new UsageError(`${host} can be reached from outside, and SANDBOX is off. ${waiver}`)
  const confinement = createConfinement(config, setting === 'auto' ? 'workspace' : setting)
  try {
    await confinement.ready()
    return confinement
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    if (!isLoopback) throw new UsageError(`${host} can be reached from outside. ${error.message} ${waiver}`)
    if (setting !== 'auto') throw error
    log.warn(`commands are not confined: ${error.message}`)
    return UNCONFINED
  }
}
