// Parses the setting CALL_HISTORY_REDACT: names, and expressions between slashes. An expression runs in the process of the
// server on texts that programs print, so it may not take exponential or quadratic time: only single characters and classes
// are repeated, at most so many times in all, and there are no look-arounds and back references. Used by redact-tokens.ts.
// Pure.

import { errorMessage, Failure } from '@scorpiox/mcp/errors'

export interface RedactionSettings {
  /** Parts of names of variables and members whose values are replaced, as expressions. */
  readonly names: readonly string[]
  /** Expressions whose matches are replaced. */
  readonly patterns: readonly string[]
}

const MAX_ENTRIES = 50
const MAX_LENGTH = 200
/** What `*` and `+` repeat at most. */
const MAX_REPEATS = 200
/** Ways to match at one position. */
const MAX_WAYS = 1000

export function parseRedactionSettings(setting: string): RedactionSettings {
  const entries = splitEntries(setting)
  if (entries.length > MAX_ENTRIES) throw new Failure(`It has more than ${MAX_ENTRIES} entries.`)
  const long = entries.find(({ length }) => length > MAX_LENGTH)
  if (long !== undefined) throw new Failure(`"${long.slice(0, 20)}…" is longer than ${MAX_LENGTH} characters.`)
  return {
    names: entries.filter((entry) => !isPattern(entry)).map(parseName),
    patterns: entries.filter(isPattern).map(parsePattern),
  }
}

function isPattern(entry: string): boolean {
  return entry.startsWith('/')
}

/** An expression may contain commas, but no line breaks and no slashes that are not escaped. */
function splitEntries(setting: string): readonly string[] {
  const text = setting.replaceAll(/([,\n])[ \t]{1,20}/g, '$1').trim()
  const found = text.match(/\/(?:[^/\\\n]|\\.)+\/|[^,\n]+/g) ?? []
  return found.map((entry) => entry.trim()).filter((entry) => entry !== '')
}

function parseName(entry: string): string {
  if (/^[\w.-]{3,}$/.test(entry)) return entry.replaceAll('.', '\\.')
  throw new Failure(
    `"${entry}" is not a name of at least 3 letters, digits, "_", "-" and ".". Put expressions between slashes.`,
  )
}

const TOKEN =
  /(?<group>\((?!\?)|\(\?:)|(?<look>\(\?)|(?<close>\))|(?<or>\|)|(?<atom>\[(?:[^\]\\]|\\.)+\]|\\[^1-9k]|[^*+?{}()|[\\/])|(?<repeat>(?:[*+?]|\{(?<min>\d{1,3})(?<comma>,(?<max>\d{1,3})?)?\})\??)/gy

function parsePattern(entry: string): string {
  const source = entry.slice(1, -1)
  const refuse = (reason: string): Failure => new Failure(`${entry} cannot be used: ${reason}.`)
  if (!entry.endsWith('/') || source === '') throw refuse('it does not end with a slash')
  let built = ''
  let read = 0
  let ways = 1
  /** Alternatives of the expression, and of each group that is open. */
  const branches = [1]
  let previous: string | undefined
  for (const { 0: text, groups = {} } of source.matchAll(TOKEN)) {
    read += text.length
    const kind = Object.entries(groups).find(([, value]) => value !== undefined)?.[0]
    if (kind === 'look') throw refuse('only groups without "?" or with "?:" are allowed')
    if (kind === 'repeat' && previous !== 'atom') throw refuse('only single characters and classes can be repeated')
    if (kind === 'group') branches.push(1)
    if (kind === 'or') branches.push((branches.pop() ?? 1) + 1)
    if (kind === 'close') ways *= branches.pop() ?? 1
    if (kind === 'repeat') {
      const { least, most } = repeatBounds(text, groups)
      if (most < least) throw refuse(`${text} has no meaning`)
      ways *= most - least + 1
      built += `{${least},${most}}`
    } else built += kind === 'group' ? '(?:' : text
    previous = kind
  }
  if (read < source.length) throw refuse(`"${source.slice(read, read + 10)}" is not understood`)
  for (const count of branches) ways *= count
  if (ways > MAX_WAYS) throw refuse('it repeats too much, such as two parts without a limit')
  try {
    if (new RegExp(built, 'i').test('')) throw refuse('it matches an empty text')
  } catch (error) {
    throw error instanceof Failure ? error : refuse(errorMessage(error))
  }
  return built
}

function repeatBounds(text: string, { min, comma, max }: Readonly<Record<string, string | undefined>>) {
  if (text.startsWith('?')) return { least: 0, most: 1 }
  if (min === undefined) return { least: text.startsWith('+') ? 1 : 0, most: MAX_REPEATS }
  const least = Number(min)
  if (comma === undefined) return { least, most: least }
  return { least, most: max === undefined ? least + MAX_REPEATS : Number(max) }
}
