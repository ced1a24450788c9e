// Configurations in JSON, with or without comments and trailing commas. The tree says where things stand; the text is
// cut and pasted there, so that everything else stays as a person wrote it.

import { isDeepStrictEqual } from 'node:util'

import { getNodeValue, parseTree, printParseErrorCode, type Node, type ParseError } from 'jsonc-parser'

import { Failure } from '../../lib/failure.js'
import { isObject, type JsonObject } from '../../lib/json.js'
import { NAME } from './entry.js'
import { positionOf, UNTOUCHABLE, type Added, type Format, type Reading, type Trace } from './format.js'
import { applyEdits, insertMember, styleOf, withoutMember } from './jsonc-members.js'

export const JSONC: Format = { read, add, change, remove, snippet }

function read(text: string, container: string): Reading {
  const root = parse(text)
  if ('kind' in root) return root
  if (root.tree === undefined) return { kind: 'free' }
  if (root.tree.type !== 'object') return { kind: 'odd', why: `it holds ${aOf(root.tree)}, not an object` }
  const holders = membersNamed(root.tree, container)
  if (holders.length > 1) return { kind: 'odd', why: `it has "${container}" more than once` }
  const servers = valueOf(holders[0])
  if (servers === undefined) return { kind: 'free' }
  if (servers.type !== 'object') return { kind: 'odd', why: `its "${container}" is ${aOf(servers)}, not an object` }
  const entries = membersNamed(servers, NAME)
  if (entries.length > 1) return { kind: 'odd', why: `its "${container}" has "${NAME}" more than once` }
  const entry = valueOf(entries[0])
  return entry === undefined ? { kind: 'free' } : { kind: 'taken', entry: getNodeValue(entry) }
}

function add(text: string, container: string, entry: JsonObject): Added {
  const added = addUnchecked(text, container, entry)
  mustDifferOnlyThere(text, added.text, container, entry)
  return added
}

function addUnchecked(text: string, container: string, entry: JsonObject): Added {
  const tree = treeOf(text)
  const style = styleOf(text)
  if (tree === undefined) {
    const lead = text === '' || /[\r\n]$/.test(text) ? '' : style.lineBreak
    const document = style.print({ [container]: { [NAME]: entry } }, '')
    return {
      text: text + lead + document + style.lineBreak,
      trace: { made: 'document', lead, tail: style.lineBreak },
    }
  }
  const servers = valueOf(membersNamed(tree, container)[0])
  const { edits, lead, tail } =
    servers === undefined
      ? insertMember(text, tree, container, { [NAME]: entry }, style)
      : insertMember(text, servers, NAME, entry, style)
  const made = servers === undefined ? 'container' : 'entry'
  return { text: applyEdits(text, edits), trace: { made, lead, tail } }
}

function change(text: string, container: string, members: JsonObject): string {
  const entry = entryOf(text, container)
  if (entry === undefined) throw new Failure('has no entry to change')
  const changed = Object.entries(members).reduce((done, [key, value]) => withMember(done, container, key, value), text)
  mustDifferOnlyThere(text, changed, container, { ...getNodeValue(entry), ...members })
  return changed
}

function withMember(text: string, container: string, key: string, value: unknown): string {
  const entry = entryOf(text, container)
  if (entry === undefined) throw new Failure(UNTOUCHABLE)
  const style = styleOf(text)
  const node = valueOf(membersNamed(entry, key)[0])
  if (node === undefined) return applyEdits(text, insertMember(text, entry, key, value, style).edits)
  if (isDeepStrictEqual(getNodeValue(node), value)) return text
  return applyEdits(text, [{ at: node.offset, length: node.length, text: style.inline(value) }])
}

function remove(text: string, container: string, trace: Trace | undefined): string {
  // The exact white space may have been changed since; what is cut less closely is still right.
  for (const attempt of [trace, undefined]) {
    for (const isClose of [true, false]) {
      const { text: left, gone } = removeUnchecked(text, container, trace?.made ?? 'entry', attempt, isClose)
      if (differsOnlyThere(text, left, container, undefined, gone)) return left
    }
  }
  throw new Failure(UNTOUCHABLE)
}

type Gone = Trace['made']

function removeUnchecked(
  text: string,
  container: string,
  made: Gone,
  trace: Trace | undefined,
  isClose: boolean,
): { readonly text: string; readonly gone: Gone } {
  const tree = treeOf(text)
  const holder = tree && membersNamed(tree, container)[0]
  const servers = valueOf(holder)
  const entry = servers && membersNamed(servers, NAME)[0]
  if (!tree || !holder || !servers || !entry) throw new Failure('has no entry of ours')
  const lead = trace?.lead
  const tail = trace?.tail ?? ''
  if (made === 'entry' || servers.children?.length !== 1) {
    const isOwn = made === 'entry'
    return {
      text: withoutMember(text, servers, entry, isOwn ? lead : undefined, isOwn ? tail : '', isClose),
      gone: 'entry',
    }
  }
  if (made === 'container' || tree.children?.length !== 1) {
    const isOwn = made === 'container'
    return {
      text: withoutMember(text, tree, holder, isOwn ? lead : undefined, isOwn ? tail : '', isClose),
      gone: 'container',
    }
  }
  const before = text.slice(0, tree.offset)
  const after = text.slice(tree.offset + tree.length)
  const start = lead && before.endsWith(lead) ? before.slice(0, -lead.length) : before
  return { text: start + (after.startsWith(tail) ? after.slice(tail.length) : after), gone: 'document' }
}

function snippet(container: string, entry: JsonObject): string {
  return JSON.stringify({ [container]: { [NAME]: entry } }, null, 2)
}

interface Parsed {
  readonly tree: Node | undefined
}

function parse(text: string): Parsed | (Reading & { readonly kind: 'broken' }) {
  const errors: ParseError[] = []
  try {
    const tree = parseTree(text, errors, { allowTrailingComma: true, allowEmptyContent: true })
    const [first] = errors
    if (first === undefined) return { tree }
    const why = printParseErrorCode(first.error)
      .replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)
      .trim()
    return { kind: 'broken', ...positionOf(text, first.offset), why }
  } catch (error) {
    if (error instanceof RangeError) return { kind: 'broken', line: 1, column: 1, why: 'nested too deeply' }
    throw error
  }
}

function treeOf(text: string): Node | undefined {
  const parsed = parse(text)
  if ('kind' in parsed) throw new Failure(`cannot be read as JSON: ${parsed.why} in line ${parsed.line}`)
  return parsed.tree
}

function entryOf(text: string, container: string): Node | undefined {
  const tree = treeOf(text)
  const servers = tree && valueOf(membersNamed(tree, container)[0])
  return servers && valueOf(membersNamed(servers, NAME)[0])
}

function membersNamed(object: Node, name: string): readonly Node[] {
  return (object.children ?? []).filter(({ children }) => children?.[0]?.value === name)
}

function valueOf(member: Node | undefined): Node | undefined {
  return member?.children?.[1]
}

function mustDifferOnlyThere(before: string, after: string, container: string, entry: JsonObject): void {
  if (!differsOnlyThere(before, after, container, entry, 'entry')) {
    throw new Failure(UNTOUCHABLE)
  }
}

/** Whether `after` is read as `before` with exactly that entry, or without one. */
function differsOnlyThere(
  before: string,
  after: string,
  container: string,
  entry: JsonObject | undefined,
  gone: Gone,
): boolean {
  const was = parse(before)
  const is = parse(after)
  if ('kind' in was || 'kind' in is) return false
  if (gone === 'document') return is.tree === undefined
  const wanted = withEntry(was.tree && getNodeValue(was.tree), container, entry, gone)
  return is.tree !== undefined && isDeepStrictEqual(plain(getNodeValue(is.tree)), plain(wanted))
}

function withEntry(root: unknown, container: string, entry: JsonObject | undefined, gone: Gone): JsonObject {
  const { [container]: given, ...rest } = isObject(root) ? root : {}
  if (gone === 'container') return rest
  const { [NAME]: _, ...others } = isObject(given) ? given : {}
  return { ...rest, [container]: entry === undefined ? others : { ...others, [NAME]: entry } }
}

/** Without what only tells how a value was made. */
function plain(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value))
}

function aOf({ type }: Node): string {
  return type === 'null' ? 'null' : `${/^[ao]/.test(type) ? 'an' : 'a'} ${type}`
}
