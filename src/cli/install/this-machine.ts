// Reads the facts about the machine and the running program. The rest of the install code gets them as parameters.

import { existsSync, readdirSync, realpathSync } from 'node:fs'
import { tmpdir } from 'node:os'

import type { Config } from '../../config/load.js'
import { askProgram } from '../../platform/process.js'
import { executableEntry } from '../../platform/program.js'
import type { Machine } from './clients.js'
import type { Running } from './executable.js'

export function machineOf({ home, cwd, childEnv: env }: Config): Machine {
  return { platform: process.platform, home, cwd, env, list: listNames }
}

export function runningProgram({ childEnv }: Config): Running {
  const scriptArgument = process.argv[1]
  return {
    platform: process.platform,
    runtime: process.execPath,
    script: scriptArgument === undefined || executableEntry() !== undefined ? undefined : realpathSync(scriptArgument),
    temporary: existsSync(tmpdir()) ? realpathSync(tmpdir()) : tmpdir(),
    versionOf: (file) => askProgram(file, ['--version'], childEnv),
  }
}

function listNames(directory: string): readonly string[] {
  try {
    return readdirSync(directory)
  } catch {
    return []
  }
}
