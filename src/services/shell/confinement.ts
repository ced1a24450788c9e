// Chooses the sandbox of each command. The sandbox is verified once, before the first command or when `verify` is
// called; if verification fails, no command is run.

import type { Config } from '../../config/load.js'
import { sandboxLevel } from '../../config/sandbox-level.js'
import type { Confine } from '../../platform/ready-shells.js'
import type { CageLevel, Level } from '../../platform/sandbox/level.js'
import type { SandboxReport } from '../../platform/sandbox/sandbox.js'
import type { Who } from '../who.js'
import { lazySandbox } from './lazy-sandbox.js'

export interface Confinement {
  readonly level: Level
  /** Rejects with a Failure that names what is missing. Undefined without a sandbox. */
  ready(): Promise<SandboxReport | undefined>
  /** The sandbox for the caller's next command. `isReadOnly`: the command may not write persistent files. */
  confine(caller: Who, isReadOnly?: boolean): Confine | undefined | Promise<Confine | undefined>
  close(): Promise<void>
}

export const UNCONFINED: Confinement = {
  level: 'off',
  ready: () => Promise.resolve(undefined),
  confine: () => undefined,
  close: () => Promise.resolve(),
}

/** For stdio, where the default is no sandbox: the client runs as the same OS user. */
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
