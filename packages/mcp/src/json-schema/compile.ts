// A JSON Schema validator (2020-12, with the differences of 2019-09 and draft-07), compiled to closures. Everything is
// resolved at compile time, a valid value costs no allocation, and messages are built only for invalid values. Loaded
// by lazy-compile.ts for schemas that compile-simple.ts does not support. Also used by ask-client.ts and
// describe-script.ts. Pure.

import { allOfRule, combinatorKeywords, unevaluatedRule } from './combinator-keywords.js'
import { ACCEPT_ALL, combineRules, REJECT_ALL } from './combine-rules.js'
import { FULL_KEYWORDS } from './full-keywords.js'
import {
  isSchema,
  type JsonSchema,
  type KeywordContext,
  type SchemaNode,
  type SchemaOrBoolean,
  type SchemaRule,
} from './rule.js'
import { MAX_SUBSCHEMAS, readSchemaDocument, type ResolvedReference, type SchemaDocument } from './schema-document.js'
import { createValidator, type SchemaValidator } from './validation.js'

export type { JsonSchema } from './rule.js'

/** A process may have a server for each user, all with the same tools. */
const validators = new WeakMap<JsonSchema, SchemaValidator>()

/** Throws an Error if the schema itself is invalid. A schema must not be changed afterwards: it is compiled once. */
export function compileSchema(schema: JsonSchema | boolean): SchemaValidator {
  if (typeof schema === 'boolean') return createValidator(compileSchemaNodes(schema))
  const known = validators.get(schema)
  if (known) return known
  const validator = createValidator(compileSchemaNodes(schema))
  validators.set(schema, validator)
  return validator
}

const ALL_KEYWORDS = [...FULL_KEYWORDS, ...combinatorKeywords]

/** The dynamic anchors bound on the path to a schema; the outermost wins. */
interface Scope {
  readonly id: string
  readonly names: ReadonlyMap<string, JsonSchema>
}

const NO_SCOPE: Scope = { id: '', names: new Map() }

/** A node whose rule is not compiled yet. */
interface PendingNode {
  readonly node: SchemaNode
  readonly schema: JsonSchema
  readonly scope: Scope
  /** The nodes it applies to the same value. */
  readonly same: SchemaNode[]
}

// A node is created on first use and filled later, from a queue, so that schemas may be circular and a long chain of
// references needs no stack. One schema has several nodes if its dynamic references resolve differently.
export function compileSchemaNodes(root: SchemaOrBoolean): SchemaNode {
  const document = readSchemaDocument(root)
  const nodes = new Map<JsonSchema, Map<string, SchemaNode>>()
  const pendingNodes = new Map<SchemaNode, PendingNode>()
  const queue: PendingNode[] = []

  function nodeOf(schema: unknown, outer: Scope): SchemaNode {
    if (!isSchema(schema) || typeof schema === 'boolean') return schema === true ? ACCEPT_ALL : REJECT_ALL
    const scope = enterScope(outer, document, document.locationOf(schema).resource)
    const nodesByScope = nodes.get(schema) ?? new Map<string, SchemaNode>()
    const existing = nodesByScope.get(scope.id)
    if (existing !== undefined) return existing
    const node: SchemaNode = { ...ACCEPT_ALL, schema }
    const pending: PendingNode = { node, schema, scope, same: [] }
    nodes.set(schema, nodesByScope.set(scope.id, node))
    pendingNodes.set(node, pending)
    queue.push(pending)
    if (pendingNodes.size <= MAX_SUBSCHEMAS) return node
    throw new Error(`The dynamic references of the schema multiply it to more than ${MAX_SUBSCHEMAS} subschemas.`)
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

function enterScope(outer: Scope, document: SchemaDocument, resource: string): Scope {
  const added = [...document.dynamicNamesOf(resource)].filter(([name]) => !outer.names.has(name))
  if (added.length === 0) return outer
  const ids = added.map(([name]) => JSON.stringify([name, resource]))
  const id = [...outer.id.split('\n'), ...ids].toSorted().join('\n')
  return { id, names: new Map([...outer.names, ...added]) }
}

function fillNode(
  { node, schema, scope, same }: PendingNode,
  document: SchemaDocument,
  nodeOf: (schema: unknown, scope: Scope) => SchemaNode,
) {
  const references = document
    .resolvedReferencesOf(schema)
    .map((reference) => nodeOf(resolveTarget(reference, scope), scope))
  same.push(...references)
  const rule = compileRule(references, {
    schema,
    dialect: document.locationOf(schema).dialect,
    child: (subschema) => nodeOf(subschema, scope),
    inPlace(subschema) {
      const existing = nodeOf(subschema, scope)
      same.push(existing)
      return existing
    },
  })
  node.isValid = rule.isValid
  node.explain = rule.explain
  node.ref = references[0]
  node.aliasOf = rule.aliasOf
}

function resolveTarget({ target, dynamicName }: ResolvedReference, scope: Scope): SchemaOrBoolean {
  return dynamicName === undefined ? target : (scope.names.get(dynamicName) ?? target)
}

function compileRule(references: readonly SchemaNode[], build: KeywordContext): SchemaRule {
  const referenceRules = references.length === 0 ? [] : [allOfRule(references)]
  // Before 2019-09 `$ref` disabled all keywords beside it.
  if (build.dialect === 'draft-07' && build.schema.$ref !== undefined) return combineRules(referenceRules)
  const others = combineRules([...ALL_KEYWORDS.flatMap((keyword) => keyword(build) ?? []), ...referenceRules])
  return unevaluatedRule(others, build) ?? others
}

/** A schema that refers to itself for the same value would never terminate. */
function rejectCycles(pendingNodes: ReadonlyMap<SchemaNode, PendingNode>): void {
  const done = new Set<SchemaNode>()
  const onPath = new Set<SchemaNode>()
  const path: { readonly node: SchemaNode; readonly remaining: SchemaNode[] }[] = []
  const visit = (node: SchemaNode) => {
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
function resolveAliases(node: SchemaNode): void {
  for (let other = node.aliasOf; other !== undefined; other = other.aliasOf) {
    node.isValid = other.isValid
    node.explain = other.explain
    node.aliasOf = other
  }
}
