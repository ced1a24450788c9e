// A change as a person sees it: before it is made our lines, and of the rest only where they stand; afterwards where the
// old text is. What other servers are started with is never shown, for it may hold their keys. The file may be that of a
// project, and what it says cannot become a line or an order to the terminal.

import { isDeepStrictEqual } from 'node:util'

import { isObject, type JsonObject } from '../../lib/json.js'
import { plainLines } from '../../lib/plain-lines.js'
import { NAME } from './entry.js'
import type { FormatName, Trace } from './format.js'

/** Members whose values `install` writes itself and that cannot hold a secret. */
const SHOWN = new Set(['command', 'type', 'name', 'enabled', 'tools', 'timeout', 'default_tools_approval_mode'])

export interface Line {
  readonly mark: '+' | '-' | ' '
  readonly text: string
}

interface Where {
  readonly format: FormatName
  readonly container: string
}

export function shownAddition(where: Where, entry: JsonObject, made: Trace['made']): readonly Line[] {
  const pairs = Object.entries(entry).map(([key, value]) => ({ mark: '+', key, value }) as const)
  return framed(where, '+', made === 'entry' ? ' ' : '+', listed(where, pairs.map(pairLine(where))))
}

export function shownRemoval(where: Where, entry: unknown): readonly Line[] {
  const pairs = Object.entries(isObject(entry) ? entry : {}).map(([key, value]) => ({ mark: '-', key, value }) as const)
  return framed(where, '-', ' ', listed(where, pairs.map(pairLine(where))))
}

export function shownUpdate(where: Where, entry: unknown, members: JsonObject): readonly Line[] {
  const was = isObject(entry) ? entry : {}
  const pairs = Object.entries(members)
    .filter(([key, value]) => !isDeepStrictEqual(was[key], value))
    .flatMap(([key, value]) => {
      const added = { mark: '+', key, value } as const
      return was[key] === undefined ? [added] : [{ mark: '-', key, value: was[key] } as const, added]
    })
  return framed(where, ' ', ' ', pairs.map(pairLine(where)))
}

/** What is said behind a change that was made. */
export function keptIn(backup: string | undefined): string {
  return backup === undefined ? '' : `; what was there is kept in ${backup}`
}

function framed(
  { format, container }: Where,
  entry: Line['mark'],
  around: Line['mark'],
  pairs: readonly Line[],
): readonly Line[] {
  if (format === 'toml') return [{ mark: entry, text: `[${container}.${NAME}]` }, ...pairs]
  if (format === 'yaml') return [{ mark: around, text: `${container}:` }, ...asItem(pairs)]
  return [
    { mark: around, text: `"${container}": {` },
    { mark: entry, text: `  "${NAME}": {` },
    ...pairs.map(({ mark, text }) => ({ mark, text: `    ${text}` })),
    { mark: entry, text: '  }' },
    { mark: around, text: '}' },
  ]
}

function asItem(pairs: readonly Line[]): readonly Line[] {
  return pairs.map(({ mark, text }) => ({ mark, text: `  ${text.startsWith('name:') ? '- ' : '  '}${text}` }))
}

/** With the commas between. */
function listed({ format }: Where, lines: readonly Line[]): readonly Line[] {
  const comma = format === 'jsonc' ? ',' : ''
  return lines.map(({ mark, text }, index) => ({ mark, text: text + (index < lines.length - 1 ? comma : '') }))
}

function pairLine({ format }: Where) {
  return ({ mark, key, value }: { mark: '+' | '-'; key: string; value: unknown }): Line => ({
    mark,
    text: inOneLine(`${shownKey(format, key)} ${shownValue(key, value)}`),
  })
}

function shownKey(format: FormatName, key: string): string {
  if (format === 'toml') return `${key} =`
  return format === 'yaml' ? `${key}:` : `"${key}":`
}

function inOneLine(text: string): string {
  return plainLines(text).join(' ')
}

/** Of what a person added, the name is enough. */
function shownValue(key: string, value: unknown): string {
  if (Array.isArray(value) && (key === 'args' || key === 'command')) {
    return JSON.stringify(value.map(String).map(shownArgument))
  }
  const isOwnEnv = key === 'env' && isObject(value) && Object.keys(value).every((name) => name === 'TOOL_BASH')
  return SHOWN.has(key) || isOwnEnv ? JSON.stringify(value) : '…'
}

/** What follows an option may be its value, unless it is what starts this program. */
function shownArgument(word: string, at: number, words: readonly string[]): string {
  const isValue = /^-[^=]*$/.test(words[at - 1] ?? '') && !/^-|=|scorpiox-code/.test(word)
  return isValue ? '…' : word.replace(/=.+/s, '=…')
}
