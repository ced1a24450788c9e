// Formats a change of a configuration file as diff lines, for the preview of install-command and uninstall-command.
// Shows only the lines of our entry: other entries may contain secrets. File contents are untrusted, so line breaks and
// control characters are removed. Pure.

import { isDeepStrictEqual } from 'node:util'

import { isJsonObject, type JsonObject } from '@scorpiox/mcp/json/json'
import { toPrintableLines } from '@scorpiox/server/terminal/text-layout'
import type { DiffLine } from '@scorpiox/server/text/line-diff'
import type { ConfigFormatName, InsertionRecord } from './config-format.js'
import { ENTRY_NAME } from './own-entry.js'

/** Members that `install` writes and that contain no secrets. */
const VISIBLE_MEMBERS = new Set([
  'command',
  'type',
  'name',
  'enabled',
  'tools',
  'timeout',
  'default_tools_approval_mode',
])

interface EntryLocation {
  readonly format: ConfigFormatName
  readonly container: string
}

export function formatAddition(
  location: EntryLocation,
  entry: JsonObject,
  made: InsertionRecord['made'],
): readonly DiffLine[] {
  const pairs = Object.entries(entry).map(([key, value]) => ({ mark: '+', key, value }) as const)
  return withContainer(
    location,
    '+',
    made === 'entry' ? ' ' : '+',
    withCommas(location, pairs.map(formatPair(location))),
  )
}

export function formatRemoval(location: EntryLocation, entry: unknown): readonly DiffLine[] {
  const pairs = Object.entries(isJsonObject(entry) ? entry : {}).map(
    ([key, value]) => ({ mark: '-', key, value }) as const,
  )
  return withContainer(location, '-', ' ', withCommas(location, pairs.map(formatPair(location))))
}

export function formatUpdate(location: EntryLocation, entry: unknown, members: JsonObject): readonly DiffLine[] {
  const current = isJsonObject(entry) ? entry : {}
  const pairs = Object.entries(members)
    .filter(([key, value]) => !isDeepStrictEqual(current[key], value))
    .flatMap(([key, value]) => {
      const added = { mark: '+', key, value } as const
      return current[key] === undefined ? [added] : [{ mark: '-', key, value: current[key] } as const, added]
    })
  return withContainer(location, ' ', ' ', pairs.map(formatPair(location)))
}

/** Suffix of the text about an applied change. */
export function backupNote(backup: string | undefined): string {
  return backup === undefined ? '' : `; backup: ${backup}`
}

function withContainer(
  { format, container }: EntryLocation,
  entry: DiffLine['mark'],
  containerMark: DiffLine['mark'],
  pairs: readonly DiffLine[],
): readonly DiffLine[] {
  if (format === 'toml') return [{ mark: entry, text: `[${container}.${ENTRY_NAME}]` }, ...pairs]
  if (format === 'yaml') return [{ mark: containerMark, text: `${container}:` }, ...asListItem(pairs)]
  return [
    { mark: containerMark, text: `"${container}": {` },
    { mark: entry, text: `  "${ENTRY_NAME}": {` },
    ...pairs.map(({ mark, text }) => ({ mark, text: `    ${text}` })),
    { mark: entry, text: '  }' },
    { mark: containerMark, text: '}' },
  ]
}

function asListItem(pairs: readonly DiffLine[]): readonly DiffLine[] {
  return pairs.map(({ mark, text }) => ({ mark, text: `  ${text.startsWith('name:') ? '- ' : '  '}${text}` }))
}

/** Adds commas between the lines. */
function withCommas({ format }: EntryLocation, lines: readonly DiffLine[]): readonly DiffLine[] {
  const comma = format === 'jsonc' ? ',' : ''
  return lines.map(({ mark, text }, index) => ({ mark, text: text + (index < lines.length - 1 ? comma : '') }))
}

function formatPair({ format }: EntryLocation) {
  return ({ mark, key, value }: { mark: '+' | '-'; key: string; value: unknown }): DiffLine => ({
    mark,
    text: toOneLine(`${formatKey(format, key)} ${formatValue(key, value)}`),
  })
}

function formatKey(format: ConfigFormatName, key: string): string {
  if (format === 'toml') return `${key} =`
  return format === 'yaml' ? `${key}:` : `"${key}":`
}

function toOneLine(text: string): string {
  return toPrintableLines(text).join(' ')
}

/** Hides the values of members that the user added. */
function formatValue(key: string, value: unknown): string {
  if (Array.isArray(value) && (key === 'args' || key === 'command')) {
    return JSON.stringify(value.map(String).map(formatArgument))
  }
  const isOwnEnv = key === 'env' && isJsonObject(value) && Object.keys(value).every((name) => name === 'TOOL_BASH')
  return VISIBLE_MEMBERS.has(key) || isOwnEnv ? JSON.stringify(value) : '…'
}

/** Hides arguments that may be the value of an option, except those that start this program. */
function formatArgument(argument: string, at: number, all: readonly string[]): string {
  const isValue = /^-[^=]*$/.test(all[at - 1] ?? '') && !/^-|=|scorpiox-code/.test(argument)
  return isValue ? '…' : argument.replace(/=.+/s, '=…')
}
