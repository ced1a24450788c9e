// Effective settings: defaults ← files ← profile ← environment ← `-e`, each value with where it came from.
// The only reader of process.env. Nothing here fails: what cannot be used is warned about, and the value below stands.

import { readFileSync, statSync, type Stats } from 'node:fs'
import { homedir } from 'node:os'
import { isAbsolute, join, resolve } from 'node:path'

import { reasonOf } from '../lib/reason-of.js'
import { createCollection, type Collection, type Setting } from './collect.js'
import { parseEnvFile } from './env-file.js'
import { OPTIONS, type Settings } from './options.js'

const MAX_FILE_BYTES = 64 * 1024

export interface Config {
  readonly settings: Settings
  readonly effective: ReadonlyMap<string, Setting>
  readonly warnings: readonly string[]
  /** The files that were found and read, lowest precedence first. */
  readonly files: readonly string[]
  /** The directory commands run in. */
  readonly cwd: string
  /** The person's home; empty where there is none. */
  readonly home: string
  /** Where the program itself lies. */
  readonly programDir: string
  /** Where its parts are, which may be within it. */
  readonly partsDir: string
  /** What on the disk is its code: a folder, or one file. */
  readonly ownCode: string
  /** Files and folders that may hold the person's secrets, whether they exist or not. */
  readonly secretFiles: readonly string[]
  /** The folder of the session that the program which started us has, where it told us one; else empty. */
  readonly sessionDir: string
  /** The environment for programs this server starts: ours, without our secrets. */
  readonly childEnv: NodeJS.ProcessEnv
  /** The proxies that the environment names, each '' where it names none. */
  readonly proxies: Proxies
}

export interface Proxies {
  readonly http: string
  readonly https: string
  /** Hosts that are reached without, as NO_PROXY lists them. */
  readonly bypass: string
}

export interface LoadInput {
  /** Where the program itself lies: its folder may hold a scorpiox-env.txt. */
  readonly programDir: string
  /** Both that folder where nothing else is said. */
  readonly partsDir?: string
  readonly ownCode?: string
  readonly cwdFlag?: string | undefined
  readonly overrides?: readonly string[] | undefined
}

export function loadConfig({ cwdFlag, overrides = [], ...program }: LoadInput): Config {
  const { programDir, partsDir = programDir, ownCode = programDir } = program
  const { env } = process
  const collected = createCollection()
  const base = resolve(cwdFlag ?? orElse(() => process.cwd(), '/', collected))
  const home = orElse(homedir, '', collected)
  // One that is relative leads into the project, which could stand in for the person.
  const personalHome = isAbsolute(home) ? home : ''
  const files = [
    ...personalFiles(programDir, personalHome).filter((path) => readInto(collected, path, true)),
    ...projectFiles(base).filter((path) => readInto(collected, path, false)),
    ...readProfile(collected, profileOf(collected, overrides), profilePlaces(programDir, personalHome, base)),
  ]
  for (const key of OPTIONS.keys()) {
    const value = env[key]
    if (value !== undefined && value !== '') collected.take({ key, value, source: 'environment', personal: true })
  }
  for (const override of overrides) takeOverride(collected, override)
  const { settings, effective, warnings } = collected.finish()
  const startup = settings.STARTUP_DIR
  const cwd = cwdFlag === undefined && startup !== '' ? resolve(base, startup) : base
  const profiles = profilePlaces(programDir, personalHome, base).filter(({ personal }) => personal)
  const secretFiles = [
    ...personalFiles(programDir, personalHome),
    ...profiles.map(({ folder }) => join(folder, 'scorpiox-env')),
  ]
  return {
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
    childEnv: withoutSecrets(env),
    proxies: proxiesOf(env),
  }
}

/** In small letters first, as curl has it. */
function proxiesOf(env: NodeJS.ProcessEnv): Proxies {
  const all = env.all_proxy || env.ALL_PROXY || ''
  return {
    http: env.http_proxy || env.HTTP_PROXY || all,
    https: env.https_proxy || env.HTTPS_PROXY || all,
    bypass: env.no_proxy || env.NO_PROXY || '',
  }
}

function personalFiles(programDir: string, home: string): readonly string[] {
  const beside = join(programDir, 'scorpiox-env.txt')
  // Without a home, these names would be relative, and a project could stand in for the person.
  if (home === '') return [beside]
  return [beside, join(home, '.scorpiox-env.txt'), join(home, '.claude', 'scorpiox-env.txt')]
}

function projectFiles(base: string): readonly string[] {
  const folders = [base, join(base, '.claude'), join(base, '.scorpiox')]
  return folders.map((folder) => join(folder, 'scorpiox-env.txt'))
}

interface Place {
  readonly folder: string
  readonly personal: boolean
}

function profilePlaces(programDir: string, home: string, base: string): readonly Place[] {
  return [
    { folder: join(base, '.scorpiox'), personal: false },
    ...(home === '' ? [] : [{ folder: join(home, '.claude'), personal: true }]),
    { folder: programDir, personal: true },
  ]
}

interface Profile {
  readonly name: string
  /** Whether the person chose it; a project may choose its own profiles only. */
  readonly personal: boolean
}

function profileOf(collected: Collection, overrides: readonly string[]): Profile {
  const prefix = 'ACTIVE_PROFILE='
  const flag = overrides.findLast((override) => override.startsWith(prefix))?.slice(prefix.length)
  const chosen = flag ?? process.env.ACTIVE_PROFILE ?? ''
  if (chosen !== '') return { name: chosen, personal: true }
  const { value = '', personal = true } = collected.current('ACTIVE_PROFILE') ?? {}
  return { name: String(value), personal }
}

/** Reads the first file of that name; the others are shadowed whole. */
function readProfile(collected: Collection, profile: Profile, places: readonly Place[]): readonly string[] {
  const { name } = profile
  if (name === '') return []
  if (name.length > 64 || /[/\\]|\.\./.test(name)) {
    collected.warn('ACTIVE_PROFILE', `${JSON.stringify(name)} is not allowed as a profile name`)
    return []
  }
  for (const { folder, personal } of places) {
    if (personal && !profile.personal) continue
    const path = join(folder, 'scorpiox-env', `${name}.txt`)
    if (readInto(collected, path, personal)) return [path]
  }
  collected.warn('ACTIVE_PROFILE', `profile ${name} was not found in any scorpiox-env folder`)
  return []
}

function readInto(collected: Collection, path: string, personal: boolean): boolean {
  const text = readIfThere(collected, path)
  if (text === undefined) return false
  const { entries, complaints } = parseEnvFile(text)
  for (const { line, about } of complaints) collected.warn(`${path}:${line}`, about)
  for (const { key, value, line } of entries) collected.take({ key, value, source: `${path}:${line}`, personal })
  return true
}

function readIfThere(collected: Collection, path: string): string | undefined {
  try {
    // Most of these files do not exist, and asking is ten times cheaper than catching.
    const stat = statSync(path, { throwIfNoEntry: false })
    if (!stat || isPlaceholder(stat)) return undefined
    // A pipe would block the start, and a link to /dev/stdin would swallow the protocol.
    if (!stat.isFile()) collected.warn(path, 'is not a regular file; it is not read')
    else if (stat.size > MAX_FILE_BYTES) collected.warn(path, `is larger than ${MAX_FILE_BYTES} bytes; it is not read`)
    else return readFileSync(path, 'utf8')
  } catch (error) {
    collected.warn(path, `cannot be read (${reasonOf(error)})`)
  }
  return undefined
}

/** What the sandbox puts where no such file is, so that no command can: a folder with the sticky bit. */
function isPlaceholder(stat: Stats): boolean {
  return stat.isDirectory() && (stat.mode & 0o1000) !== 0
}

function takeOverride(collected: Collection, override: string): void {
  const equals = override.indexOf('=')
  if (equals <= 0) return collected.warn(`-e ${JSON.stringify(override)}`, 'expected KEY=VALUE')
  const key = override.slice(0, equals)
  collected.take({ key, value: override.slice(equals + 1).trim(), source: '-e', personal: true })
}

/** What the system may refuse to tell: a directory that was removed, a user without an entry. */
function orElse(ask: () => string, fallback: string, collected: Collection): string {
  try {
    return ask()
  } catch (error) {
    const reason = reasonOf(error)
    collected.warn(fallback === '' ? 'home directory' : 'current directory', `${reason}; using ${fallback || 'none'}`)
    return fallback
  }
}

function withoutSecrets(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const clean = { ...env }
  for (const [key, option] of OPTIONS) if (option.secret) delete clean[key]
  return clean
}
