// Configurations in YAML, where servers are a list and each says its own name. The parser says where things are; the
// text is edited there, parsed again, and may differ in nothing but our entry.

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

/** What Continue requires of a file that has none of it yet. */
const HEADER = { name: 'Local Config', version: '1.0.0', schema: 'v1' }

function read(text: string, container: string): Reading {
  const parsed = parseYaml(text)
  if ('why' in parsed) return { kind: 'broken', ...parsed }
  const { root } = parsed
  if (root === undefined) return { kind: 'free' }
  if (!isMap(root)) return { kind: 'odd', why: `it holds ${kindOf(root)}, not a map` }
  const servers = pairOf(root, container)?.value
  if (isAbsent(servers)) return { kind: 'free' }
  if (!isSeq(servers)) return { kind: 'odd', why: `its "${container}" is ${kindOf(servers)}, not a list` }
  const entries = ownItems(servers)
  if (entries.length > 1) return { kind: 'odd', why: `its "${container}" has "${NAME}" more than once` }
  const [entry] = entries
  return entry === undefined ? { kind: 'free' } : { kind: 'taken', entry: parsed.valueOf(entry) }
}

function add(text: string, container: string, entry: JsonObject): Added {
  const wanted = contentOf(text, container)
  for (const added of additions(text, container, entry)) {
    const content = contentOf(added.text, container)
    const rest = added.trace.made === 'document' ? new Map(Object.entries(HEADER)) : wanted?.rest
    const isRight = isDeepStrictEqual(content?.rest, rest) && isDeepStrictEqual(content?.others, wanted?.others ?? [])
    if (isRight && isDeepStrictEqual(content?.own, [entry])) return added
  }
  throw new Failure(UNTOUCHABLE)
}

/** Where the entry could be put, the most natural place first. */
function additions(text: string, container: string, entry: JsonObject): readonly Added[] {
  const root = rootOf(text)
  if (root === undefined) {
    const header = Object.entries(HEADER).map(([key, value]) => `${key}: ${value}`)
    return [insertLines(text, text.length, [...header, `${container}:`, ...printItem(entry, '  ')], 'document')]
  }
  const pair = pairOf(root, container)
  if (pair === undefined && root.flow === true) {
    return [flowAddition(text, root, `${printInline(container)}: [${printInline(entry)}]`, 'container')]
  }
  const indent = ' '.repeat(root.items[0] === undefined ? 0 : columnOf(text, root.items[0].key))
  if (pair === undefined) {
    const lines = [`${container}:`, ...printItem(entry, '  ')].map((line) => indent + line)
    const places = [text.length, lineEndAfter(text, contentEnd(root))]
    return places.map((at) => insertLines(text, at, lines, 'container'))
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

function insertLines(text: string, at: number, lines: readonly string[], made: Trace['made']): Added {
  const lineBreak = lineBreakOf(text)
  const lead = at > 0 && text[at - 1] !== '\n' ? lineBreak : ''
  const inserted = lead + lines.map((line) => line + lineBreak).join('')
  return { text: text.slice(0, at) + inserted + text.slice(at), trace: { made, lead, tail: '' } }
}

function flowAddition(text: string, into: YAMLMap | YAMLSeq, item: string, made: Trace['made']): Added {
  const { text: added, lead } = insertIntoFlow(text, into, item)
  return { text: added, trace: { made, lead, tail: '' } }
}

function change(text: string, container: string, members: JsonObject): string {
  const before = contentOf(text, container)
  const own = before?.own[0]
  if (own === undefined || !isObject(own)) throw new Failure('has no entry to change')
  const changed = Object.entries(members).reduce((done, [key, value]) => withMember(done, container, key, value), text)
  const wanted = { ...before, own: [{ ...own, ...members }] }
  if (!isDeepStrictEqual(contentOf(changed, container), wanted)) throw new Failure(UNTOUCHABLE)
  return changed
}

function withMember(text: string, container: string, key: string, value: unknown): string {
  const servers = pairOf(rootOf(text), container)?.value
  const item = isSeq(servers) ? ownItems(servers)[0] : undefined
  const command = pairOf(item, 'command')
  if (item === undefined || command === undefined) throw new Failure(UNTOUCHABLE)
  const node = pairOf(item, key)?.value
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
  const before = contentOf(text, container)
  const isOwnHeader = isDeepStrictEqual(before?.rest, new Map(Object.entries(HEADER)))
  for (const left of removals(text, container, trace, isOwnHeader)) {
    const after = contentOf(left, container)
    if (after === undefined) continue
    const isRestRight = isDeepStrictEqual(after.rest, before?.rest) || (isOwnHeader && after.rest.size === 0)
    if (isRestRight && isDeepStrictEqual(after.others, before?.others) && after.own.length === 0) return left
  }
  throw new Failure(UNTOUCHABLE)
}

/** As much as was made for the entry goes with it, where nothing else is in it by now. */
function removals(text: string, container: string, trace: Trace | undefined, isOwnHeader: boolean): readonly string[] {
  const root = rootOf(text)
  const pair = pairOf(root, container)
  const servers = pair?.value
  const item = isSeq(servers) ? ownItems(servers)[0] : undefined
  if (root === undefined || pair === undefined || !isSeq(servers) || item === undefined) {
    throw new Failure('has no entry of ours')
  }
  const lead = trace?.lead ?? ''
  const isAlone = servers.items.length === 1
  const end = lineEndAfter(text, contentEnd(servers))
  if (trace?.made === 'document' && isAlone && isOwnHeader) {
    return [withoutLines(text, lineStartOf(text, rangeOf(root)[0]), end, lead)]
  }
  if (root.flow === true && isAlone && trace?.made === 'container') return [withoutFlowItem(text, root, pair, lead)]
  if (servers.flow === true) return [withoutFlowItem(text, servers, item, lead)]
  // An empty value would make the file unreadable for the client, unless that is what was there.
  if (isAlone && trace?.made !== 'entry') {
    return [withoutLines(text, lineStartOf(text, rangeOf(pair.key)[0]), end, lead)]
  }
  const dash = text.lastIndexOf('-', rangeOf(item)[0] - 1)
  return [withoutLines(text, lineStartOf(text, dash), lineEndAfter(text, contentEnd(item)), lead)]
}

function withoutLines(text: string, start: number, end: number, lead: string): string {
  const before = text.slice(0, start)
  const after = text.slice(end)
  const isLeadOurs = lead !== '' && after === '' && before.endsWith(lead)
  return (isLeadOurs ? before.slice(0, -lead.length) : before) + after
}

function snippet(container: string, entry: JsonObject): string {
  return [`${container}:`, ...printItem(entry, '  ')].join('\n')
}

interface Content {
  /** Everything but the servers. */
  readonly rest: ReadonlyMap<unknown, unknown>
  readonly others: readonly unknown[]
  readonly own: readonly unknown[]
}

/** Undefined where the text cannot be read, or is no map. */
function contentOf(text: string, container: string): Content | undefined {
  const parsed = parseYaml(text)
  if ('why' in parsed) return undefined
  const { root } = parsed
  if (root === undefined) return { rest: new Map(), others: [], own: [] }
  const value = parsed.mapOf(root)
  if (!isMap(root) || !(value instanceof Map)) return undefined
  const servers = pairOf(root, container)?.value
  const own = new Set<unknown>(isSeq(servers) ? ownItems(servers) : [])
  const items = isSeq(servers) ? servers.items : []
  return {
    rest: new Map([...value].filter(([key]) => key !== container)),
    others: items.filter((item) => !own.has(item)).map((item) => parsed.mapOf(item)),
    own: [...own].map((item) => parsed.valueOf(item)),
  }
}

function rootOf(text: string): YAMLMap | undefined {
  const parsed = parseYaml(text)
  if ('why' in parsed) throw new Failure(`cannot be read as YAML: ${parsed.why}`)
  return isMap(parsed.root) ? parsed.root : undefined
}

function pairOf(map: YAMLMap | undefined, name: string): Pair | undefined {
  return map?.items.find(({ key }) => isScalar(key) && key.value === name)
}

function ownItems(servers: YAMLSeq): readonly YAMLMap[] {
  return servers.items.filter((item) => isMap(item)).filter((item) => item.get('name') === NAME)
}

function isAbsent(value: unknown): boolean {
  return value === undefined || value === null || (isScalar(value) && value.value === null && !isNodeWithText(value))
}

function isNodeWithText(value: unknown): value is Node {
  if (!isScalar(value) && !isMap(value) && !isSeq(value)) return false
  const [start, end] = rangeOf(value)
  return end > start
}

function kindOf(value: unknown): string {
  if (isAlias(value)) return 'an alias'
  if (isMap(value)) return 'a map'
  if (isSeq(value)) return 'a list'
  return isScalar(value) && value.value === null ? 'null' : 'a single value'
}
