// A change as a person sees it: before it is made our lines, and of the rest only where they stand; afterwards where the
// old text is. What other servers are started with is never shown, for it may hold their keys.

import { isObject, type JsonObject } from '../../lib/json.js'
import { NAME, readEntry } from './entry.js'
import type { Trace } from './format.js'

export interface Line {
  readonly mark: '+' | '-' | ' '
  readonly text: string
}

interface Where {
  readonly format: 'jsonc' | 'toml'
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

export function shownUpdate(where: Where, entry: unknown, command: string, args: readonly string[]): readonly Line[] {
  const was = readEntry(entry)
  const hasNewArgs = JSON.stringify(was?.args ?? []) !== JSON.stringify(args)
  const pairs = [
    ...(was?.command === command
      ? []
      : ([
          { mark: '-', key: 'command', value: was?.command },
          { mark: '+', key: 'command', value: command },
        ] as const)),
    ...(hasNewArgs
      ? ([
          { mark: '-', key: 'args', value: was?.args },
          { mark: '+', key: 'args', value: args },
        ] as const)
      : []),
  ]
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
  return [
    { mark: around, text: `"${container}": {` },
    { mark: entry, text: `  "${NAME}": {` },
    ...pairs.map(({ mark, text }) => ({ mark, text: `    ${text}` })),
    { mark: entry, text: '  }' },
    { mark: around, text: '}' },
  ]
}

/** With the commas between. */
function listed({ format }: Where, lines: readonly Line[]): readonly Line[] {
  const comma = format === 'toml' ? '' : ','
  return lines.map(({ mark, text }, index) => ({ mark, text: text + (index < lines.length - 1 ? comma : '') }))
}

function pairLine({ format }: Where) {
  return ({ mark, key, value }: { mark: '+' | '-'; key: string; value: unknown }): Line => ({
    mark,
    text: format === 'toml' ? `${key} = ${shownValue(key, value)}` : `"${key}": ${shownValue(key, value)}`,
  })
}

/** Of what a person added, the name is enough. */
function shownValue(key: string, value: unknown): string {
  if (key === 'args' && Array.isArray(value)) return JSON.stringify(value.map(shownArgument))
  return key === 'command' || key === 'type' ? JSON.stringify(value) : '…'
}

function shownArgument(word: unknown): string {
  return String(word).replace(/=.+/s, '=…')
}
