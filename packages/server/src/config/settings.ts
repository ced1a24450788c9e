// Merges settings in order of precedence, for load-config.ts: the last valid value of a key wins, and an invalid value
// causes a warning. The number of warnings per file is limited. Pure.

import { belongsToTerminalProgram, type Option, type Settings } from './options.js'

const MAX_WARNINGS_PER_FILE = 20

export interface EffectiveSetting {
  readonly value: boolean | number | string
  /** `default`, `environment`, `-e`, or `<file>:<line>`. */
  readonly source: string
  readonly isFromUser: boolean
}

export interface SettingValue {
  readonly key: string
  readonly value: string
  readonly source: string
  /** True if the user set it; false if it comes from a project, which may have been cloned. */
  readonly isFromUser: boolean
}

export interface SettingsBuilder {
  add(candidate: SettingValue): void
  warn(location: string, message: string): void
  /** The current value of a key. */
  current(key: string): EffectiveSetting | undefined
  build(): {
    readonly settings: Settings
    readonly effective: ReadonlyMap<string, EffectiveSetting>
    readonly warnings: readonly string[]
  }
}

export function createSettingsBuilder(options: ReadonlyMap<string, Option>): SettingsBuilder {
  const effective = new Map<string, EffectiveSetting>()
  const warnings: string[] = []
  const warningCounts = new Map<string, number>()
  for (const [key, option] of options)
    effective.set(key, { value: option.default, source: 'default', isFromUser: true })

  function warn(location: string, message: string): void {
    const file = location.replace(/:\d+$/, '')
    const count = (warningCounts.get(file) ?? 0) + 1
    warningCounts.set(file, count)
    if (count <= MAX_WARNINGS_PER_FILE) warnings.push(`${location}: ${message}`)
    else if (count === MAX_WARNINGS_PER_FILE + 1) warnings.push(`${file}: more warnings are not shown`)
  }

  function take({ key, value, source, isFromUser }: SettingValue): void {
    const option = options.get(key)
    if (!option) {
      if (!belongsToTerminalProgram(key)) warn(source, `unknown key ${key}`)
      return
    }
    if (!option.project && !isFromUser) {
      return warn(source, `${key} cannot be set by a project; set it in your own file or the environment`)
    }
    const parsed = parseValue(option, value)
    if (parsed !== undefined) return void effective.set(key, { value: parsed, source, isFromUser })
    const shown = option.secret ? 'something else' : JSON.stringify(value)
    warn(source, `${key} must be ${describeExpected(option)}, got ${shown}; using ${effective.get(key)?.value}`)
  }

  return {
    add: take,
    warn,
    current: (key) => effective.get(key),
    build: () => ({ settings: toSettings(effective, options), effective, warnings }),
  }
}

function parseValue(option: Option, value: string): EffectiveSetting['value'] | undefined {
  if (option.type === 'string') return value
  if (option.type === 'boolean') return parseBoolean(value)
  if (option.type === 'choice') return option.choices.includes(value) ? value : undefined
  const number = /^-?\d+$/.test(value) ? Number(value) : Number.NaN
  return number >= option.min && number <= option.max ? number : undefined
}

// An empty value in a file means "on", as in the terminal program.
function parseBoolean(value: string): boolean | undefined {
  if (/^(|1|true|on|yes)$/i.test(value)) return true
  return /^(0|false|off|no)$/i.test(value) ? false : undefined
}

function describeExpected(option: Option): string {
  if (option.type === 'boolean') return 'true or false'
  if (option.type === 'choice') return `one of ${option.choices.join(', ')}`
  return option.type === 'integer' ? `a whole number from ${option.min} to ${option.max}` : 'text'
}

function toSettings(effective: ReadonlyMap<string, EffectiveSetting>, options: ReadonlyMap<string, Option>): Settings {
  const settings = Object.fromEntries([...effective].map(([key, { value }]) => [key, value]))
  if (!isSettings(settings, options)) throw new Error('a setting is missing')
  return settings
}

// Holds by construction: every option has an entry, and parseValue returns the option's type.
function isSettings(settings: Record<string, unknown>, options: ReadonlyMap<string, Option>): settings is Settings {
  return [...options.keys()].every((key) => key in settings)
}
