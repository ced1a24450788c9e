// From settings to the terms of the sandbox: what commands may not see, what they may write to, how much they may take.

import { existsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'

import { isWithin } from '../lib/is-within.js'
import type { CageLevel } from '../platform/sandbox/level.js'
import type { SandboxTerms } from '../platform/sandbox/sandbox.js'
import type { Config } from './load.js'
import { scriptFolderOf } from './script-folder.js'
import { SECRET_PLACES } from './secret-places.js'
import { stateDirOf } from './state-dir.js'

export function sandboxTerms(config: Config, levels: readonly CageLevel[]): SandboxTerms {
  const { settings, cwd, home, ownCode, secretFiles, childEnv } = config
  const stateDir = stateDirOf(settings)
  const inHome = (path: string): string => (path.startsWith('~/') ? join(home, path.slice(2)) : resolve(cwd, path))
  const scripts = [scriptFolderOf(config) ?? []].flat()
  const wishes = listed(settings.SANDBOX_HIDE)
  const shown = new Set(wishes.flatMap((wish) => (wish.startsWith('!') ? [inHome(wish.slice(1))] : [])))
  const places = [...SECRET_PLACES, ...wishes.filter((wish) => !wish.startsWith('!'))]
    // Without a home there is nothing of the person's, and these would be names in the project.
    .filter((path) => home !== '' || !path.startsWith('~/'))
    .map(inHome)
    .filter((path) => !shown.has(path) && path !== home)
  return {
    levels,
    project: cwd,
    home,
    folder: join(stateDir, 'sandbox'),
    hidden: [
      stateDir,
      // The server speaks to its shells through pipes in there, and a pipe can be written to on a read-only mount.
      tmpdir(),
      ...secretFiles,
      ...(settings.TLS_KEY === '' ? [] : [resolve(settings.TLS_KEY)]),
      ...places,
    ],
    writable: listed(settings.SANDBOX_WRITE).map(inHome),
    readable: listed(settings.SANDBOX_READ).map(inHome),
    obeyed: secretFiles,
    fixed: [ownCode, ...scripts.filter((folder) => existsSync(folder) && !isWithin(cwd, folder))],
    programs: scripts,
    pids: settings.SANDBOX_PIDS,
    memoryBytes: settings.SANDBOX_MEMORY_MB * 1024 * 1024,
    env: childEnv,
  }
}

function listed(value: string): readonly string[] {
  return value
    .split(',')
    .map((path) => path.trim())
    .filter((path) => path !== '')
}
