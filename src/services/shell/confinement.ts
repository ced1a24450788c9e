// What commands are confined by. The sandbox is tried out once, before the first command or when somebody wants to know;
// where it does not hold, no command is run.

import type { Config } from '../../config/load.js'
import { sandboxLevel } from '../../config/sandbox-level.js'
import type { Confine } from '../../platform/ready-shells.js'
import type { CageLevel, Level } from '../../platform/sandbox/level.js'
import type { SandboxReport } from '../../platform/sandbox/sandbox.js'
import type { Who } from '../who.js'
import { lazySandbox } from './lazy-sandbox.js'

export interface Confinement {
  readonly level: Level
  /** Tries it out; a failure says what is missing. Undefined where nothing confines. */
  ready(): Promise<SandboxReport | undefined>
  /** For the next command, by whoever gives it. `isReadOnly`: it needs to write nothing that lasts. */
  confine(who: Who, isReadOnly?: boolean): Confine | undefined | Promise<Confine | undefined>
  close(): Promise<void>
}

export const UNCONFINED: Confinement = {
  level: 'off',
  ready: () => Promise.resolve(undefined),
  confine: () => undefined,
  close: () => Promise.resolve(),
}

/** Over stdio: whoever speaks there could do all this without us. */
export function confinementOf(config: Config): Confinement {
  return createConfinement(config, sandboxLevel(config.settings.SANDBOX, false))
}

export function createConfinement(config: Config, level: Level): Confinement {
  return level === 'off' ? UNCONFINED : confinedTo(config, level)
}

function confinedTo(config: Config, level: CageLevel): Confinement {
  const sandbox = lazySandbox(config, level)
  return {
    level,
    ready: async () => (await sandbox.open()).report,
    async confine() {
      const opened = await sandbox.open()
      return { key: level, cage: () => opened.cage(level) }
    },
    close: () => sandbox.close(),
  }
}
