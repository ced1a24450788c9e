// Collects the regular expressions of a source file: literals, and `RegExp(…)` of constant text. What cannot be evaluated
// is collected with its call, so that no expression is left out unseen.

import { isRegExp } from 'node:util/types'

import { parseSync } from 'rolldown/utils'

import type { Expression } from './backtracking.js'

export interface FoundExpression extends Expression {
  readonly file: string
  readonly line: number
  /** It is used for all matches in a text, not for the first only. */
  readonly all: boolean
}

export interface CollectedExpressions {
  readonly found: readonly FoundExpression[]
  /** Calls of RegExp whose text is not constant. */
  readonly dynamic: readonly { readonly file: string; readonly call: string }[]
}

type Node = { readonly [key: string]: unknown; readonly type: string; readonly start: number; readonly end: number }

export function collectExpressions(file: string, text: string): CollectedExpressions {
  const { program } = parseSync(file, text)
  const constants = new Map<string, Node>()
  walk(program, (node) => {
    const { id, init } = node
    if (node.type === 'VariableDeclarator' && isNode(id) && isNode(init)) constants.set(String(id.name), init)
  })
  const found: FoundExpression[] = []
  const dynamic: { file: string; call: string }[] = []
  const add = (node: Node, expression: Expression): void => {
    const line = text.slice(0, node.start).split('\n').length
    const isSplit = /\.(split|replaceAll|matchAll)\(\s*$/.test(text.slice(0, node.start))
    found.push({ ...expression, file, line, all: isSplit || /[gy]/.test(expression.flags) })
  }
  walk(program, (node) => {
    const { regex, callee } = node
    if (node.type === 'Literal' && isObject(regex)) {
      add(node, { source: String(regex.pattern), flags: String(regex.flags) })
    } else if (/^(New|Call)Expression$/.test(node.type) && isNode(callee) && callee.name === 'RegExp') {
      const expression = evaluateCall(node, constants)
      if (expression) add(node, expression)
      else dynamic.push({ file, call: text.slice(node.start, node.end) })
    }
  })
  return { found, dynamic }
}

function evaluateCall({ arguments: args }: Node, constants: ReadonlyMap<string, Node>): Expression | undefined {
  const [source, flags] = (Array.isArray(args) ? args : []).map((arg: unknown) => evaluate(arg, constants))
  if (isRegExp(source)) return { source: source.source, flags: typeof flags === 'string' ? flags : source.flags }
  return typeof source === 'string' ? { source, flags: typeof flags === 'string' ? flags : '' } : undefined
}

/** The value of constant text or of an expression; undefined if it is not constant. */
function evaluate(node: unknown, constants: ReadonlyMap<string, Node>): string | RegExp | undefined {
  if (!isNode(node)) return undefined
  if (node.type === 'Literal') {
    const { regex, value } = node
    if (isObject(regex)) return new RegExp(String(regex.pattern), String(regex.flags))
    return typeof value === 'string' ? value : undefined
  }
  if (node.type === 'Identifier') return evaluate(constants.get(String(node.name)), constants)
  if (node.type === 'MemberExpression' && isNode(node.property) && node.property.name === 'source') {
    const value = evaluate(node.object, constants)
    return isRegExp(value) ? value.source : undefined
  }
  if (node.type === 'BinaryExpression' && node.operator === '+') {
    const [left, right] = [evaluate(node.left, constants), evaluate(node.right, constants)]
    return typeof left === 'string' && typeof right === 'string' ? left + right : undefined
  }
  return node.type === 'TemplateLiteral' ? evaluateTemplate(node, constants) : undefined
}

function evaluateTemplate({ quasis, expressions }: Node, constants: ReadonlyMap<string, Node>): string | undefined {
  if (!Array.isArray(quasis) || !Array.isArray(expressions)) return undefined
  const values = expressions.map((each: unknown) => evaluate(each, constants))
  if (values.some((value) => typeof value !== 'string')) return undefined
  const texts = quasis.map((each: unknown) => {
    const value = isNode(each) ? each.value : undefined
    return isObject(value) ? String(value.cooked) : ''
  })
  return texts.map((part, at) => part + String(values[at] ?? '')).join('')
}

function walk(value: unknown, visit: (node: Node) => void): void {
  if (Array.isArray(value)) for (const each of value) walk(each, visit)
  else if (isObject(value) && !isRegExp(value)) {
    if (isNode(value)) visit(value)
    for (const each of Object.values(value)) if (typeof each === 'object') walk(each, visit)
  }
}

function isNode(value: unknown): value is Node {
  return isObject(value) && typeof value.type === 'string' && typeof value.start === 'number'
}

function isObject(value: unknown): value is { readonly [key: string]: unknown } {
  return typeof value === 'object' && value !== null
}
