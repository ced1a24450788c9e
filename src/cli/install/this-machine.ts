// The machine and the program as installing sees them. Everything else about it is told these, and looks at neither.

import { readdirSync, realpathSync } from 'node:fs'
import { tmpdir } from 'node:os'

import type { Config } from '../../config/load.js'
import { askProgram } from '../../platform/process.js'
import { executableEntry } from '../../platform/program.js'
import type { Machine } from './clients.js'
import type { Running } from './executable.js'

export function machineOf({ home, cwd, childEnv: env }: Config): Machine {
  return { platform: process.platform, home, cwd, env, list: namesIn }
}

export function runningProgram({ childEnv }: Config): Running {
  const named = process.argv[1]
  return {
    platform: process.platform,
    runtime: process.execPath,
    script: named === undefined || executableEntry() !== undefined ? undefined : realpathSync(named),
    temporary: realpathSync(tmpdir()),
    versionOf: (file) => askProgram(file, ['--version'], childEnv),
  }
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}
