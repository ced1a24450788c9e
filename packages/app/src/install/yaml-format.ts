// The YAML implementation of config-format.ts, which loads it. In these files the servers are a list of named items.
// Edits are made in the text at positions from the parser; the result is parsed again, and only our entry may differ.
// Pure.

import { isDeepStrictEqual } from 'node:util'

import { isAlias, isMap, isScalar, isSeq, type Node, type Pair, type YAMLMap, type YAMLSeq } from 'yaml'

import { Failure } from '@scorpiox/mcp/errors'
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
import {
  findYamlLineEnd,
  findYamlLineStart,
  formatYamlInline,
  formatYamlItem,
  insertFlowItem,
  parseYamlConfig,
  removeFlowItem,
  yamlColumn,
  yamlContentEnd,
  yamlRange,
} from './yaml-edit.js'

export const YAML_FORMAT: ConfigFormat = { read, add, change, remove, snippet }

/** Members that Continue requires in a new file. */
const HEADER = { name: 'Local Config', version: '1.0.0', schema: 'v1' }

function read(text: string, container: string): ReadEntryResult {
  const parsed = parseYamlConfig(text)
  if ('why' in parsed) return { kind: 'broken', ...parsed }
  const { root } = parsed
  if (root === undefined) return { kind: 'absent' }
  if (!isMap(root)) return { kind: 'unsupported', why: `it is ${describeKind(root)}, not a map` }
  const servers = findPair(root, container)?.value
  if (isEmptyValue(servers)) return { kind: 'absent' }
  if (!isSeq(servers)) return { kind: 'unsupported', why: `its "${container}" is ${describeKind(servers)}, not a list` }
  const entries = findOwnItems(servers)
  if (entries.length > 1) return { kind: 'unsupported', why: `its "${container}" has "${ENTRY_NAME}" more than once` }
  const [entry] = entries
  return entry === undefined ? { kind: 'absent' } : { kind: 'present', entry: parsed.valueOf(entry) }
}

function add(text: string, container: string, entry: JsonObject): AddEntryResult {
  const expected = readContent(text, container)
  for (const added of possibleAdditions(text, container, entry)) {
    const content = readContent(added.text, container)
    const rest = added.insertion.made === 'document' ? new Map(Object.entries(HEADER)) : expected?.rest
    const isRight = isDeepStrictEqual(content?.rest, rest) && isDeepStrictEqual(content?.others, expected?.others ?? [])
    if (isRight && isDeepStrictEqual(content?.own, [entry])) return added
  }
  throw new Failure(UNSAFE_EDIT)
}

/** Possible insertions, the preferred one first. */
function possibleAdditions(text: string, container: string, entry: JsonObject): readonly AddEntryResult[] {
  const root = parseRoot(text)
  if (root === undefined) {
    const header = Object.entries(HEADER).map(([key, value]) => `${key}: ${value}`)
    return [insertLines(text, text.length, [...header, `${container}:`, ...formatYamlItem(entry, '  ')], 'document')]
  }
  const pair = findPair(root, container)
  if (pair === undefined && root.flow === true) {
    return [flowAddition(text, root, `${formatYamlInline(container)}: [${formatYamlInline(entry)}]`, 'container')]
  }
  const indent = ' '.repeat(root.items[0] === undefined ? 0 : yamlColumn(text, root.items[0].key))
  if (pair === undefined) {
    const lines = [`${container}:`, ...formatYamlItem(entry, '  ')].map((line) => indent + line)
    const offsets = [text.length, findYamlLineEnd(text, yamlContentEnd(root))]
    return offsets.map((at) => insertLines(text, at, lines, 'container'))
  }
  const servers = pair.value
  if (!isSeq(servers)) {
    const at = findYamlLineEnd(text, yamlRange(pair.key)[1])
    return [insertLines(text, at, formatYamlItem(entry, `${indent}  `), 'entry')]
  }
  if (servers.flow === true) return [flowAddition(text, servers, formatYamlInline(entry), 'entry')]
  const dash = ' '.repeat(yamlColumn(text, servers))
  return [insertLines(text, findYamlLineEnd(text, yamlContentEnd(servers)), formatYamlItem(entry, dash), 'entry')]
}

function insertLines(
  text: string,
  at: number,
  lines: readonly string[],
  created: InsertionRecord['made'],
): AddEntryResult {
  const lineBreak = detectLineBreak(text)
  const lead = at > 0 && text[at - 1] !== '\n' ? lineBreak : ''
  const inserted = lead + lines.map((line) => line + lineBreak).join('')
  return { text: text.slice(0, at) + inserted + text.slice(at), insertion: { made: created, lead, tail: '' } }
}

function flowAddition(
  text: string,
  into: YAMLMap | YAMLSeq,
  item: string,
  created: InsertionRecord['made'],
): AddEntryResult {
  const { text: added, lead } = insertFlowItem(text, into, item)
  return { text: added, insertion: { made: created, lead, tail: '' } }
}

function change(text: string, container: string, members: JsonObject): string {
  const before = readContent(text, container)
  const ownEntry = before?.own[0]
  if (ownEntry === undefined || !isJsonObject(ownEntry)) throw new Failure('has no entry to change')
  const changed = Object.entries(members).reduce(
    (current, [key, value]) => setMember(current, container, key, value),
    text,
  )
  const expected = { ...before, own: [{ ...ownEntry, ...members }] }
  if (!isDeepStrictEqual(readContent(changed, container), expected)) throw new Failure(UNSAFE_EDIT)
  return changed
}

function setMember(text: string, container: string, key: string, value: unknown): string {
  const servers = findPair(parseRoot(text), container)?.value
  const item = isSeq(servers) ? findOwnItems(servers)[0] : undefined
  const command = findPair(item, 'command')
  if (item === undefined || command === undefined) throw new Failure(UNSAFE_EDIT)
  const node = findPair(item, key)?.value
  if (isNodeWithText(node)) {
    const [start] = yamlRange(node)
    return text.slice(0, start) + formatYamlInline(value) + text.slice(yamlContentEnd(node))
  }
  if (node !== undefined) throw new Failure(UNSAFE_EDIT)
  if (item.flow === true) return insertFlowItem(text, item, `${formatYamlInline(key)}: ${formatYamlInline(value)}`).text
  const at = findYamlLineEnd(text, yamlContentEnd(command.value))
  const indent = ' '.repeat(yamlColumn(text, command.key))
  const lineBreak = detectLineBreak(text)
  const lead = text[at - 1] === '\n' ? '' : lineBreak
  return `${text.slice(0, at)}${lead}${indent}${key}: ${formatYamlInline(value)}${lineBreak}${text.slice(at)}`
}

function remove(text: string, container: string, trace: InsertionRecord | undefined): string {
  const before = readContent(text, container)
  const isDefaultHeader = isDeepStrictEqual(before?.rest, new Map(Object.entries(HEADER)))
  for (const remaining of possibleRemovals(text, container, trace, isDefaultHeader)) {
    const after = readContent(remaining, container)
    if (after === undefined) continue
    const isRestRight = isDeepStrictEqual(after.rest, before?.rest) || (isDefaultHeader && after.rest.size === 0)
    if (isRestRight && isDeepStrictEqual(after.others, before?.others) && after.own.length === 0) return remaining
  }
  throw new Failure(UNSAFE_EDIT)
}

/** Also removes what was created with the entry, if nothing else was added to it. */
function possibleRemovals(
  text: string,
  container: string,
  trace: InsertionRecord | undefined,
  isDefaultHeader: boolean,
): readonly string[] {
  const root = parseRoot(text)
  const pair = findPair(root, container)
  const servers = pair?.value
  const item = isSeq(servers) ? findOwnItems(servers)[0] : undefined
  if (root === undefined || pair === undefined || !isSeq(servers) || item === undefined) {
    throw new Failure('has no entry of this program')
  }
  const lead = trace?.lead ?? ''
  const isOnlyItem = servers.items.length === 1
  const end = findYamlLineEnd(text, yamlContentEnd(servers))
  if (trace?.made === 'document' && isOnlyItem && isDefaultHeader) {
    return [removeLines(text, findYamlLineStart(text, yamlRange(root)[0]), end, lead)]
  }
  if (root.flow === true && isOnlyItem && trace?.made === 'container') return [removeFlowItem(text, root, pair, lead)]
  if (servers.flow === true) return [removeFlowItem(text, servers, item, lead)]
  // The client cannot read an empty value; keep it only if it was there before.
  if (isOnlyItem && trace?.made !== 'entry') {
    return [removeLines(text, findYamlLineStart(text, yamlRange(pair.key)[0]), end, lead)]
  }
  const dash = text.lastIndexOf('-', yamlRange(item)[0] - 1)
  return [removeLines(text, findYamlLineStart(text, dash), findYamlLineEnd(text, yamlContentEnd(item)), lead)]
}

function removeLines(text: string, start: number, end: number, lead: string): string {
  const before = text.slice(0, start)
  const after = text.slice(end)
  const isLeadOurs = lead !== '' && after === '' && before.endsWith(lead)
  return (isLeadOurs ? before.slice(0, -lead.length) : before) + after
}

function snippet(container: string, entry: JsonObject): string {
  return [`${container}:`, ...formatYamlItem(entry, '  ')].join('\n')
}

interface Content {
  /** Everything except the servers. */
  readonly rest: ReadonlyMap<unknown, unknown>
  readonly others: readonly unknown[]
  readonly own: readonly unknown[]
}

/** Undefined if the text cannot be parsed or is not a map. */
function readContent(text: string, container: string): Content | undefined {
  const parsed = parseYamlConfig(text)
  if ('why' in parsed) return undefined
  const { root } = parsed
  if (root === undefined) return { rest: new Map(), others: [], own: [] }
  const value = parsed.mapOf(root)
  if (!isMap(root) || !(value instanceof Map)) return undefined
  const servers = findPair(root, container)?.value
  const ownEntry = new Set<unknown>(isSeq(servers) ? findOwnItems(servers) : [])
  const items = isSeq(servers) ? servers.items : []
  return {
    rest: new Map([...value].filter(([key]) => key !== container)),
    others: items.filter((item) => !ownEntry.has(item)).map((item) => parsed.mapOf(item)),
    own: [...ownEntry].map((item) => parsed.valueOf(item)),
  }
}

function parseRoot(text: string): YAMLMap | undefined {
  const parsed = parseYamlConfig(text)
  if ('why' in parsed) throw new Failure(`cannot be read as YAML: ${parsed.why}`)
  return isMap(parsed.root) ? parsed.root : undefined
}

function findPair(map: YAMLMap | undefined, name: string): Pair | undefined {
  return map?.items.find(({ key }) => isScalar(key) && key.value === name)
}

function findOwnItems(servers: YAMLSeq): readonly YAMLMap[] {
  return servers.items.filter((item) => isMap(item)).filter((item) => item.get('name') === ENTRY_NAME)
}

function isEmptyValue(value: unknown): boolean {
  return value === undefined || value === null || (isScalar(value) && value.value === null && !isNodeWithText(value))
}

function isNodeWithText(value: unknown): value is Node {
  if (!isScalar(value) && !isMap(value) && !isSeq(value)) return false
  const [start, end] = yamlRange(value)
  return end > start
}

function describeKind(value: unknown): string {
  if (isAlias(value)) return 'an alias'
  if (isMap(value)) return 'a map'
  if (isSeq(value)) return 'a list'
  return isScalar(value) && value.value === null ? 'null' : 'a single value'
}
