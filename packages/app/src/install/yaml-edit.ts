// Helpers of yaml-format.ts: positions of nodes in YAML text, edits of flow collections, and values formatted as YAML.
// Pure.

import {
  isMap,
  isNode,
  isPair,
  isScalar,
  isSeq,
  type Node,
  type Pair,
  parseDocument,
  type YAMLMap,
  type YAMLSeq,
} from 'yaml'

import { isJsonObject, type JsonObject } from '@scorpiox/mcp/json/json'

export interface ParsedYaml {
  /** Undefined if the text has no content. */
  readonly root: Node | undefined
  /** The value as JSON types. */
  readonly valueOf: (node: unknown) => unknown
  /** The value with maps as Map, so that keys of different types stay distinct. */
  readonly mapOf: (node: unknown) => unknown
}

export interface YamlProblem {
  readonly line: number
  readonly column: number
  readonly why: string
}

export function parseYamlConfig(text: string): ParsedYaml | YamlProblem {
  try {
    const document = parseDocument(text, { prettyErrors: true, logLevel: 'error' })
    const [error] = document.errors
    if (error !== undefined) {
      const { line, col } = error.linePos?.[0] ?? { line: 1, col: 1 }
      return { line, column: col, why: cleanMessage(error.message) }
    }
    const { contents } = document
    const isEmpty = contents === null || (isScalar(contents) && contents.value === null && contents.source === '')
    // Resolves every alias once, so that an excessive number is detected here.
    document.toJS()
    const valueOf = (node: unknown): unknown => (isNode(node) ? node.toJS(document) : undefined)
    const mapOf = (node: unknown): unknown => (isNode(node) ? node.toJS(document, { mapAsMap: true }) : undefined)
    return { root: isEmpty ? undefined : contents, valueOf, mapOf }
  } catch (error) {
    const why = error instanceof RangeError ? 'nested too deeply' : cleanMessage(String(error))
    return { line: 1, column: 1, why }
  }
}

function cleanMessage(message: string): string {
  const [first = ''] = message.split('\n')
  const reason = first.replace(/ at line \d+, column \d+:?$/, '').replace(/^\w*Error: /, '')
  return reason.slice(0, 1).toLowerCase() + reason.slice(1)
}

/** Start and end of the text of a node. */
export function yamlRange(node: unknown): readonly [number, number] {
  return isNode(node) && node.range ? [node.range[0], node.range[1]] : [0, 0]
}

/** End of a node's content. The range of a block node also includes trailing white space and comments. */
export function yamlContentEnd(node: unknown): number {
  if (isPair(node)) return isNode(node.value) ? yamlContentEnd(node.value) : yamlContentEnd(node.key)
  const last = (isMap(node) || isSeq(node)) && node.flow !== true ? node.items.at(-1) : undefined
  return last === undefined ? yamlRange(node)[1] : yamlContentEnd(last)
}

export function findYamlLineEnd(text: string, offset: number): number {
  if (text[offset - 1] === '\n') return offset
  const at = text.indexOf('\n', offset)
  return at === -1 ? text.length : at + 1
}

export function findYamlLineStart(text: string, offset: number): number {
  return offset <= 0 ? 0 : text.lastIndexOf('\n', offset - 1) + 1
}

export function yamlColumn(text: string, node: unknown): number {
  const [start] = yamlRange(node)
  return start - findYamlLineStart(text, start)
}

export interface FlowInsertion {
  readonly text: string
  /** Text between the previous item and the new one. */
  readonly lead: string
}

/** Inserts the last item of a flow collection (in brackets or braces). */
export function insertFlowItem(text: string, into: YAMLMap | YAMLSeq, item: string): FlowInsertion {
  const [opening, closing] = yamlRange(into)
  const last = into.items.at(-1)
  if (last === undefined) return { text: text.slice(0, opening + 1) + item + text.slice(opening + 1), lead: '' }
  const end = yamlContentEnd(last)
  const comma = /^(?:\s|#[^\n]*\n)*,/.exec(text.slice(end, closing))?.[0]
  const at = end + (comma?.length ?? 0)
  const lead = comma === undefined ? ', ' : ' '
  return { text: text.slice(0, at) + lead + item + text.slice(at), lead }
}

export function removeFlowItem(text: string, from: YAMLMap | YAMLSeq, removed: Pair | Node, lead: string): string {
  const start = yamlRange(isPair(removed) ? removed.key : removed)[0]
  const end = yamlContentEnd(removed)
  const before = text.slice(0, start)
  const after = text.slice(end)
  const items: readonly unknown[] = from.items
  if (items.length === 1) return before + after
  if (items.at(-1) === removed && lead !== '' && before.endsWith(lead)) return before.slice(0, -lead.length) + after
  const comma = /^(?:\s|#[^\n]*\n)*,[\t ]*/.exec(after)?.[0]
  if (comma !== undefined) return before + after.slice(comma.length)
  return before.replace(/,\s*$/, '') + after
}

const PLAIN = /^[A-Za-z/][\w./-]*$/
/** Plain scalars that some parsers read as another type. */
const RESERVED = /^(true|false|null|yes|no|on|off|y|n)$/i
/** Characters that are allowed unescaped in JSON but not in YAML. */
const UNPRINTABLE = /[\u007F-\u009F\u2028\u2029\uFEFF\uFFFE\uFFFF]/g

/** The lines of a list item, with one member per line. */
export function formatYamlItem(entry: JsonObject, indent: string): readonly string[] {
  return Object.entries(entry).map(
    ([key, value], index) => `${indent}${index === 0 ? '- ' : '  '}${key}: ${printValue(value)}`,
  )
}

/** As JSON, which is valid YAML also inside flow collections. */
export function formatYamlInline(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(formatYamlInline).join(', ')}]`
  if (isJsonObject(value)) {
    const members = Object.entries(value).map(([key, part]) => `${formatYamlInline(key)}: ${formatYamlInline(part)}`)
    return `{${members.join(', ')}}`
  }
  return JSON.stringify(value).replace(
    UNPRINTABLE,
    (character) => `\\u${(character.codePointAt(0) ?? 0).toString(16).padStart(4, '0')}`,
  )
}

/** Formats values as YAML: plain scalars where they are safe, otherwise quoted as in JSON. */
function printValue(value: unknown): string {
  if (typeof value === 'string') return PLAIN.test(value) && !RESERVED.test(value) ? value : formatYamlInline(value)
  if (Array.isArray(value) || !isJsonObject(value)) return formatYamlInline(value)
  return `{ ${Object.entries(value)
    .map(([key, part]) => `${key}: ${formatYamlInline(part)}`)
    .join(', ')} }`
}
