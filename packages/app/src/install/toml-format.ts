// The TOML implementation of config-format.ts, which loads it for `install`, `uninstall` and `doctor` (Codex). Our
// entry is a separate table at the end. The text is parsed before and after an edit, and only our entry may differ.
// Pure.

import { isDeepStrictEqual } from 'node:util'

import { parse, TomlError } from 'smol-toml'

import { errorMessage, Failure } from '@scorpiox/mcp/errors'
import { isJsonObject, type JsonObject } from '@scorpiox/mcp/json/json'
import {
  type AddEntryResult,
  type ConfigFormat,
  detectLineBreak,
  type InsertionRecord,
  type ReadEntryResult,
  UNSAFE_EDIT,
} from './config-format.js'
import { ENTRY_NAME } from './own-entry.js'
import { parseTomlStatements, type TomlStatement } from './toml-statements.js'

export const TOML_FORMAT: ConfigFormat = { read, add, change, remove, snippet }

function read(text: string, container: string): ReadEntryResult {
  const document = parseToml(text)
  if (document instanceof TomlError) {
    const why = document.message.split('\n')[0]?.replace(/^Invalid TOML document: /, '') ?? ''
    return { kind: 'broken', line: document.line, column: document.column, why }
  }
  const servers = document[container]
  if (servers === undefined) return { kind: 'absent' }
  if (!isJsonObject(servers)) return { kind: 'unsupported', why: `its ${container} is not a table` }
  if (Object.hasOwn(servers, ENTRY_NAME)) return { kind: 'present', entry: servers[ENTRY_NAME] }
  const isInlineTable = parseToml(text + formatTable(container, {}, '\n', '\n')) instanceof TomlError
  return isInlineTable
    ? { kind: 'unsupported', why: `its ${container} is an inline table, to which nothing can be added` }
    : { kind: 'absent' }
}

function add(text: string, container: string, entry: JsonObject): AddEntryResult {
  const lineBreak = detectLineBreak(text)
  const lead = leadingBreaks(text, lineBreak)
  const added = text + formatTable(container, entry, lead, lineBreak)
  requireValue(added, withEntry(parseOrThrow(text), container, entry))
  return { text: added, insertion: { made: text.trim() === '' ? 'document' : 'entry', lead, tail: '' } }
}

/** Line breaks that produce an empty line before the table. */
function leadingBreaks(text: string, lineBreak: string): string {
  if (/^\s*$/.test(text) && /(^|\n)$/.test(text)) return ''
  if (/\n[\t ]*\r?\n$/.test(text)) return ''
  return text.endsWith('\n') ? lineBreak : lineBreak + lineBreak
}

function formatTable(container: string, entry: JsonObject, lead: string, lineBreak: string): string {
  const pairs = Object.entries(entry).map(([key, value]) => `${key} = ${formatValue(value)}`)
  return lead + [`[${container}.${ENTRY_NAME}]`, ...pairs].map((line) => line + lineBreak).join('')
}

function change(text: string, container: string, members: JsonObject): string {
  const before = parseOrThrow(text)
  const changed = Object.entries(members).reduce(
    (current, [key, value]) => setMember(current, container, key, value),
    text,
  )
  requireValue(changed, withEntry(before, container, { ...readEntry(before, container), ...members }))
  return changed
}

/** Replaces the value, or adds a line after the command. */
function setMember(text: string, container: string, key: string, value: unknown): string {
  if (isDeepStrictEqual(readEntry(parseOrThrow(text), container)[key], value)) return text
  const statements = parseTomlStatements(text)
  const pair = (name: string): TomlStatement | undefined =>
    statements.find(({ kind, path }) => kind === 'pair' && isDeepStrictEqual(path, [container, ENTRY_NAME, name]))
  const command = pair('command')
  if (command === undefined) throw new Failure(`has its ${ENTRY_NAME} in an inline table`)
  const found = pair(key)
  if (found) return text.slice(0, found.value.start) + formatValue(value) + text.slice(found.value.end)
  const { end } = command.value
  return `${text.slice(0, end)}${detectLineBreak(text)}${key} = ${formatValue(value)}${text.slice(end)}`
}

function remove(text: string, container: string, trace: InsertionRecord | undefined): string {
  const before = parseOrThrow(text)
  const ranges = findEntryRanges(text, container)
  const leadAt = (index: number): string => (index === 0 ? (trace?.lead ?? '') : '')
  const remaining = ranges.reduceRight((result, range, index) => removeRange(result, range, leadAt(index)), text)
  const { [container]: servers, ...rest } = withEntry(before, container, undefined)
  const isEmpty = isJsonObject(servers) && Object.keys(servers).length === 0
  // An empty container may be absent from the parsed value or an empty table.
  const candidates = isEmpty ? [rest, { ...rest, [container]: {} }] : [{ ...rest, [container]: servers }]
  const value = parseToml(remaining)
  if (!candidates.some((expected) => hasValue(value, expected))) throw new Failure(UNSAFE_EDIT)
  return remaining
}

interface Range {
  readonly start: number
  readonly end: number
}

/** Ranges of our entry: its tables with their content, and pairs in other tables that belong to it. */
function findEntryRanges(text: string, container: string): readonly Range[] {
  const isOwnStatement = ({ path }: TomlStatement): boolean => path[0] === container && path[1] === ENTRY_NAME
  const ranges: { start: number; end: number }[] = []
  let isInside = false
  for (const statement of parseTomlStatements(text)) {
    const last = ranges.at(-1)
    if (isOwnStatement(statement) && isInside && statement.kind === 'pair' && last) last.end = statement.end
    else if (isOwnStatement(statement)) ranges.push({ start: statement.start, end: statement.end })
    isInside = isOwnStatement(statement) && (isInside || statement.kind === 'header')
  }
  return ranges
}

function removeRange(text: string, { start, end }: Range, lead: string): string {
  const before = text.slice(0, start)
  const after = text.slice(end)
  const textBefore = endsWithLead(lead, before) ? before.slice(0, -lead.length) : before
  const needsBreak = textBefore !== '' && after !== '' && !textBefore.endsWith('\n')
  return textBefore + (needsBreak ? detectLineBreak(text) : '') + after
}

/** A single line break is removed only if it produced an empty line. */
function endsWithLead(lead: string, before: string): boolean {
  const isSingle = lead.indexOf('\n') === lead.length - 1
  return lead !== '' && before.endsWith(isSingle ? `\n${lead}` : lead)
}

function snippet(container: string, entry: JsonObject): string {
  return formatTable(container, entry, '', '\n').trimEnd()
}

/** JSON values are valid TOML, except for U+007F, which must be escaped. */
function formatValue(value: unknown): string {
  const list = Array.isArray(value) ? `[${value.map(formatValue).join(', ')}]` : JSON.stringify(value)
  return list.replaceAll('\u007F', '\\u007F')
}

function parseToml(text: string): JsonObject | TomlError {
  try {
    return parse(text, { integersAsBigInt: 'asNeeded' })
  } catch (error) {
    if (error instanceof TomlError) return error
    if (error instanceof RangeError) return new TomlError('nested too deeply', { toml: text, ptr: 0 })
    throw error
  }
}

function parseOrThrow(text: string): JsonObject {
  const document = parseToml(text)
  if (document instanceof TomlError) throw new Failure(`cannot be read as TOML: ${errorMessage(document)}`)
  return document
}

function readEntry(document: JsonObject, container: string): JsonObject {
  const servers = document[container]
  const entry = isJsonObject(servers) ? servers[ENTRY_NAME] : undefined
  return isJsonObject(entry) ? entry : {}
}

function withEntry(document: JsonObject, container: string, entry: JsonObject | undefined): JsonObject {
  const { [container]: current, ...rest } = document
  const { [ENTRY_NAME]: _, ...others } = isJsonObject(current) ? current : {}
  return { ...rest, [container]: entry === undefined ? others : { ...others, [ENTRY_NAME]: entry } }
}

function requireValue(text: string, expected: JsonObject): void {
  if (!hasValue(parseToml(text), expected)) throw new Failure(UNSAFE_EDIT)
}

function hasValue(value: JsonObject | TomlError, expected: JsonObject): boolean {
  return !(value instanceof TomlError) && isDeepStrictEqual(normalize(value), normalize(expected))
}

/** Normalizes tables: the parser creates them with different prototypes. */
function normalize(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(normalize)
  if (typeof value !== 'object' || value === null || value instanceof Date) return value
  return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, normalize(part)]))
}
