// SHELL_ENV=direnv: runs `direnv export json` for the `.envrc` of the project, which direnv does only if the user has
// allowed its content. It runs as a command does, in the sandbox if there is one, because `.envrc` may read files that
// commands can write. Used by project-environment.ts and `doctor`. Starts processes through the shell service.

import { randomUUID } from 'node:crypto'
import { statSync } from 'node:fs'
import { dirname, join } from 'node:path'

import type { Caller } from '@scorpiox/mcp/definitions/caller'
import { errorMessage, Failure } from '@scorpiox/mcp/errors'
import { isJsonObject } from '@scorpiox/mcp/json/json'
import { findDirenvFolders } from '../../../config/environment-files.js'
import type { Config } from '../../../config/load-config.js'
import { listParents, listWritableRoots } from '../../../config/writable-roots.js'
import { isFixedForCommands } from '../../../process/command-environment.js'
import { type CommandVariables, isExportable } from '../../../process/command-variables.js'
import { formatInstallCommand } from '../../../process/install-command.js'
import { quoteShellWord } from '../../../process/shell-quote.js'
import { findTrustedProgram } from '../../../process/trusted-program.js'
import { toSingleLine } from '../../../text/format.js'
import type { CommandResult } from '../shell-service.js'
import { stampFiles } from './file-stamps.js'
import type { LoadedEnvironment } from './project-environment.js'

const LIMIT_MS = 30_000
/** A failure is tried again after this time, even if no file has changed. */
const RETRY_AFTER_MS = 60_000
const MAX_WATCHED = 64
const MAX_PROBLEM = 300
/** More is refused: the system passes a program at most about 2 MB. */
const MAX_CHARACTERS = 256 * 1024

/** Runs a command that no call waits for, with the rights that commands of the caller have. */
export type RunProbe = (
  command: string,
  options: { readonly caller: Caller; readonly limitMs: number; readonly maxCharacters: number },
) => Promise<CommandResult>

interface DirenvOptions {
  readonly config: Config
  readonly isSandboxed: boolean
  readonly runProbe: RunProbe
}

interface LoadedFile {
  readonly watched: readonly string[]
  readonly stamp: string
  readonly at: number
  readonly environment: LoadedEnvironment
}

export function createDirenv(options: DirenvOptions): (caller: Caller) => Promise<LoadedEnvironment> {
  const { config } = options
  let loaded: LoadedFile | undefined
  let loading: Promise<LoadedEnvironment> | undefined

  async function load(file: string, caller: Caller): Promise<LoadedEnvironment> {
    const decisive = listDecisiveFiles(file, config)
    // Taken before it is evaluated: a change during that is noticed.
    const stamp = stampFiles(decisive)
    const { watched, ...environment } = await evaluate(file, caller, options)
    loaded = {
      watched: [...decisive, ...watched],
      stamp: [stamp, ...(watched.length === 0 ? [] : [stampFiles(watched)])].join('\n'),
      at: performance.now(),
      environment,
    }
    return loaded.environment
  }

  function isCurrent({ watched, stamp, at, environment }: LoadedFile, file: string): boolean {
    if (watched[0] !== file || stampFiles(watched) !== stamp) return false
    return environment.problem === undefined || performance.now() - at < RETRY_AFTER_MS
  }

  return (caller) => {
    const file = findEnvrc(config.cwd)
    if (file === undefined) return Promise.resolve({})
    if (loading) return loading
    if (loaded && isCurrent(loaded, file)) return Promise.resolve(loaded.environment)
    loading = load(file, caller).finally(() => (loading = undefined))
    return loading
  }
}

/** Where direnv looks for it: in the working directory, and in those above it. */
export function findEnvrc(cwd: string): string | undefined {
  return listParents(cwd)
    .map((folder) => join(folder, '.envrc'))
    .find((path) => statSync(path, { throwIfNoEntry: false })?.isFile())
}

export function findDirenv(config: Config): string | undefined {
  return findTrustedProgram('direnv', config.childEnv, listWritableRoots(config))
}

/** Sandboxed commands can change neither. */
function listDecisiveFiles(file: string, config: Config): readonly string[] {
  const allowed = findDirenvFolders(config)?.allowed
  return allowed === undefined ? [file] : [file, allowed]
}

type Evaluation = LoadedEnvironment & { readonly watched: readonly string[] }

async function evaluate(file: string, caller: Caller, options: DirenvOptions): Promise<Evaluation> {
  const { config, isSandboxed, runProbe } = options
  const direnv = findDirenv(config)
  const fail = (reason: string): Evaluation => ({ watched: [], problem: `${file} was not loaded: ${reason}` })
  if (direnv === undefined) return fail(`direnv is not installed. Install it: ${formatInstallCommand('direnv')}.`)
  const probe = { caller, limitMs: LIMIT_MS, maxCharacters: MAX_CHARACTERS }
  const program = quoteShellWord(direnv)
  const mark = randomUUID()
  try {
    const result = await runProbe(formatEvaluation(program, mark), probe)
    const [json = '', errors = ''] = result.text.split(`\n${mark}\n`)
    if (result.ending !== 'exit') return fail(`direnv took longer than ${LIMIT_MS / 1000} s.`)
    if (result.exitCode !== 0) return fail(explainError(errors, file))
    const variables = result.truncated ? undefined : parseVariables(json)
    if (variables === undefined) return fail('the output of direnv is too long or not valid.')
    if ((variables.DIRENV_DIR ?? config.childEnv.DIRENV_DIR) === undefined)
      return fail('direnv cannot find it. If the sandbox hides it, add it to SANDBOX_READ.')
    const watches = variables.DIRENV_WATCHES ?? config.childEnv.DIRENV_WATCHES
    // In a sandbox commands could change what else it reads; that counts with the next server.
    if (isSandboxed || !watches || !/^[\w=-]+$/.test(watches))
      return { variables: withoutState(variables), watched: [] }
    const dump = await runProbe(`${program} show_dump ${watches}`, probe)
    const watched = dump.exitCode === 0 ? parseWatches(dump.text, file) : []
    return { variables: withoutState(variables), watched }
  } catch (error) {
    if (error instanceof Failure) return fail(errorMessage(error))
    throw error
  }
}

/** stdout of direnv, then a line with the mark, then its stderr. */
function formatEvaluation(program: string, mark: string): string {
  return (
    `export DIRENV_LOG_FORMAT=; { errors=$(${program} export json 2>&1 >&3 3>&-); status=$?; } 3>&1; ` +
    `printf '\\n%s\\n%s' ${mark} "$errors"; exit $status`
  )
}

function explainError(errors: string, file: string): string {
  if (/ is blocked\b/.test(errors))
    return (
      'its content is not allowed. Commands run without it until the user has read it and run ' +
      `\`direnv allow ${dirname(file)}\`.`
    )
  const text = toSingleLine(errors.trim(), MAX_PROBLEM)
  return text === '' ? 'direnv failed without a message.' : `direnv failed: ${text}`
}

/** Undefined if it is not what direnv prints. */
function parseVariables(json: string): Record<string, string | null> | undefined {
  if (json.trim() === '') return {}
  const parsed = parseJson(json)
  if (!isJsonObject(parsed)) return undefined
  const entries = Object.entries(parsed).flatMap(([name, value]): [string, string | null][] => {
    if (value !== null && typeof value !== 'string') return []
    return isExportable(name, value) && !isFixedForCommands(name) ? [[name, value]] : []
  })
  return Object.fromEntries(entries)
}

/** What direnv notes for itself is longer than most environments, and a shell reads its command byte by byte. */
function withoutState(variables: CommandVariables): CommandVariables {
  return Object.fromEntries(Object.entries(variables).filter(([name]) => !name.startsWith('DIRENV_')))
}

function parseWatches(json: string, file: string): readonly string[] {
  const parsed = parseJson(json)
  if (!Array.isArray(parsed)) return []
  return parsed
    .flatMap((entry: unknown) => (isJsonObject(entry) && typeof entry.Path === 'string' ? [entry.Path] : []))
    .filter((path) => path !== file)
    .slice(0, MAX_WATCHED)
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
