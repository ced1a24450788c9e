// Derives the sandbox policy from the settings: hidden, writable and readable paths, and resource limits.

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
  const expandPath = (path: string): string => (path.startsWith('~/') ? join(home, path.slice(2)) : resolve(cwd, path))
  const scriptFolders = [scriptFolderOf(config) ?? []].flat()
  const entries = splitList(settings.SANDBOX_HIDE)
  const unhidden = new Set(entries.flatMap((entry) => (entry.startsWith('!') ? [expandPath(entry.slice(1))] : [])))
  const hiddenPaths = [...SECRET_PLACES, ...entries.filter((entry) => !entry.startsWith('!'))]
    // Without a home these paths would be relative to the project.
    .filter((path) => home !== '' || !path.startsWith('~/'))
    .map(expandPath)
    .filter((path) => !unhidden.has(path) && path !== home)
  return {
    levels,
    project: cwd,
    home,
    folder: join(stateDir, 'sandbox'),
    hidden: [
      stateDir,
      // The FIFOs of the shell pool are there, and a FIFO can be written to even on a read-only mount.
      tmpdir(),
      ...secretFiles,
      ...(settings.TLS_KEY === '' ? [] : [resolve(settings.TLS_KEY)]),
      ...hiddenPaths,
    ],
    writable: splitList(settings.SANDBOX_WRITE).map(expandPath),
    readable: splitList(settings.SANDBOX_READ).map(expandPath),
    obeyed: secretFiles,
    fixed: [ownCode, ...scriptFolders.filter((folder) => existsSync(folder) && !isWithin(cwd, folder))],
    programs: scriptFolders,
    pids: settings.SANDBOX_PIDS,
    memoryBytes: settings.SANDBOX_MEMORY_MB * 1024 * 1024,
    env: childEnv,
  }
}

function splitList(value: string): readonly string[] {
  return value
    .split(',')
    .map((path) => path.trim())
    .filter((path) => path !== '')
}
