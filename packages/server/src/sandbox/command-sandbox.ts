// The sandbox of commands as the shell and plan mode see it: `CommandSandbox` gives the sandbox of a caller's next
// command. The sandbox is opened and tested before the first command, or when `verify` is called; if that fails, no
// command runs. Created by create-server.ts (stdio), served-projects.ts and workspaces.ts (HTTP). Loads sandbox.ts on first use.

import type { Caller } from '@scorpiox/mcp/definitions/caller'
import type { Config } from '../config/load-config.js'
import type { SandboxFactory } from '../process/shell-pool.js'
import { createLazyResource } from '../async/timeouts.js'
import { type ActiveSandboxLevel, resolveSandboxLevel, type SandboxLevel } from './sandbox-level.js'
import type { Sandbox, SandboxPolicy, SandboxReport } from './sandbox.js'

export interface LazySandbox {
  /** Rejects with a Failure that names what is missing. */
  open(): Promise<Sandbox>
  close(): Promise<void>
}

/** A sandbox of one level that is opened, and tested, on first use. Plan mode uses it for its read-only sandbox. */
export function createLazySandbox(
  config: Config,
  level: ActiveSandboxLevel,
  options: Pick<SandboxPolicy, 'allowsOnlyGrants'> = {},
): LazySandbox {
  // A failed attempt is repeated with the next command: the missing program may have been installed meanwhile.
  const { open, current } = createLazyResource(async () => {
    const [{ openSandbox }, { createSandboxPolicy }] = await Promise.all([
      import('./sandbox.js'),
      import('./sandbox-policy.js'),
    ])
    return openSandbox({ ...createSandboxPolicy(config, [level]), ...options })
  })
  return { open, close: async () => (await current())?.close() }
}

/** Chooses the sandbox of each command. */
export interface CommandSandbox {
  readonly level: SandboxLevel
  /** Rejects with a Failure that names what is missing. Undefined without a sandbox. */
  verify(): Promise<SandboxReport | undefined>
  /** The sandbox for the caller's next command. `isReadOnly`: the command may not write persistent files. */
  sandboxFor(caller: Caller, isReadOnly?: boolean): SandboxFactory | undefined | Promise<SandboxFactory | undefined>
  close(): Promise<void>
}

export const NO_SANDBOX: CommandSandbox = {
  level: 'off',
  verify: () => Promise.resolve(undefined),
  sandboxFor: () => undefined,
  close: () => Promise.resolve(),
}

/** For stdio, where the default is no sandbox: the client runs as the same OS user. */
export function createStdioSandbox(config: Config): CommandSandbox {
  return createCommandSandbox(config, resolveSandboxLevel(config.settings.SANDBOX, false))
}

export function createCommandSandbox(config: Config, level: SandboxLevel): CommandSandbox {
  return level === 'off' ? NO_SANDBOX : createSandboxOfLevel(config, level)
}

function createSandboxOfLevel(config: Config, level: ActiveSandboxLevel): CommandSandbox {
  const sandbox = createLazySandbox(config, level)
  return {
    level,
    verify: async () => (await sandbox.open()).report,
    async sandboxFor() {
      const opened = await sandbox.open()
      return { key: level, create: () => opened.create(level) }
    },
    close: () => sandbox.close(),
  }
}
