// Positions of nodes in YAML text, and edits of flow collections.

import {
  isMap,
  isNode,
  isPair,
  isScalar,
  isSeq,
  parseDocument,
  type Node,
  type Pair,
  type YAMLMap,
  type YAMLSeq,
} from 'yaml'

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

export function parseYaml(text: string): ParsedYaml | YamlProblem {
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
export function rangeOf(node: unknown): readonly [number, number] {
  return isNode(node) && node.range ? [node.range[0], node.range[1]] : [0, 0]
}

/** End of a node's content. The range of a block node also includes trailing white space and comments. */
export function contentEnd(node: unknown): number {
  if (isPair(node)) return isNode(node.value) ? contentEnd(node.value) : contentEnd(node.key)
  const last = (isMap(node) || isSeq(node)) && node.flow !== true ? node.items.at(-1) : undefined
  return last === undefined ? rangeOf(node)[1] : contentEnd(last)
}

export function lineEndAfter(text: string, offset: number): number {
  if (text[offset - 1] === '\n') return offset
  const at = text.indexOf('\n', offset)
  return at === -1 ? text.length : at + 1
}

export function lineStartOf(text: string, offset: number): number {
  return offset <= 0 ? 0 : text.lastIndexOf('\n', offset - 1) + 1
}

export function columnOf(text: string, node: unknown): number {
  const [start] = rangeOf(node)
  return start - lineStartOf(text, start)
}

export interface FlowInsertion {
  readonly text: string
  /** Text between the previous item and the new one. */
  readonly lead: string
}

/** Inserts the last item of a flow collection (in brackets or braces). */
export function insertIntoFlow(text: string, into: YAMLMap | YAMLSeq, item: string): FlowInsertion {
  const [opening, closing] = rangeOf(into)
  const last = into.items.at(-1)
  if (last === undefined) return { text: text.slice(0, opening + 1) + item + text.slice(opening + 1), lead: '' }
  const end = contentEnd(last)
  const comma = /^(?:\s|#[^\n]*)*,/.exec(text.slice(end, closing))?.[0]
  const at = end + (comma?.length ?? 0)
  const lead = comma === undefined ? ', ' : ' '
  return { text: text.slice(0, at) + lead + item + text.slice(at), lead }
}

export function withoutFlowItem(text: string, from: YAMLMap | YAMLSeq, removed: Pair | Node, lead: string): string {
  const start = rangeOf(isPair(removed) ? removed.key : removed)[0]
  const end = contentEnd(removed)
  const before = text.slice(0, start)
  const after = text.slice(end)
  const items: readonly unknown[] = from.items
  if (items.length === 1) return before + after
  if (items.at(-1) === removed && lead !== '' && before.endsWith(lead)) return before.slice(0, -lead.length) + after
  const comma = /^(?:\s|#[^\n]*)*,[\t ]*/.exec(after)?.[0]
  if (comma !== undefined) return before + after.slice(comma.length)
  return before.replace(/,\s*$/, '') + after
}
