// Effective settings: defaults ← files ← environment ← `-e`, each value with where it came from.
// The only reader of process.env. Nothing here fails: what cannot be used is warned about, and the default stands.

import { existsSync, readFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { join, resolve } from 'node:path'

import { parseEnvFile } from './env-file.js'
import { isForeign, OPTIONS, type Option, type Settings } from './options.js'

export interface Setting {
  readonly value: boolean | number | string
  /** `default`, `environment`, `-e`, or `<file>:<line>`. */
  readonly source: string
}

export interface Config {
  readonly settings: Settings
  readonly effective: ReadonlyMap<string, Setting>
  readonly warnings: readonly string[]
  /** The files that were found and read, lowest precedence first. */
  readonly files: readonly string[]
  /** The directory commands run in. */
  readonly cwd: string
  /** The environment for programs this server starts: ours, without our secrets. */
  readonly childEnv: NodeJS.ProcessEnv
}

export interface LoadInput {
  /** Where the program itself lies: its folder may hold a scorpiox-env.txt. */
  readonly programDir: string
  readonly cwdFlag?: string | undefined
  readonly overrides?: readonly string[] | undefined
}

export function loadConfig({ programDir, cwdFlag, overrides = [] }: LoadInput): Config {
  const { env } = process
  const base = resolve(cwdFlag ?? process.cwd())
  const collected = createCollector()
  const home = homedir()
  for (const path of personalFiles(programDir, home)) readInto(collected, path, true)
  for (const path of projectFiles(base)) readInto(collected, path, false)
  readProfile(collected, programDir, home, base)
  for (const key of OPTIONS.keys()) {
    const value = env[key]
    if (value !== undefined && value !== '') collected.take({ key, value, source: 'environment', personal: true })
  }
  for (const override of overrides) takeOverride(collected, override)
  const config = collected.finish()
  const startup = config.settings.STARTUP_DIR
  const cwd = cwdFlag === undefined && startup !== '' ? resolve(base, startup) : base
  return { ...config, cwd, childEnv: withoutSecrets(env) }
}

function personalFiles(programDir: string, home: string): readonly string[] {
  return [
    join(programDir, 'scorpiox-env.txt'),
    join(home, '.scorpiox-env.txt'),
    join(home, '.claude', 'scorpiox-env.txt'),
  ]
}

function projectFiles(base: string): readonly string[] {
  return [
    join(base, 'scorpiox-env.txt'),
    join(base, '.claude', 'scorpiox-env.txt'),
    join(base, '.scorpiox', 'scorpiox-env.txt'),
  ]
}

interface Candidate {
  readonly key: string
  readonly value: string
  readonly source: string
  readonly personal: boolean
}

function createCollector() {
  const effective = new Map<string, Setting>()
  const warnings: string[] = []
  const files: string[] = []
  for (const [key, option] of OPTIONS) effective.set(key, { value: option.default, source: 'default' })

  function take({ key, value, source, personal }: Candidate): void {
    const option = OPTIONS.get(key)
    if (!option) {
      if (!isForeign(key)) warnings.push(`${source}: unknown key ${key}`)
      return
    }
    if (option.personal && !personal) {
      warnings.push(`${source}: ${key} cannot be set by a project; set it in your own file or the environment`)
      return
    }
    const parsed = parseValue(option, value)
    if (parsed === undefined) {
      warnings.push(
        `${source}: ${key} must be ${expected(option)}, got ${JSON.stringify(value)}; using ${effective.get(key)?.value}`,
      )
      return
    }
    effective.set(key, { value: parsed, source })
  }

  return {
    take,
    warn: (warning: string) => void warnings.push(warning),
    found: (file: string) => void files.push(file),
    profile: () => String(effective.get('ACTIVE_PROFILE')?.value ?? ''),
    finish: () => ({ settings: settingsOf(effective), effective, warnings, files }),
  }
}

type Collector = ReturnType<typeof createCollector>

function readInto(collected: Collector, path: string, personal: boolean): boolean {
  const text = readIfThere(collected, path)
  if (text === undefined) return false
  collected.found(path)
  const { entries, complaints } = parseEnvFile(text)
  for (const { line, about } of complaints) collected.warn(`${path}:${line}: ${about}`)
  for (const { key, value, line } of entries) collected.take({ key, value, source: `${path}:${line}`, personal })
  return true
}

function readProfile(collected: Collector, programDir: string, home: string, base: string): void {
  const name = process.env.ACTIVE_PROFILE || collected.profile()
  if (name === '') return
  if (name.length > 64 || /[/\\]|\.\./.test(name))
    return collected.warn(`profile name not allowed: ${JSON.stringify(name)}`)
  const places = [
    { dir: join(base, '.scorpiox'), personal: false },
    { dir: join(home, '.claude'), personal: true },
    { dir: programDir, personal: true },
  ]
  const used = places.some(({ dir, personal }) =>
    readInto(collected, join(dir, 'scorpiox-env', `${name}.txt`), personal),
  )
  if (!used) collected.warn(`profile ${name} was not found in any scorpiox-env folder`)
}

function takeOverride(collected: Collector, override: string): void {
  const equals = override.indexOf('=')
  if (equals <= 0) return collected.warn(`-e ${override}: expected KEY=VALUE`)
  const key = override.slice(0, equals)
  collected.take({ key, value: override.slice(equals + 1).trim(), source: '-e', personal: true })
}

function readIfThere(collected: Collector, path: string): string | undefined {
  // Most of these files do not exist, and asking is ten times cheaper than catching.
  if (!existsSync(path)) return undefined
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    collected.warn(`${path}: cannot be read (${error instanceof Error ? error.message : String(error)})`)
    return undefined
  }
}

function parseValue(option: Option, value: string): Setting['value'] | undefined {
  if (option.type === 'string') return value
  if (option.type === 'boolean') return parseBoolean(value)
  if (option.type === 'choice') return option.choices.includes(value) ? value : undefined
  const number = /^-?\d+$/.test(value) ? Number(value) : Number.NaN
  return number >= option.min && number <= option.max ? number : undefined
}

// An empty value in a file means "on", as it does for the terminal program.
function parseBoolean(value: string): boolean | undefined {
  if (/^(|1|true|on|yes)$/i.test(value)) return true
  return /^(0|false|off|no)$/i.test(value) ? false : undefined
}

function expected(option: Option): string {
  if (option.type === 'boolean') return 'true or false'
  if (option.type === 'choice') return `one of ${option.choices.join(', ')}`
  return option.type === 'integer' ? `a whole number from ${option.min} to ${option.max}` : 'text'
}

function settingsOf(effective: ReadonlyMap<string, Setting>): Settings {
  const settings = Object.fromEntries([...effective].map(([key, { value }]) => [key, value]))
  if (!isSettings(settings)) throw new Error('a setting is missing')
  return settings
}

// Holds by construction: every option has an entry, and parseValue returns the option's type.
function isSettings(settings: Record<string, unknown>): settings is Settings {
  return [...OPTIONS.keys()].every((key) => key in settings)
}

function withoutSecrets(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const clean = { ...env }
  for (const [key, option] of OPTIONS) if (option.secret) delete clean[key]
  return clean
}
