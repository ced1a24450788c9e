// `scorpiox-code config`: formats each setting with its value, source and description, as text or JSON. Secrets are
// masked. Called by cli/commands.ts. Pure.

import type { Config } from '@scorpiox/server/config/load-config'
import type { Option } from '@scorpiox/server/config/options'
import { UsageError } from '@scorpiox/server/terminal/terminal'
import { wrapText } from '@scorpiox/server/terminal/text-layout'
import { didYouMean } from '@scorpiox/server/text/nearest-names'

/** `names` are settings or parts of their names; an empty list means all settings. */
export function formatSettings(config: Config, names: readonly string[], columns: number | undefined): string {
  const blocks = selectRows(config, names).map(({ key, value, source }) => {
    const option = config.options.get(key)
    const description =
      option === undefined ? [] : [withoutBackquotes(option.about), `${allowedValues(option)} ${describeScope(option)}`]
    return [`${key}=${value}  (${formatSource(source)})`, ...description.map((line) => `    ${line}`)].join('\n')
  })
  const files = config.files.length === 0 ? 'none' : config.files.join(', ')
  const footer = [`Files that were read: ${files}`, ...config.warnings.map((warning) => `! ${warning}`)]
  return wrapText(`${blocks.join('\n')}\n\n${footer.join('\n')}\n`, columns)
}

function formatSource(source: string): string {
  if (source === 'default') return 'default'
  return source === '-e'
    ? 'from -e on the command line'
    : `from ${source === 'environment' ? 'the environment' : source}`
}

/** The descriptions are Markdown; a terminal shows them without backquotes. */
function withoutBackquotes(description: string): string {
  return description.replaceAll('`', '')
}

function allowedValues(option: Option): string {
  const fallback = option.default === '' ? 'empty' : String(option.default)
  if (option.type === 'boolean') return `true or false; default: ${fallback}.`
  if (option.type === 'choice') return `${option.choices.join(', ')}; default: ${fallback}.`
  if (option.type === 'integer') return `${option.min} to ${option.max}; default: ${fallback}.`
  return `Default: ${fallback}.`
}

function describeScope({ project }: Option): string {
  return project ? 'A project file may set it.' : "A project's file cannot set it."
}

export function formatSettingsJson(config: Config, names: readonly string[]): string {
  const options = selectRows(config, names).map((row) => Object.assign(describeOption(config, row.key), row))
  return `${JSON.stringify({ options, files: config.files, warnings: config.warnings }, null, 2)}\n`
}

function selectRows(config: Config, names: readonly string[]) {
  const parts = names.map((name) => name.toUpperCase())
  const unknown = parts.find((part) => ![...config.options.keys()].some((key) => key.includes(part)))
  if (unknown !== undefined) {
    const suggestion = didYouMean(unknown, [...config.options.keys()])
    throw new UsageError(`unknown setting: ${unknown}. ${suggestion}scorpiox-code config shows all of them`)
  }
  const rows = listRows(config)
  const isChosen = (key: string): boolean => parts.some((part) => key.includes(part))
  return parts.length === 0 ? rows : rows.filter(({ key }) => isChosen(key))
}

function listRows(config: Config) {
  return [...config.effective].map(([key, { value, source }]) => ({
    key,
    value: config.options.get(key)?.secret && value !== '' ? '****' : value,
    source,
  }))
}

function describeOption(config: Config, key: string): object {
  const {
    about: description,
    type,
    default: fallback,
    project = false,
    ...rest
  } = config.options.get(key) ?? { about: '', type: 'string', default: '' }
  return {
    type,
    default: fallback,
    about: description,
    project,
    ...('secret' in rest && { secret: rest.secret }),
    ...('choices' in rest && { choices: rest.choices }),
  }
}
