// Configurations in TOML. Our entry is a table of its own at the end; a parser reads the text before and after, and what
// it finds may differ in nothing else.

import { isDeepStrictEqual } from 'node:util'

import { parse, TomlError } from 'smol-toml'

import { Failure } from '../../lib/failure.js'
import { isObject, type JsonObject } from '../../lib/json.js'
import { reasonOf } from '../../lib/reason-of.js'
import { NAME } from './entry.js'
import { lineBreakOf, UNTOUCHABLE, type Added, type Format, type Reading, type Trace } from './format.js'
import { statementsOf, type Statement } from './toml-statements.js'

export const TOML: Format = { read, add, change, remove, snippet }

function read(text: string, container: string): Reading {
  const document = parsed(text)
  if (document instanceof TomlError) {
    const why = document.message.split('\n')[0]?.replace(/^Invalid TOML document: /, '') ?? ''
    return { kind: 'broken', line: document.line, column: document.column, why }
  }
  const servers = document[container]
  if (servers === undefined) return { kind: 'free' }
  if (!isObject(servers)) return { kind: 'odd', why: `its ${container} is no table` }
  if (Object.hasOwn(servers, NAME)) return { kind: 'taken', entry: servers[NAME] }
  const isClosed = parsed(text + tableOf(container, {}, '\n', '\n')) instanceof TomlError
  return isClosed
    ? { kind: 'odd', why: `its ${container} is an inline table, to which nothing can be added` }
    : { kind: 'free' }
}

function add(text: string, container: string, entry: JsonObject): Added {
  const lineBreak = lineBreakOf(text)
  const lead = leadAfter(text, lineBreak)
  const added = text + tableOf(container, entry, lead, lineBreak)
  mustBe(added, withEntry(valueOf(text), container, entry))
  return { text: added, trace: { made: text.trim() === '' ? 'document' : 'entry', lead, tail: '' } }
}

/** So that an empty line is between. */
function leadAfter(text: string, lineBreak: string): string {
  if (/^\s*$/.test(text) && /(^|\n)$/.test(text)) return ''
  if (/\n[\t ]*\r?\n$/.test(text)) return ''
  return text.endsWith('\n') ? lineBreak : lineBreak + lineBreak
}

function tableOf(container: string, entry: JsonObject, lead: string, lineBreak: string): string {
  const pairs = Object.entries(entry).map(([key, value]) => `${key} = ${print(value)}`)
  return lead + [`[${container}.${NAME}]`, ...pairs].map((line) => line + lineBreak).join('')
}

function change(text: string, container: string, members: JsonObject): string {
  const was = valueOf(text)
  const changed = Object.entries(members).reduce((done, [key, value]) => withMember(done, container, key, value), text)
  mustBe(changed, withEntry(was, container, { ...entryIn(was, container), ...members }))
  return changed
}

/** Replaces the value, or adds a line below the command. */
function withMember(text: string, container: string, key: string, value: unknown): string {
  if (isDeepStrictEqual(entryIn(valueOf(text), container)[key], value)) return text
  const statements = statementsOf(text)
  const pair = (name: string): Statement | undefined =>
    statements.find(({ kind, path }) => kind === 'pair' && isDeepStrictEqual(path, [container, NAME, name]))
  const command = pair('command')
  if (command === undefined) throw new Failure(`has its ${NAME} in an inline table`)
  const found = pair(key)
  if (found) return text.slice(0, found.value.start) + print(value) + text.slice(found.value.end)
  const { end } = command.value
  return `${text.slice(0, end)}${lineBreakOf(text)}${key} = ${print(value)}${text.slice(end)}`
}

function remove(text: string, container: string, trace: Trace | undefined): string {
  const was = valueOf(text)
  const ranges = rangesOf(text, container)
  const leadOf = (index: number): string => (index === 0 ? (trace?.lead ?? '') : '')
  const left = ranges.reduceRight((result, range, index) => without(result, range, leadOf(index)), text)
  const { [container]: servers, ...rest } = withEntry(was, container, undefined)
  const isEmpty = isObject(servers) && Object.keys(servers).length === 0
  // An empty table that nobody wrote is none.
  const candidates = isEmpty ? [rest, { ...rest, [container]: {} }] : [{ ...rest, [container]: servers }]
  const value = parsed(left)
  if (!candidates.some((wanted) => isSame(value, wanted))) throw new Failure(UNTOUCHABLE)
  return left
}

interface Range {
  readonly start: number
  readonly end: number
}

/** What speaks of our entry: tables with all that is in them, and pairs in the tables of others. */
function rangesOf(text: string, container: string): readonly Range[] {
  const isOurs = ({ path }: Statement): boolean => path[0] === container && path[1] === NAME
  const ranges: { start: number; end: number }[] = []
  let isInside = false
  for (const statement of statementsOf(text)) {
    const last = ranges.at(-1)
    if (isOurs(statement) && isInside && statement.kind === 'pair' && last) last.end = statement.end
    else if (isOurs(statement)) ranges.push({ start: statement.start, end: statement.end })
    isInside = isOurs(statement) && (isInside || statement.kind === 'header')
  }
  return ranges
}

function without(text: string, { start, end }: Range, lead: string): string {
  const before = text.slice(0, start)
  const after = text.slice(end)
  const kept = isThere(lead, before) ? before.slice(0, -lead.length) : before
  const needsBreak = kept !== '' && after !== '' && !kept.endsWith('\n')
  return kept + (needsBreak ? lineBreakOf(text) : '') + after
}

/** A single line break is ours only where it makes an empty line. */
function isThere(lead: string, before: string): boolean {
  const isSingle = lead.indexOf('\n') === lead.length - 1
  return lead !== '' && before.endsWith(isSingle ? `\n${lead}` : lead)
}

function snippet(container: string, entry: JsonObject): string {
  return tableOf(container, entry, '', '\n').trimEnd()
}

/** What JSON writes, TOML reads, but for one sign. */
function print(value: unknown): string {
  const list = Array.isArray(value) ? `[${value.map(print).join(', ')}]` : JSON.stringify(value)
  return list.replaceAll('\u007F', '\\u007F')
}

function parsed(text: string): JsonObject | TomlError {
  try {
    return parse(text, { integersAsBigInt: 'asNeeded' })
  } catch (error) {
    if (error instanceof TomlError) return error
    if (error instanceof RangeError) return new TomlError('nested too deeply', { toml: text, ptr: 0 })
    throw error
  }
}

function valueOf(text: string): JsonObject {
  const document = parsed(text)
  if (document instanceof TomlError) throw new Failure(`cannot be read as TOML: ${reasonOf(document)}`)
  return document
}

function entryIn(document: JsonObject, container: string): JsonObject {
  const servers = document[container]
  const entry = isObject(servers) ? servers[NAME] : undefined
  return isObject(entry) ? entry : {}
}

function withEntry(document: JsonObject, container: string, entry: JsonObject | undefined): JsonObject {
  const { [container]: given, ...rest } = document
  const { [NAME]: _, ...others } = isObject(given) ? given : {}
  return { ...rest, [container]: entry === undefined ? others : { ...others, [NAME]: entry } }
}

function mustBe(text: string, wanted: JsonObject): void {
  if (!isSame(parsed(text), wanted)) throw new Failure(UNTOUCHABLE)
}

function isSame(value: JsonObject | TomlError, wanted: JsonObject): boolean {
  return !(value instanceof TomlError) && isDeepStrictEqual(ordinary(value), ordinary(wanted))
}

/** The parser makes tables in two ways, of which nothing can be read in the text. */
function ordinary(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(ordinary)
  if (typeof value !== 'object' || value === null || value instanceof Date) return value
  return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, ordinary(part)]))
}
