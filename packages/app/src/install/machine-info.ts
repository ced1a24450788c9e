// Reads the facts about the machine and the running program. The rest of the install code gets them as parameters. Used
// by `install`, `uninstall` and `doctor`. Reads files and the environment.

import { existsSync, readdirSync, realpathSync } from 'node:fs'
import { tmpdir } from 'node:os'

import { bunVersion } from '@scorpiox/mcp/runtime'
import type { MachineInfo } from '@scorpiox/server/clients/client-paths'
import type { Config } from '@scorpiox/server/config/load-config'
import { BUN_FLAGS, findExecutableEntry } from '@scorpiox/server/process/program-files'
import { readProgramOutput } from '@scorpiox/server/process/run-program'
import type { RunningProgram } from './installed-program.js'

export function readMachineInfo({ home, cwd, childEnv: env }: Config): MachineInfo {
  return { platform: process.platform, home, cwd, env, listDirectory: listNames }
}

export function readRunningProgram({ childEnv }: Config): RunningProgram {
  const scriptArgument = process.argv[1]
  return {
    platform: process.platform,
    runtime: toPermanentRuntime(process.execPath),
    runtimeFlags: bunVersion() === undefined ? [] : BUN_FLAGS,
    script:
      scriptArgument === undefined || findExecutableEntry() !== undefined ? undefined : realpathSync(scriptArgument),
    temporaryDirectory: existsSync(tmpdir()) ? realpathSync(tmpdir()) : tmpdir(),
    versionOf: (file) => readProgramOutput(file, ['--version'], childEnv),
  }
}

/** On Windows fnm gives each terminal a folder with a link to Node.js, and removes it later. */
export function toPermanentRuntime(path: string, resolveLinks = resolveByOs): string {
  return /[\\/]fnm_multishells[\\/]/.test(path) ? resolveLinks(path) : path
}

function resolveByOs(path: string): string {
  return realpathSync.native(path)
}

function listNames(directory: string): readonly string[] {
  try {
    return readdirSync(directory)
  } catch {
    return []
  }
}
