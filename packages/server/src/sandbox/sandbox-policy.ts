// Derives the sandbox policy from the settings: hidden, writable and readable paths, and resource limits.
// Those of secret-paths.ts are hidden by default. Used when a sandbox is opened, and by the image tool and plan mode, which
// refuse to read hidden paths themselves. Lists directories; changes nothing.

import { existsSync, readdirSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'

import { bunVersion } from '@scorpiox/mcp/runtime'
import { listClientSecrets, listClientSettings, type MachineInfo } from '../clients/client-paths.js'
import type { Config } from '../config/load-config.js'
import { listEnvironmentFiles, listEnvironmentFolders } from '../config/environment-files.js'
import { expandPath, getScriptFolder, getStateDir, splitList, splitPathList } from '../config/paths.js'
import { findWorkspaceFolder } from '../config/workspace-root.js'
import { listPackageFolders, listParents } from '../config/writable-roots.js'
import { resolveMemoryLimit } from '../process/command-memory.js'
import { findExecutableEntry } from '../process/program-files.js'
import { codeCacheFolder } from '../storage/code-cache.js'
import { isInsideDirectory } from '../files/path-containment.js'
import type { ActiveSandboxLevel } from './sandbox-level.js'
import type { SandboxPolicy } from './sandbox.js'
import { listSecretPaths } from './secret-paths.js'

export function createSandboxPolicy(config: Config, levels: readonly ActiveSandboxLevel[]): SandboxPolicy {
  const { settings, cwd, home, ownCode, secretFiles, childEnv } = config
  const stateDir = getStateDir(settings)
  const codeCache = [codeCacheFolder(home) ?? []].flat()
  const expand = (path: string): string => expandPath(path, config)
  const machine = readMachine(config)
  const scriptFolders = [getScriptFolder(config) ?? []].flat()
  const skillFolders = splitPathList(settings.ADDITIONAL_SKILLS, config)
  const isProtectable = (folder: string): boolean => existsSync(folder) && !isInsideDirectory(cwd, folder)
  const entries = splitList(settings.SANDBOX_HIDE)
  const unhidden = new Set(entries.flatMap((entry) => (entry.startsWith('!') ? [expand(entry.slice(1))] : [])))
  const secretPaths = [...listSecretPaths(process.platform), ...(home === '' ? [] : listClientSecrets(machine))]
  const hiddenPaths = [...secretPaths, ...entries.filter((entry) => !entry.startsWith('!'))]
    // Without a home these paths would be relative to the project.
    .filter((path) => home !== '' || !path.startsWith('~/'))
    .map(expand)
    .filter((path) => !unhidden.has(path) && path !== home)
  return {
    levels,
    project: cwd,
    home,
    workFolder: join(stateDir, 'sandbox'),
    hidden: [
      stateDir,
      ...codeCache,
      // The FIFOs of the shell pool are there, and a FIFO can be written to even on a read-only mount.
      tmpdir(),
      // The folder of the caller is visible in it.
      ...[findWorkspaceFolder(settings.WORKSPACE_ROOT) ?? []].flat(),
      ...secretFiles,
      ...(settings.TLS_KEY === '' ? [] : [resolve(settings.TLS_KEY)]),
      ...hiddenPaths,
    ],
    isProjectShared: settings.ADVERTISE_URL !== '' && settings.WORKSPACE_FILES === 'shared',
    writable: splitPathList(settings.SANDBOX_WRITE, config),
    readable: splitPathList(settings.SANDBOX_READ, config),
    program: [ownCode, process.execPath],
    obeysProjectFiles: obeysProjectFiles(),
    controlFiles: [
      ...secretFiles,
      ...codeCache,
      ...listPackagePaths(config),
      ...(home === '' ? [] : listClientSettings(machine)),
      ...listEnvironmentFiles(config),
      ...[settings.TLS_CERT, settings.MACHINE_CA].filter((file) => file !== '').map((file) => resolve(file)),
    ],
    readOnly: [ownCode, process.execPath, ...[...scriptFolders, ...skillFolders].filter(isProtectable)],
    scriptFolders: [...scriptFolders, ...listEnvironmentFolders(config)],
    pids: settings.SANDBOX_PIDS,
    memoryBytes: settings.SANDBOX_MEMORY_MB * 1024 * 1024,
    totalMemoryBytes: resolveMemoryLimit(settings.COMMANDS_MEMORY_MB),
    env: childEnv,
  }
}

/** Bun does, unless it was started with flags. The executable was built so that it does not. */
function obeysProjectFiles(): boolean {
  if (bunVersion() === undefined || findExecutableEntry() !== undefined) return false
  const { execArgv } = process
  return !execArgv.includes('--no-env-file') || !execArgv.some((flag) => flag.startsWith('--config='))
}

/** Where the runtime searches the packages of this server, and on Bun the files that redirect that search. */
function listPackagePaths(config: Config): readonly string[] {
  const folders = listPackageFolders(config)
  if (bunVersion() === undefined || folders.length === 0) return folders
  const redirects = listParents(config.ownCode).flatMap((folder) =>
    ['tsconfig.json', 'jsconfig.json'].map((name) => join(folder, name)),
  )
  return [...folders, ...redirects]
}

function readMachine({ home, cwd, childEnv: env }: Config): MachineInfo {
  return { platform: process.platform, home, cwd, env, listDirectory: listNames }
}

function listNames(directory: string): readonly string[] {
  try {
    return readdirSync(directory)
  } catch {
    return []
  }
}
