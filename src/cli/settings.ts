// Prints each setting, its value and where it came from; secrets are masked.

import type { Config } from '../config/load.js'
import { OPTIONS } from '../config/options.js'
import { table } from './table.js'

export function settingsReport(config: Config): string {
  const rows = rowsOf(config).map(({ key, value, source }) => [key, String(value), source === 'default' ? '' : source])
  return `${table(rows)}${config.warnings.map((warning) => `! ${warning}\n`).join('')}`
}

export function settingsJson(config: Config): string {
  const options = rowsOf(config).map((row) => Object.assign(describe(row.key), row))
  return `${JSON.stringify({ options, files: config.files, warnings: config.warnings }, null, 2)}\n`
}

function rowsOf(config: Config) {
  return [...config.effective].map(([key, { value, source }]) => ({
    key,
    value: OPTIONS.get(key)?.secret && value !== '' ? '****' : value,
    source,
  }))
}

function describe(key: string): object {
  const {
    about,
    type,
    default: fallback,
    project = false,
    ...rest
  } = OPTIONS.get(key) ?? { about: '', type: 'string', default: '' }
  return {
    type,
    default: fallback,
    about,
    project,
    ...('secret' in rest && { secret: rest.secret }),
    ...('choices' in rest && { choices: rest.choices }),
  }
}
