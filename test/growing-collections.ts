// Finds collections that live as long as the server and grow while it runs: maps, sets and lists at the top of a module,
// in a class or in a factory function, to which another function adds. Each must have a bound (bounded-collections.ts).

import { parseAst } from 'rolldown/parseAst'

import type { Sources } from './architecture-rules.js'

/** Functions that create something long-lived; what other functions collect is gone when they return. */
const FACTORY = /^(create|open|start|limit|connect|serve)[A-Z]/
const COLLECTIONS = new Set(['Map', 'Set'])
const GROWING_METHODS = new Set(['set', 'add', 'push', 'unshift'])
/** A function that is passed to one of these is called at once. */
const IMMEDIATE =
  /^(forEach|map|flatMap|filter|find|findLast|findIndex|some|every|reduce|sort|toSorted|from|replace|replaceAll|fromEntries)$/

interface Node {
  readonly type: string
  readonly [member: string]: unknown
}

interface Declaration {
  readonly name: string
  readonly owner: Node | undefined
}

/** `server/async/concurrency.ts waiting`, sorted. */
export function findGrowingCollections(sources: Sources): string[] {
  return [...sources].flatMap(([file, text]) => findInFile(file, text)).toSorted()
}

/** The tables of the database, by the text of the migrations. */
export function findTables(migrations: string): string[] {
  return [...migrations.matchAll(/CREATE TABLE (\w+)/g)].map(([, name = '']) => name).toSorted()
}

const known = new Map<string, { readonly text: string; readonly found: string[] }>()

/** Remembered for each file, because the test checks all sources again for each planted collection. */
function findInFile(file: string, text: string): string[] {
  const before = known.get(file)
  if (before?.text === text) return before.found
  const found = parseFile(file, text)
  known.set(file, { text, found })
  return found
}

function parseFile(file: string, text: string): string[] {
  const declarations: Declaration[] = []
  const growth: Declaration[] = []
  const program: unknown = parseAst(text, { lang: file.endsWith('x') ? 'tsx' : 'ts' }, file)
  walk(program, [], (node, functions) => {
    const declared = readDeclaration(node)
    const owner = functions.at(-1)
    if (declared !== undefined && isLongLived(node, owner)) declarations.push({ name: declared, owner })
    const grown = readGrowth(node)
    if (grown !== undefined) growth.push({ name: grown, owner })
  })
  const names = declarations
    .filter(({ name, owner }) => growth.some((each) => each.name === name && each.owner !== owner))
    .map(({ name }) => `${file} ${name}`)
  return [...new Set(names)]
}

type Visit = (node: Node, functions: readonly Node[]) => void

/** `functions`: those around the node, outermost first, without those that are called at once. */
function walk(value: unknown, functions: readonly Node[], visit: Visit, isImmediate = false): void {
  if (Array.isArray(value)) for (const each of value) walk(each, functions, visit)
  if (!isNode(value)) return
  visit(value, functions)
  const isFunction = /Function/.test(value.type) && !isImmediate
  const inner = isFunction ? [...functions, value] : functions
  for (const [member, child] of Object.entries(value)) {
    if (member === 'arguments' && Array.isArray(child) && isImmediateCall(value))
      for (const argument of child) walk(argument, inner, visit, true)
    else walk(child, inner, visit)
  }
}

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string'
}

function isImmediateCall({ type, callee }: Node): boolean {
  return type === 'CallExpression' && isNode(callee) && IMMEDIATE.test(readName(callee.property) ?? '')
}

/** The name of a variable or field that is initialized with an empty collection. */
function readDeclaration({ type, id, init, key, value }: Node): string | undefined {
  if (type === 'VariableDeclarator' && isCollection(init)) return readName(id)
  if (type === 'PropertyDefinition' && isCollection(value)) return readName(key)
  // A member of an object that a factory returns.
  return type === 'Property' && isCollection(value) ? readName(key) : undefined
}

function isCollection(value: unknown): boolean {
  if (!isNode(value)) return false
  if (value.type === 'ArrayExpression') return Array.isArray(value.elements) && value.elements.length === 0
  return value.type === 'NewExpression' && COLLECTIONS.has(readName(value.callee) ?? '')
}

function isLongLived({ type }: Node, owner: Node | undefined): boolean {
  if (type === 'PropertyDefinition' || owner === undefined) return true
  return FACTORY.test(readName(owner.id) ?? '')
}

/** The name of the collection to which this call adds. */
function readGrowth({ type, callee }: Node): string | undefined {
  if (type !== 'CallExpression' || !isNode(callee) || !GROWING_METHODS.has(readName(callee.property) ?? ''))
    return undefined
  const { object } = callee
  return isNode(object) && object.type === 'MemberExpression' ? readName(object.property) : readName(object)
}

function readName(value: unknown): string | undefined {
  return isNode(value) && typeof value.name === 'string' ? value.name : undefined
}
