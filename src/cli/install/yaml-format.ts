// Edits YAML, in which the servers are a list of named items. Edits are made in the text at positions from the parser; the
// result is parsed again, and only our entry may differ.

import { isDeepStrictEqual } from 'node:util'

import { isAlias, isMap, isScalar, isSeq, type Node, type Pair, type YAMLMap, type YAMLSeq } from 'yaml'

import { Failure } from '../../lib/failure.js'
import { isObject, type JsonObject } from '../../lib/json.js'
import { NAME } from './entry.js'
import { lineBreakOf, UNTOUCHABLE, type Added, type Format, type Reading, type Trace } from './format.js'
import { printInline, printItem } from './yaml-print.js'
import {
  columnOf,
  contentEnd,
  insertIntoFlow,
  lineEndAfter,
  lineStartOf,
  parseYaml,
  rangeOf,
  withoutFlowItem,
} from './yaml-text.js'

export const YAML: Format = { read, add, change, remove, snippet }

/** Members that Continue requires in a new file. */
const HEADER = { name: 'Local Config', version: '1.0.0', schema: 'v1' }

function read(text: string, container: string): Reading {
  const parsed = parseYaml(text)
  if ('why' in parsed) return { kind: 'broken', ...parsed }
  const { root } = parsed
  if (root === undefined) return { kind: 'absent' }
  if (!isMap(root)) return { kind: 'unsupported', why: `it is ${describeKind(root)}, not a map` }
  const servers = findPair(root, container)?.value
  if (isEmptyValue(servers)) return { kind: 'absent' }
  if (!isSeq(servers)) return { kind: 'unsupported', why: `its "${container}" is ${describeKind(servers)}, not a list` }
  const entries = findOwnItems(servers)
  if (entries.length > 1) return { kind: 'unsupported', why: `its "${container}" has "${NAME}" more than once` }
  const [entry] = entries
  return entry === undefined ? { kind: 'absent' } : { kind: 'present', entry: parsed.valueOf(entry) }
}

function add(text: string, container: string, entry: JsonObject): Added {
  const expected = readContent(text, container)
  for (const added of possibleAdditions(text, container, entry)) {
    const content = readContent(added.text, container)
    const rest = added.trace.made === 'document' ? new Map(Object.entries(HEADER)) : expected?.rest
    const isRight = isDeepStrictEqual(content?.rest, rest) && isDeepStrictEqual(content?.others, expected?.others ?? [])
    if (isRight && isDeepStrictEqual(content?.own, [entry])) return added
  }
  throw new Failure(UNTOUCHABLE)
}

/** Possible insertions, the preferred one first. */
function possibleAdditions(text: string, container: string, entry: JsonObject): readonly Added[] {
  const root = parseRoot(text)
  if (root === undefined) {
    const header = Object.entries(HEADER).map(([key, value]) => `${key}: ${value}`)
    return [insertLines(text, text.length, [...header, `${container}:`, ...printItem(entry, '  ')], 'document')]
  }
  const pair = findPair(root, container)
  if (pair === undefined && root.flow === true) {
    return [flowAddition(text, root, `${printInline(container)}: [${printInline(entry)}]`, 'container')]
  }
  const indent = ' '.repeat(root.items[0] === undefined ? 0 : columnOf(text, root.items[0].key))
  if (pair === undefined) {
    const lines = [`${container}:`, ...printItem(entry, '  ')].map((line) => indent + line)
    const offsets = [text.length, lineEndAfter(text, contentEnd(root))]
    return offsets.map((at) => insertLines(text, at, lines, 'container'))
  }
  const servers = pair.value
  if (!isSeq(servers)) {
    const at = lineEndAfter(text, rangeOf(pair.key)[1])
    return [insertLines(text, at, printItem(entry, `${indent}  `), 'entry')]
  }
  if (servers.flow === true) return [flowAddition(text, servers, printInline(entry), 'entry')]
  const dash = ' '.repeat(columnOf(text, servers))
  return [insertLines(text, lineEndAfter(text, contentEnd(servers)), printItem(entry, dash), 'entry')]
}

function insertLines(text: string, at: number, lines: readonly string[], created: Trace['made']): Added {
  const lineBreak = lineBreakOf(text)
  const lead = at > 0 && text[at - 1] !== '\n' ? lineBreak : ''
  const inserted = lead + lines.map((line) => line + lineBreak).join('')
  return { text: text.slice(0, at) + inserted + text.slice(at), trace: { made: created, lead, tail: '' } }
}

function flowAddition(text: string, into: YAMLMap | YAMLSeq, item: string, created: Trace['made']): Added {
  const { text: added, lead } = insertIntoFlow(text, into, item)
  return { text: added, trace: { made: created, lead, tail: '' } }
}

function change(text: string, container: string, members: JsonObject): string {
  const before = readContent(text, container)
  const ownEntry = before?.own[0]
  if (ownEntry === undefined || !isObject(ownEntry)) throw new Failure('has no entry to change')
  const changed = Object.entries(members).reduce(
    (current, [key, value]) => setMember(current, container, key, value),
    text,
  )
  const expected = { ...before, own: [{ ...ownEntry, ...members }] }
  if (!isDeepStrictEqual(readContent(changed, container), expected)) throw new Failure(UNTOUCHABLE)
  return changed
}

function setMember(text: string, container: string, key: string, value: unknown): string {
  const servers = findPair(parseRoot(text), container)?.value
  const item = isSeq(servers) ? findOwnItems(servers)[0] : undefined
  const command = findPair(item, 'command')
  if (item === undefined || command === undefined) throw new Failure(UNTOUCHABLE)
  const node = findPair(item, key)?.value
  if (isNodeWithText(node)) {
    const [start] = rangeOf(node)
    return text.slice(0, start) + printInline(value) + text.slice(contentEnd(node))
  }
  if (node !== undefined) throw new Failure(UNTOUCHABLE)
  if (item.flow === true) return insertIntoFlow(text, item, `${printInline(key)}: ${printInline(value)}`).text
  const at = lineEndAfter(text, contentEnd(command.value))
  const indent = ' '.repeat(columnOf(text, command.key))
  const lineBreak = lineBreakOf(text)
  const lead = text[at - 1] === '\n' ? '' : lineBreak
  return `${text.slice(0, at)}${lead}${indent}${key}: ${printInline(value)}${lineBreak}${text.slice(at)}`
}

function remove(text: string, container: string, trace: Trace | undefined): string {
  const before = readContent(text, container)
  const isDefaultHeader = isDeepStrictEqual(before?.rest, new Map(Object.entries(HEADER)))
  for (const remaining of possibleRemovals(text, container, trace, isDefaultHeader)) {
    const after = readContent(remaining, container)
    if (after === undefined) continue
    const isRestRight = isDeepStrictEqual(after.rest, before?.rest) || (isDefaultHeader && after.rest.size === 0)
    if (isRestRight && isDeepStrictEqual(after.others, before?.others) && after.own.length === 0) return remaining
  }
  throw new Failure(UNTOUCHABLE)
}

/** Also removes what was created with the entry, if nothing else was added to it. */
function possibleRemovals(
  text: string,
  container: string,
  trace: Trace | undefined,
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
  const end = lineEndAfter(text, contentEnd(servers))
  if (trace?.made === 'document' && isOnlyItem && isDefaultHeader) {
    return [removeLines(text, lineStartOf(text, rangeOf(root)[0]), end, lead)]
  }
  if (root.flow === true && isOnlyItem && trace?.made === 'container') return [withoutFlowItem(text, root, pair, lead)]
  if (servers.flow === true) return [withoutFlowItem(text, servers, item, lead)]
  // The client cannot read an empty value; keep it only if it was there before.
  if (isOnlyItem && trace?.made !== 'entry') {
    return [removeLines(text, lineStartOf(text, rangeOf(pair.key)[0]), end, lead)]
  }
  const dash = text.lastIndexOf('-', rangeOf(item)[0] - 1)
  return [removeLines(text, lineStartOf(text, dash), lineEndAfter(text, contentEnd(item)), lead)]
}

function removeLines(text: string, start: number, end: number, lead: string): string {
  const before = text.slice(0, start)
  const after = text.slice(end)
  const isLeadOurs = lead !== '' && after === '' && before.endsWith(lead)
  return (isLeadOurs ? before.slice(0, -lead.length) : before) + after
}

function snippet(container: string, entry: JsonObject): string {
  return [`${container}:`, ...printItem(entry, '  ')].join('\n')
}

interface Content {
  /** Everything except the servers. */
  readonly rest: ReadonlyMap<unknown, unknown>
  readonly others: readonly unknown[]
  readonly own: readonly unknown[]
}

/** Undefined if the text cannot be parsed or is not a map. */
function readContent(text: string, container: string): Content | undefined {
  const parsed = parseYaml(text)
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
  const parsed = parseYaml(text)
  if ('why' in parsed) throw new Failure(`cannot be read as YAML: ${parsed.why}`)
  return isMap(parsed.root) ? parsed.root : undefined
}

function findPair(map: YAMLMap | undefined, name: string): Pair | undefined {
  return map?.items.find(({ key }) => isScalar(key) && key.value === name)
}

function findOwnItems(servers: YAMLSeq): readonly YAMLMap[] {
  return servers.items.filter((item) => isMap(item)).filter((item) => item.get('name') === NAME)
}

function isEmptyValue(value: unknown): boolean {
  return value === undefined || value === null || (isScalar(value) && value.value === null && !isNodeWithText(value))
}

function isNodeWithText(value: unknown): value is Node {
  if (!isScalar(value) && !isMap(value) && !isSeq(value)) return false
  const [start, end] = rangeOf(value)
  return end > start
}

function describeKind(value: unknown): string {
  if (isAlias(value)) return 'an alias'
  if (isMap(value)) return 'a map'
  if (isSeq(value)) return 'a list'
  return isScalar(value) && value.value === null ? 'null' : 'a single value'
}
