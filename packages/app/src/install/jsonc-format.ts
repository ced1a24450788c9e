// The JSONC implementation of config-format.ts, which loads it: JSON with or without comments and trailing commas.
// Edits are made in the text at positions from the syntax tree, so that the rest stays unchanged; the result is parsed
// again and compared. Pure.

import { isDeepStrictEqual } from 'node:util'

import { getNodeValue, type Node, type ParseError, parseTree, printParseErrorCode } from 'jsonc-parser'

import { Failure } from '@scorpiox/mcp/errors'
import { isJsonObject, type JsonObject } from '@scorpiox/mcp/json/json'
import {
  type AddEntryResult,
  type ConfigFormat,
  type InsertionRecord,
  type ReadEntryResult,
  toLineAndColumn,
  UNSAFE_EDIT,
} from './config-format.js'
import { applyTextEdits, detectJsonStyle, insertMember, removeMember } from './jsonc-edit.js'
import { ENTRY_NAME } from './own-entry.js'

export const JSONC_FORMAT: ConfigFormat = { read, add, change, remove, snippet }

function read(text: string, container: string): ReadEntryResult {
  const root = parse(text)
  if ('kind' in root) return root
  if (root.tree === undefined) return { kind: 'absent' }
  if (root.tree.type !== 'object') return { kind: 'unsupported', why: `it is ${withArticle(root.tree)}, not an object` }
  const containers = findMembers(root.tree, container)
  if (containers.length > 1) return { kind: 'unsupported', why: `it has "${container}" more than once` }
  const servers = memberValue(containers[0])
  if (servers === undefined) return { kind: 'absent' }
  if (servers.type !== 'object')
    return { kind: 'unsupported', why: `its "${container}" is ${withArticle(servers)}, not an object` }
  const entries = findMembers(servers, ENTRY_NAME)
  if (entries.length > 1) return { kind: 'unsupported', why: `its "${container}" has "${ENTRY_NAME}" more than once` }
  const entry = memberValue(entries[0])
  return entry === undefined ? { kind: 'absent' } : { kind: 'present', entry: getNodeValue(entry) }
}

function add(text: string, container: string, entry: JsonObject): AddEntryResult {
  const added = addUnchecked(text, container, entry)
  requireOnlyEntryDiffers(text, added.text, container, entry)
  return added
}

function addUnchecked(text: string, container: string, entry: JsonObject): AddEntryResult {
  const tree = parseOrThrow(text)
  const style = detectJsonStyle(text)
  if (tree === undefined) {
    const lead = text === '' || /[\r\n]$/.test(text) ? '' : style.lineBreak
    const document = style.print({ [container]: { [ENTRY_NAME]: entry } }, '')
    return {
      text: text + lead + document + style.lineBreak,
      insertion: { made: 'document', lead, tail: style.lineBreak },
    }
  }
  const servers = memberValue(findMembers(tree, container)[0])
  const { edits, lead, tail } =
    servers === undefined
      ? insertMember(text, tree, container, { [ENTRY_NAME]: entry }, style)
      : insertMember(text, servers, ENTRY_NAME, entry, style)
  const created = servers === undefined ? 'container' : 'entry'
  return { text: applyTextEdits(text, edits), insertion: { made: created, lead, tail } }
}

function change(text: string, container: string, members: JsonObject): string {
  const entry = findEntry(text, container)
  if (entry === undefined) throw new Failure('has no entry to change')
  const changed = Object.entries(members).reduce(
    (current, [key, value]) => setMember(current, container, key, value),
    text,
  )
  requireOnlyEntryDiffers(text, changed, container, { ...getNodeValue(entry), ...members })
  return changed
}

function setMember(text: string, container: string, key: string, value: unknown): string {
  const entry = findEntry(text, container)
  if (entry === undefined) throw new Failure(UNSAFE_EDIT)
  const style = detectJsonStyle(text)
  const node = memberValue(findMembers(entry, key)[0])
  if (node === undefined) return applyTextEdits(text, insertMember(text, entry, key, value, style).edits)
  if (isDeepStrictEqual(getNodeValue(node), value)) return text
  return applyTextEdits(text, [{ at: node.offset, length: node.length, text: style.inline(value) }])
}

function remove(text: string, container: string, trace: InsertionRecord | undefined): string {
  // The white space may have changed since: try with and without the recorded one.
  for (const attempt of [trace, undefined]) {
    for (const isClose of [true, false]) {
      const { text: remaining, gone: removedPart } = removeUnchecked(
        text,
        container,
        trace?.made ?? 'entry',
        attempt,
        isClose,
      )
      if (onlyEntryDiffers(text, remaining, container, undefined, removedPart)) return remaining
    }
  }
  throw new Failure(UNSAFE_EDIT)
}

type RemovedPart = InsertionRecord['made']

function removeUnchecked(
  text: string,
  container: string,
  created: RemovedPart,
  trace: InsertionRecord | undefined,
  isClose: boolean,
): { readonly text: string; readonly gone: RemovedPart } {
  const tree = parseOrThrow(text)
  const containerMember = tree && findMembers(tree, container)[0]
  const servers = memberValue(containerMember)
  const entry = servers && findMembers(servers, ENTRY_NAME)[0]
  if (!tree || !containerMember || !servers || !entry) throw new Failure('has no entry of this program')
  const lead = trace?.lead
  const tail = trace?.tail ?? ''
  if (created === 'entry' || servers.children?.length !== 1) {
    const wasCreatedByUs = created === 'entry'
    return {
      text: removeMember(text, servers, entry, wasCreatedByUs ? lead : undefined, wasCreatedByUs ? tail : '', isClose),
      gone: 'entry',
    }
  }
  if (created === 'container' || tree.children?.length !== 1) {
    const wasCreatedByUs = created === 'container'
    return {
      text: removeMember(
        text,
        tree,
        containerMember,
        wasCreatedByUs ? lead : undefined,
        wasCreatedByUs ? tail : '',
        isClose,
      ),
      gone: 'container',
    }
  }
  const before = text.slice(0, tree.offset)
  const after = text.slice(tree.offset + tree.length)
  const start = lead && before.endsWith(lead) ? before.slice(0, -lead.length) : before
  return { text: start + (after.startsWith(tail) ? after.slice(tail.length) : after), gone: 'document' }
}

function snippet(container: string, entry: JsonObject): string {
  return JSON.stringify({ [container]: { [ENTRY_NAME]: entry } }, null, 2)
}

interface Parsed {
  readonly tree: Node | undefined
}

function parse(text: string): Parsed | (ReadEntryResult & { readonly kind: 'broken' }) {
  const errors: ParseError[] = []
  try {
    const tree = parseTree(text, errors, { allowTrailingComma: true, allowEmptyContent: true })
    const [first] = errors
    if (first === undefined) return { tree }
    const why = printParseErrorCode(first.error)
      .replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)
      .trim()
    return { kind: 'broken', ...toLineAndColumn(text, first.offset), why }
  } catch (error) {
    if (error instanceof RangeError) return { kind: 'broken', line: 1, column: 1, why: 'nested too deeply' }
    throw error
  }
}

function parseOrThrow(text: string): Node | undefined {
  const parsed = parse(text)
  if ('kind' in parsed) throw new Failure(`cannot be read as JSON: ${parsed.why} in line ${parsed.line}`)
  return parsed.tree
}

function findEntry(text: string, container: string): Node | undefined {
  const tree = parseOrThrow(text)
  const servers = tree && memberValue(findMembers(tree, container)[0])
  return servers && memberValue(findMembers(servers, ENTRY_NAME)[0])
}

function findMembers(object: Node, name: string): readonly Node[] {
  return (object.children ?? []).filter(({ children }) => children?.[0]?.value === name)
}

function memberValue(member: Node | undefined): Node | undefined {
  return member?.children?.[1]
}

function requireOnlyEntryDiffers(before: string, after: string, container: string, entry: JsonObject): void {
  if (!onlyEntryDiffers(before, after, container, entry, 'entry')) {
    throw new Failure(UNSAFE_EDIT)
  }
}

/** Whether `after` parses to the value of `before` with exactly that entry, or without it. */
function onlyEntryDiffers(
  before: string,
  after: string,
  container: string,
  entry: JsonObject | undefined,
  removedPart: RemovedPart,
): boolean {
  const parsedBefore = parse(before)
  const parsedAfter = parse(after)
  if ('kind' in parsedBefore || 'kind' in parsedAfter) return false
  if (removedPart === 'document') return parsedAfter.tree === undefined
  const expected = withEntry(parsedBefore.tree && getNodeValue(parsedBefore.tree), container, entry, removedPart)
  return (
    parsedAfter.tree !== undefined && isDeepStrictEqual(normalize(getNodeValue(parsedAfter.tree)), normalize(expected))
  )
}

function withEntry(
  root: unknown,
  container: string,
  entry: JsonObject | undefined,
  removedPart: RemovedPart,
): JsonObject {
  const { [container]: current, ...rest } = isJsonObject(root) ? root : {}
  if (removedPart === 'container') return rest
  const { [ENTRY_NAME]: _, ...others } = isJsonObject(current) ? current : {}
  return { ...rest, [container]: entry === undefined ? others : { ...others, [ENTRY_NAME]: entry } }
}

/** Normalizes prototypes and property attributes. */
function normalize(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value))
}

function withArticle({ type }: Node): string {
  return type === 'null' ? 'null' : `${/^[ao]/.test(type) ? 'an' : 'a'} ${type}`
}
