// SHELL_ENV=venv: the Python environment in `.venv` and the Node.js of `.nvmrc`. Nothing of the project is run: what
// their activation would do is done here, which is to set PATH and VIRTUAL_ENV. Used by project-environment.ts and
// `doctor`. Reads the file system only.

import { existsSync, readdirSync, statSync } from 'node:fs'
import { basename, delimiter, dirname, join } from 'node:path'

import type { Caller } from '@scorpiox/mcp/definitions/caller'
import { listNodeFolders, listProjectFolders } from '../../../config/environment-files.js'
import type { Config } from '../../../config/load-config.js'
import { listWritableRoots } from '../../../config/writable-roots.js'
import { quoteShellWord } from '../../../process/shell-quote.js'
import type { RunProbe } from './direnv.js'
import { stampFiles } from './file-stamps.js'
import { findNodeVersion } from './node-version.js'
import type { LoadedEnvironment } from './project-environment.js'

const PROBE_LIMIT_MS = 10_000
/** A failure is tried again after this time, even if no file has changed. */
const RETRY_AFTER_MS = 10_000

interface VirtualEnvironmentOptions {
  readonly config: Pick<Config, 'settings' | 'cwd' | 'home' | 'childEnv' | 'ownCode' | 'programDir'>
  /** Of commands. */
  readonly env: NodeJS.ProcessEnv
  readonly isSandboxed: boolean
  readonly runProbe: RunProbe
}

export function createVirtualEnvironment(
  options: VirtualEnvironmentOptions,
): (caller: Caller) => Promise<LoadedEnvironment> {
  const folders = listProjectFolders(options.config.cwd)
  const watched = folders.flatMap((folder) => [join(folder, '.venv', 'pyvenv.cfg'), join(folder, '.nvmrc')])
  let loaded: { readonly stamp: string; readonly at: number; readonly environment: LoadedEnvironment } | undefined
  return async (caller) => {
    const stamp = stampFiles(watched)
    // What is missing may be installed meanwhile.
    const isOld = loaded?.environment.problem !== undefined && performance.now() - loaded.at > RETRY_AFTER_MS
    if (loaded?.stamp === stamp && !isOld) return loaded.environment
    const found = findPrograms(options)
    const hidden = options.isSandboxed ? await listHiddenPrograms(found, caller, options.runProbe) : []
    const environment = toEnvironment(found, hidden, options.env)
    loaded = { stamp, at: performance.now(), environment }
    return environment
  }
}

/** Without a look at what a sandbox hides. */
export function findPrograms({
  config,
  isSandboxed,
}: Pick<VirtualEnvironmentOptions, 'config' | 'isSandboxed'>): readonly FoundPrograms[] {
  const folders = listProjectFolders(config.cwd)
  return [findPython(folders) ?? [], findNode(folders, config, isSandboxed) ?? []].flat()
}

function toEnvironment(
  found: readonly FoundPrograms[],
  hidden: readonly string[],
  env: NodeJS.ProcessEnv,
): LoadedEnvironment {
  const usable = found.filter(({ program }) => program !== undefined && !hidden.includes(program))
  const bins = usable.flatMap(({ program }) => (program === undefined ? [] : [dirname(program)]))
  const venv = usable.find(({ source }) => basename(source) === '.venv')
  const sentences = [
    ...found.flatMap(({ problem }) => problem ?? []),
    ...hidden.map(
      (program) =>
        `${program} cannot be used, because the sandbox hides it or the target of its link: add the hidden path to SANDBOX_READ, or exempt it with ! in SANDBOX_HIDE`,
    ),
  ]
  return {
    ...(sentences.length > 0 && { problem: `${sentences.join('; ')}.` }),
    variables: {
      ...(bins.length > 0 && putInPath(bins, env)),
      ...(venv && { VIRTUAL_ENV: venv.source, PYTHONHOME: null }),
    },
  }
}

/** A shell would pass over them in silence, and take others of PATH. */
async function listHiddenPrograms(
  found: readonly FoundPrograms[],
  caller: Caller,
  runProbe: RunProbe,
): Promise<readonly string[]> {
  const programs = found.flatMap(({ program }) => program ?? [])
  if (programs.length === 0) return []
  const command = `for program in ${programs.map(quoteShellWord).join(' ')}; do [[ -x $program ]]; echo $?; done`
  const { text } = await runProbe(command, { caller, limitMs: PROBE_LIMIT_MS, maxCharacters: 1000 })
  const codes = text.split('\n')
  return programs.filter((_, at) => codes[at] !== '0')
}

function putInPath(folders: readonly string[], env: NodeJS.ProcessEnv): Record<string, string> {
  // Windows does not tell Path from PATH.
  const name =
    Object.keys(env).find((each) => each === 'PATH' || (IS_WINDOWS && each.toUpperCase() === 'PATH')) ?? 'PATH'
  const rest = env[name] ?? ''
  return { [name]: [...folders, ...(rest === '' ? [] : [rest])].join(delimiter) }
}

export interface FoundPrograms {
  /** The folder or file that says so. */
  readonly source: string
  /** In the folder that comes first in PATH. */
  readonly program?: string
  readonly problem?: string
}

const IS_WINDOWS = process.platform === 'win32'

function findPython(folders: readonly string[]): FoundPrograms | undefined {
  const source = folders.map((folder) => join(folder, '.venv')).find((path) => existsSync(path) && !isEmptyFolder(path))
  if (source === undefined) return undefined
  const program = join(source, IS_WINDOWS ? 'Scripts/python.exe' : 'bin/python')
  const fail = (reason: string): FoundPrograms => ({ source, problem: `${source} was not loaded: ${reason}` })
  if (!existsSync(join(source, 'pyvenv.cfg')))
    return fail('it is not a Python virtual environment (pyvenv.cfg is missing)')
  if (!existsSync(program)) return fail('its Python no longer exists. Create it again: python3 -m venv --clear .venv')
  return source.includes(delimiter)
    ? fail(`PATH cannot contain a folder with "${delimiter}" in its name`)
    : { source, program }
}

/** The sandbox keeps the name by an empty folder. */
function isEmptyFolder(path: string): boolean {
  return statSync(path).isDirectory() && readdirSync(path).length === 0
}

function findNode(
  folders: readonly string[],
  config: VirtualEnvironmentOptions['config'],
  isSandboxed: boolean,
): FoundPrograms | undefined {
  const source = folders
    .map((folder) => join(folder, '.nvmrc'))
    .find((path) => statSync(path, { throwIfNoEntry: false })?.isFile())
  if (source === undefined) return undefined
  const found = findNodeVersion(source, listNodeFolders(config))
  if (!('program' in found)) return { source, problem: found.problem }
  const bin = dirname(found.program)
  if (isSandboxed && listWritableRoots(config).contains(bin))
    return { source, problem: `${bin} is not used, because sandboxed commands can write to it` }
  return { source, program: found.program }
}
