// Loads the effective settings: defaults, files, profile, environment, `-e`, in increasing precedence, each value with
// its source. With home.ts the only reader of process.env. It never fails: an invalid value causes a warning, and the value of lower
// precedence is used. Called by main.ts of the app; most code gets the result. Reads files and the environment.

import { readFileSync, type Stats, statSync } from 'node:fs'
import { isAbsolute, join, resolve } from 'node:path'

import { errorMessage } from '@scorpiox/mcp/errors'
import { parseEnvFile } from './env-file.js'
import { findHome } from './home.js'
import { completePath, readLoginPathDeps } from './login-path.js'
import { listOptions, type Option, type Settings } from './options.js'
import { readByteOrderMark } from '../text/utf16.js'
import { createSettingsBuilder, type EffectiveSetting, type SettingsBuilder } from './settings.js'

const MAX_FILE_BYTES = 64 * 1024

export interface Config {
  readonly options: ReadonlyMap<string, Option>
  readonly settings: Settings
  readonly effective: ReadonlyMap<string, EffectiveSetting>
  readonly warnings: readonly string[]
  /** The files that were read, lowest precedence first. */
  readonly files: readonly string[]
  /** The directory commands run in. */
  readonly cwd: string
  /** The user's home directory; '' if there is none. */
  readonly home: string
  /** The directory of the program. */
  readonly programDir: string
  /** The directory of the lazily loaded parts; it may be inside the executable. */
  readonly partsDir: string
  /** The program's code on disk: a folder, or one file. */
  readonly ownCode: string
  /** Files and folders that may contain the user's secrets, whether they exist or not. */
  readonly secretFiles: readonly string[]
  /** The session folder of the parent process, from SX_SESSION_DIR; '' if not set. */
  readonly sessionDir: string
  /** The environment for child processes: the server's own, without secrets; on macOS with the PATH of a login shell. */
  readonly childEnv: NodeJS.ProcessEnv
  /** The proxies named by the environment; '' for none. */
  readonly proxies: ProxyEnvironment
}

export interface ProxyEnvironment {
  readonly http: string
  readonly https: string
  /** Hosts that bypass the proxy, in the format of NO_PROXY. */
  readonly bypass: string
}

export interface LoadConfigOptions {
  /** The directory of the program, which may contain a scorpiox-env.txt. */
  readonly programDir: string
  /** The tools of the program; each has an option that switches it off. */
  readonly toolNames?: readonly string[]
  /** Default for both: `programDir`. */
  readonly partsDir?: string
  readonly ownCode?: string
  readonly cwdFlag?: string | undefined
  readonly overrides?: readonly string[] | undefined
}

export function loadConfig({ cwdFlag, overrides = [], toolNames = [], ...program }: LoadConfigOptions): Config {
  const { programDir, partsDir = programDir, ownCode = programDir } = program
  const { env } = process
  const options = listOptions(toolNames)
  const builder = createSettingsBuilder(options)
  const startDir = resolve(cwdFlag ?? askOsOrDefault(() => process.cwd(), '/', builder))
  const home = askOsOrDefault(findHome, '', builder)
  // A relative home would resolve inside the project, which could then pose as the user.
  const userHome = isAbsolute(home) ? home : ''
  const files = [
    ...listUserFiles(programDir, userHome).filter((path) => readFileInto(builder, path, true)),
    ...listProjectFiles(startDir).filter((path) => readFileInto(builder, path, false)),
    ...readProfile(builder, findActiveProfile(builder, overrides), listProfileFolders(programDir, userHome, startDir)),
  ]
  for (const key of options.keys()) {
    const value = env[key]
    if (value !== undefined && value !== '') builder.add({ key, value, source: 'environment', isFromUser: true })
  }
  for (const override of overrides) addOverride(builder, override)
  const { settings, effective, warnings } = builder.build()
  const startup = settings.STARTUP_DIR
  const cwd = cwdFlag === undefined && startup !== '' ? resolve(startDir, startup) : startDir
  const profiles = listProfileFolders(programDir, userHome, startDir).filter(({ isFromUser }) => isFromUser)
  const secretFiles = [
    ...listUserFiles(programDir, userHome),
    ...profiles.map(({ folder }) => join(folder, 'scorpiox-env')),
  ]
  let childEnv: NodeJS.ProcessEnv | undefined
  return {
    options,
    settings,
    effective,
    warnings,
    files,
    cwd,
    home,
    programDir,
    partsDir,
    ownCode,
    secretFiles,
    sessionDir: env.SX_SESSION_DIR ?? '',
    // When it is first used: on macOS folders are searched.
    get childEnv() {
      return (childEnv ??= completePath(removeSecrets(env, options), readLoginPathDeps(userHome)))
    },
    proxies: readProxies(env),
  }
}

/** Lower-case names take precedence, as in curl. */
function readProxies(env: NodeJS.ProcessEnv): ProxyEnvironment {
  const all = env.all_proxy || env.ALL_PROXY || ''
  return {
    http: env.http_proxy || env.HTTP_PROXY || all,
    https: env.https_proxy || env.HTTPS_PROXY || all,
    bypass: env.no_proxy || env.NO_PROXY || '',
  }
}

function listUserFiles(programDir: string, home: string): readonly string[] {
  const programFile = join(programDir, 'scorpiox-env.txt')
  // Without a home these paths would be relative, and a project could pose as the user.
  if (home === '') return [programFile]
  return [programFile, join(home, '.scorpiox-env.txt'), join(home, '.claude', 'scorpiox-env.txt')]
}

function listProjectFiles(startDir: string): readonly string[] {
  const folders = [startDir, join(startDir, '.claude'), join(startDir, '.scorpiox')]
  return folders.map((folder) => join(folder, 'scorpiox-env.txt'))
}

interface ProfileFolder {
  readonly folder: string
  readonly isFromUser: boolean
}

function listProfileFolders(programDir: string, home: string, startDir: string): readonly ProfileFolder[] {
  return [
    { folder: join(startDir, '.scorpiox'), isFromUser: false },
    ...(home === '' ? [] : [{ folder: join(home, '.claude'), isFromUser: true }]),
    { folder: programDir, isFromUser: true },
  ]
}

interface Profile {
  readonly name: string
  /** True if the user chose it. A project can only choose its own profiles. */
  readonly isFromUser: boolean
}

function findActiveProfile(builder: SettingsBuilder, overrides: readonly string[]): Profile {
  const flagPrefix = 'ACTIVE_PROFILE='
  const flag = overrides.findLast((override) => override.startsWith(flagPrefix))?.slice(flagPrefix.length)
  const fromUser = flag ?? process.env.ACTIVE_PROFILE ?? ''
  if (fromUser !== '') return { name: fromUser, isFromUser: true }
  const { value = '', isFromUser = true } = builder.current('ACTIVE_PROFILE') ?? {}
  return { name: String(value), isFromUser }
}

/** Reads the first profile file of that name and ignores the others. */
function readProfile(builder: SettingsBuilder, profile: Profile, folders: readonly ProfileFolder[]): readonly string[] {
  const { name } = profile
  if (name === '') return []
  if (name.length > 64 || /[/\\]|\.\./.test(name)) {
    builder.warn('ACTIVE_PROFILE', `${JSON.stringify(name)} is not allowed as a profile name`)
    return []
  }
  for (const { folder, isFromUser } of folders) {
    if (isFromUser && !profile.isFromUser) continue
    const path = join(folder, 'scorpiox-env', `${name}.txt`)
    if (readFileInto(builder, path, isFromUser)) return [path]
  }
  builder.warn('ACTIVE_PROFILE', `profile ${name} was not found in any scorpiox-env folder`)
  return []
}

function readFileInto(builder: SettingsBuilder, path: string, isFromUser: boolean): boolean {
  const text = readIfExists(builder, path)
  if (text === undefined) return false
  const { entries, problems } = parseEnvFile(text)
  for (const { line, about } of problems) builder.warn(`${path}:${line}`, about)
  for (const { key, value, line } of entries) builder.add({ key, value, source: `${path}:${line}`, isFromUser })
  return true
}

function readIfExists(builder: SettingsBuilder, path: string): string | undefined {
  try {
    // Most of these files do not exist, and stat is ten times cheaper than catching an exception.
    const stat = statSync(path, { throwIfNoEntry: false })
    if (!stat || isPlaceholder(stat)) return undefined
    // Reading a FIFO would block the start, and a link to /dev/stdin would consume the protocol's input.
    if (!stat.isFile()) builder.warn(path, 'is not a regular file; it is not read')
    else if (stat.size > MAX_FILE_BYTES) builder.warn(path, `is larger than ${MAX_FILE_BYTES} bytes; it is not read`)
    else return decodeFile(readFileSync(path))
  } catch (error) {
    builder.warn(path, `cannot be read (${errorMessage(error)})`)
  }
  return undefined
}

/** `>` of Windows PowerShell 5 writes UTF-16. */
function decodeFile(bytes: Buffer): string {
  const encoding = readByteOrderMark(bytes)
  return encoding === undefined || encoding === 'utf-8'
    ? bytes.toString('utf8')
    : new TextDecoder(encoding).decode(bytes)
}

/**
 * The sandbox creates a folder with the sticky bit in place of a missing file, so that no command can create the
 * file.
 */
function isPlaceholder(stat: Stats): boolean {
  return stat.isDirectory() && (stat.mode & 0o1000) !== 0
}

function addOverride(builder: SettingsBuilder, override: string): void {
  const equals = override.indexOf('=')
  if (equals <= 0) return builder.warn(`-e ${JSON.stringify(override)}`, 'expected KEY=VALUE')
  const key = override.slice(0, equals)
  builder.add({ key, value: override.slice(equals + 1).trim(), source: '-e', isFromUser: true })
}

/** Calls the OS, which fails if the directory was removed or the user has no passwd entry. */
function askOsOrDefault(readFromOs: () => string, fallback: string, builder: SettingsBuilder): string {
  try {
    return readFromOs()
  } catch (error) {
    const reason = errorMessage(error)
    builder.warn(fallback === '' ? 'home directory' : 'current directory', `${reason}; using ${fallback || 'none'}`)
    return fallback
  }
}

function removeSecrets(env: NodeJS.ProcessEnv, options: Config['options']): NodeJS.ProcessEnv {
  const childEnv = { ...env }
  for (const [key, option] of options) if (option.secret) delete childEnv[key]
  return childEnv
}
