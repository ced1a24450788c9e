// Makes the mutants of a TypeScript source: all of them in one text, each behind a switch `__m(id)`, so that a process
// loads the code once and turns one mutant on at a time.

import { parseAst } from 'rolldown/parseAst'

const OPERATORS = {
  '<': ['<=', '>='],
  '<=': ['<', '>'],
  '>': ['>=', '<='],
  '>=': ['>', '<'],
  '===': ['!=='],
  '!==': ['==='],
  '+': ['-'],
  '-': ['+'],
  '*': ['/'],
  '/': ['*'],
  '%': ['*'],
  '&&': ['||'],
  '||': ['&&'],
  '??': ['&&'],
  '+=': ['-='],
  '-=': ['+='],
  '??=': ['&&='],
  '||=': ['&&='],
  '++': ['--'],
  '--': ['++'],
}

const COMPARISONS = new Set(['<', '<=', '>', '>=', '===', '!==', 'instanceof', 'in'])

const METHODS = { some: 'every', every: 'some', startsWith: 'endsWith', endsWith: 'startsWith', min: 'max', max: 'min' }
const REMOVED_METHODS = new Set(['slice', 'filter', 'sort', 'toSorted', 'toReversed', 'toLowerCase', 'toWellFormed'])

const REMOVED_STATEMENTS = new Set(['ExpressionStatement', 'ThrowStatement', 'ContinueStatement', 'BreakStatement'])

/** Expressions that TypeScript wraps around others; its other nodes are types. */
const TRANSPARENT = new Set(['TSAsExpression', 'TSSatisfiesExpression', 'TSNonNullExpression', 'TSParameterProperty'])

/** Returns the source with its mutants in it, and their list; ids are counted from `firstId`. */
export function createMutants(file, source, firstId) {
  const mutants = []
  const code = emit(parseAst(source, { lang: 'ts' }), {})
  return { code, mutants }

  function emit(node, context) {
    const children = childrenOf(node)
    const pieces = []
    let at = node.start
    for (const [child, childContext] of children) {
      pieces.push(source.slice(at, child.start), emit(child, childContext))
      at = child.end
    }
    const original = pieces.join('') + source.slice(at, node.end)
    if (REMOVED_STATEMENTS.has(node.type) && isRemovable(node)) {
      return `{ if (!__m(${addMutant(node, 'removed', '')})) { ${original}; } }`
    }
    if (context.isFixed) return original
    const switches = changesOf(node, context).map(
      ([kind, to]) => `__m(${addMutant(node, kind, to)}) ? (${to === '{}' ? '({})' : to}) : `,
    )
    return switches.length === 0 ? original : `(${switches.join('')}(${original}))`
  }

  function addMutant({ start, end }, kind, to) {
    const line = source.slice(0, start).split('\n').length
    const id = firstId + mutants.length
    mutants.push({ id, file, line, start, kind, from: source.slice(start, end), to })
    return id
  }

  function changesOf(node, context) {
    const changes = [...ownChanges(node, context)]
    const isUndefined = node.type === 'Identifier' && node.name === 'undefined'
    const isLiteral = ['Literal', 'TemplateLiteral', 'ArrayExpression', 'ObjectExpression'].includes(node.type)
    if (context.isReturned && !isUndefined && !isLiteral) changes.push(['returned', 'undefined'])
    if (context.isCondition || (isComparison(node) && !context.isReturned)) {
      if (!context.isLoop) changes.push(['condition', 'true'])
      changes.push(['condition', 'false'])
    }
    return changes
  }

  function* ownChanges(node, context) {
    switch (node.type) {
      case 'BinaryExpression':
      case 'LogicalExpression':
      case 'AssignmentExpression': {
        if (node.operator === '+' && [node.left, node.right].some(isText)) return
        const at = source.indexOf(node.operator, node.left.end)
        const [left, right] = [source.slice(node.start, at), source.slice(at + node.operator.length, node.end)]
        for (const operator of OPERATORS[node.operator] ?? []) {
          // In parentheses, because `??` may not stand beside `&&` and `||`.
          const isLogical = node.type === 'LogicalExpression'
          yield ['operator', isLogical ? `(${left}) ${operator} (${right})` : left + operator + right]
        }
        return
      }
      case 'UpdateExpression':
        yield ['operator', source.slice(node.start, node.end).replace(node.operator, OPERATORS[node.operator][0])]
        return
      case 'UnaryExpression':
        if (node.operator === '!' || node.operator === '-') yield ['operator', source.slice(node.start + 1, node.end)]
        return
      case 'Literal':
        if (typeof node.value === 'boolean') yield ['literal', String(!node.value)]
        if (typeof node.value === 'string') yield ['literal', node.value === '' ? "'mutated'" : "''"]
        return
      case 'TemplateLiteral':
        yield ['literal', '``']
        return
      case 'ArrayExpression':
        if (node.elements.length > 0) yield ['literal', '[]']
        return
      case 'ObjectExpression':
        if (node.properties.length > 0) yield ['literal', '{}']
        return
      case 'ChainExpression':
        yield* withoutOptional(node)
        return
      case 'CallExpression':
        if (!context.isInChain) yield* otherMethod(node)
    }
  }

  function* withoutOptional(chain) {
    for (let node = chain.expression; node; node = node.callee ?? node.object ?? node.expression) {
      if (!node.optional) continue
      const before = (node.callee ?? node.object).end
      const at = source.indexOf('?.', before)
      const isDot = node.type === 'MemberExpression' && !node.computed
      yield ['optional', source.slice(chain.start, at) + (isDot ? '.' : '') + source.slice(at + 2, chain.end)]
    }
  }

  function* otherMethod({ callee, start, end }) {
    if (callee.type !== 'MemberExpression' || callee.computed) return
    const { property } = callee
    if (Object.hasOwn(METHODS, property.name)) {
      const other = source.slice(start, property.start) + METHODS[property.name] + source.slice(property.end, end)
      yield ['method', other]
    }
    if (REMOVED_METHODS.has(property.name))
      yield ['method', source.slice(start, source.lastIndexOf('.', property.start))]
  }
}

function isRemovable({ type, directive, expression }) {
  if (type !== 'ExpressionStatement') return true
  return typeof directive !== 'string' && !(expression.type === 'CallExpression' && expression.callee.type === 'Super')
}

function isComparison({ type, operator }) {
  return type === 'BinaryExpression' && COMPARISONS.has(operator)
}

function isText({ type, value }) {
  return type === 'TemplateLiteral' || (type === 'Literal' && typeof value === 'string')
}

/** The children whose text may change, each with what is special about its place. */
function childrenOf(node) {
  const children = []
  for (const [key, value] of Object.entries(node)) {
    for (const child of Array.isArray(value) ? value : [value]) {
      if (typeof child?.type !== 'string' || typeof child.start !== 'number' || isType(child)) continue
      const place = placeOf(node, key)
      if (place) children.push([child, place])
    }
  }
  // A shorthand property has one text for its key and its value.
  const isOverlap = ([child], index) => index > 0 && child.start < children[index - 1][0].end
  return children.sort(([a], [b]) => a.start - b.start).filter((entry, index) => !isOverlap(entry, index))
}

function isType({ type }) {
  return type.startsWith('TS') && !TRANSPARENT.has(type)
}

/** Undefined for a place that no mutant may change. */
function placeOf(node, key) {
  const { type } = node
  if (type === 'ImportDeclaration' || type === 'ExportAllDeclaration' || type === 'ImportExpression') return undefined
  if (key === 'key' && !node.computed) return undefined
  if (key === 'typeAnnotation' || key === 'returnType' || key === 'typeParameters' || key === 'typeArguments')
    return undefined
  if (type === 'ExportNamedDeclaration' && key !== 'declaration') return undefined
  if (type === 'Property' && node.shorthand && node.value.type !== 'AssignmentPattern') return undefined
  if (type === 'Property' && node.shorthand && key === 'key') return undefined
  if (type === 'TaggedTemplateExpression' && key === 'quasi') return undefined
  if (type === 'ChainExpression') return { isInChain: true, isFixed: true }
  if (key === 'callee' || key === 'object') return { isInChain: true, isFixed: key === 'callee' }
  if (key === 'left' && type === 'AssignmentExpression') return { isFixed: true }
  if (type === 'UpdateExpression') return { isFixed: true }
  if (key === 'test' && type !== 'SwitchCase')
    return { isCondition: true, isLoop: type !== 'IfStatement' && type !== 'ConditionalExpression' }
  if (type === 'ReturnStatement') return { isReturned: true }
  if (type === 'ArrowFunctionExpression' && key === 'body' && node.body.type !== 'BlockStatement')
    return { isReturned: true }
  return {}
}
