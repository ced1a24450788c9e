// Compiles a schema document into linked nodes, each with the combined rule of its keywords. All errors of a schema,
// used or not, are found here, so that validating a value cannot fail.

import { branchKeywords, everyRule, unevaluatedRule } from './branches.js'
import { MOST_SUBSCHEMAS, readDocument, type Document, type Link } from './document.js'
import { anything, joined, nothing, PLAIN_KEYWORDS } from './joined-rules.js'
import { isSchema, type Build, type JsonSchema, type Node, type Rule, type Schema } from './rule.js'

const ALL_KEYWORDS = [...PLAIN_KEYWORDS, ...branchKeywords]

/** The dynamic anchors bound on the path to a schema; the outermost wins. */
interface Scope {
  readonly id: string
  readonly names: ReadonlyMap<string, JsonSchema>
}

const NO_SCOPE: Scope = { id: '', names: new Map() }

/** A node whose rule is not compiled yet. */
interface PendingNode {
  readonly node: Node
  readonly schema: JsonSchema
  readonly scope: Scope
  /** The nodes it applies to the same value. */
  readonly same: Node[]
}

// A node is created on first use and filled later, from a queue, so that schemas may be circular and a long chain of
// references needs no stack. One schema has several nodes if its dynamic references resolve differently.
export function compileNodes(root: Schema): Node {
  const document = readDocument(root)
  const nodes = new Map<JsonSchema, Map<string, Node>>()
  const pendingNodes = new Map<Node, PendingNode>()
  const queue: PendingNode[] = []

  function nodeOf(schema: unknown, outer: Scope): Node {
    if (!isSchema(schema) || typeof schema === 'boolean') return schema === true ? anything : nothing
    const scope = enterScope(outer, document, document.placeOf(schema).resource)
    const nodesByScope = nodes.get(schema) ?? new Map<string, Node>()
    const existing = nodesByScope.get(scope.id)
    if (existing !== undefined) return existing
    const node: Node = { ...anything, schema }
    const pending: PendingNode = { node, schema, scope, same: [] }
    nodes.set(schema, nodesByScope.set(scope.id, node))
    pendingNodes.set(node, pending)
    queue.push(pending)
    if (pendingNodes.size <= MOST_SUBSCHEMAS) return node
    throw new Error(`The dynamic references of the schema multiply it to more than ${MOST_SUBSCHEMAS} subschemas.`)
  }

  function fillAll(): void {
    for (let pending = queue.pop(); pending !== undefined; pending = queue.pop()) fillNode(pending, document, nodeOf)
  }

  const rootNode = nodeOf(root, NO_SCOPE)
  fillAll()
  // Unused definitions are compiled too, to find their errors.
  for (const schema of document.schemas) if (!nodes.has(schema)) nodeOf(schema, NO_SCOPE)
  fillAll()
  rejectCycles(pendingNodes)
  for (const node of [...pendingNodes.keys()].toReversed()) resolveAliases(node)
  return rootNode
}

function enterScope(outer: Scope, document: Document, resource: string): Scope {
  const added = [...document.dynamicNamesOf(resource)].filter(([name]) => !outer.names.has(name))
  if (added.length === 0) return outer
  const ids = added.map(([name]) => JSON.stringify([name, resource]))
  const id = [...outer.id.split('\n'), ...ids].toSorted().join('\n')
  return { id, names: new Map([...outer.names, ...added]) }
}

function fillNode(
  { node, schema, scope, same }: PendingNode,
  document: Document,
  nodeOf: (schema: unknown, scope: Scope) => Node,
) {
  const references = document.linksOf(schema).map((reference) => nodeOf(resolveTarget(reference, scope), scope))
  same.push(...references)
  const rule = compileRule(references, {
    schema,
    dialect: document.placeOf(schema).dialect,
    child: (subschema) => nodeOf(subschema, scope),
    same(subschema) {
      const existing = nodeOf(subschema, scope)
      same.push(existing)
      return existing
    },
  })
  node.is = rule.is
  node.explain = rule.explain
  node.ref = references[0]
  node.sameAs = rule.sameAs
}

function resolveTarget({ target, dynamicName }: Link, scope: Scope): Schema {
  return dynamicName === undefined ? target : (scope.names.get(dynamicName) ?? target)
}

function compileRule(references: readonly Node[], build: Build): Rule {
  const referenceRules = references.length === 0 ? [] : [everyRule(references)]
  // Before 2019-09 `$ref` disabled all keywords beside it.
  if (build.dialect === 'draft-07' && build.schema.$ref !== undefined) return joined(referenceRules)
  const others = joined([...ALL_KEYWORDS.flatMap((keyword) => keyword(build) ?? []), ...referenceRules])
  return unevaluatedRule(others, build) ?? others
}

/** A schema that refers to itself for the same value would never terminate. */
function rejectCycles(pendingNodes: ReadonlyMap<Node, PendingNode>): void {
  const done = new Set<Node>()
  const onPath = new Set<Node>()
  const path: { readonly node: Node; readonly remaining: Node[] }[] = []
  const visit = (node: Node) => {
    if (onPath.has(node)) throw new Error('The schema refers to itself without reaching a part of the value.')
    if (done.has(node)) return
    onPath.add(node)
    path.push({ node, remaining: [...(pendingNodes.get(node)?.same ?? [])] })
  }
  for (const start of pendingNodes.keys()) {
    visit(start)
    for (let current = path.at(-1); current !== undefined; current = path.at(-1)) {
      const next = current.remaining.pop()
      if (next !== undefined) {
        visit(next)
        continue
      }
      done.add(current.node)
      onPath.delete(current.node)
      path.pop()
    }
  }
}

/** Lets an alias node use the functions of its target directly, so that recursive schemas need less stack. */
function resolveAliases(node: Node): void {
  for (let other = node.sameAs; other !== undefined; other = other.sameAs) {
    node.is = other.is
    node.explain = other.explain
    node.sameAs = other
  }
}
