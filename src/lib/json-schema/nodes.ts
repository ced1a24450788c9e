// Turns a schema document into linked nodes, each holding the rule of all its keywords. The law: whatever is wrong with a
// schema is said here, used or not, so that checking a value cannot fail.

import { branchKeywords, everyRule, unevaluatedRule } from './branches.js'
import { MOST_SUBSCHEMAS, readDocument, type Document, type Link } from './document.js'
import { anything, joined, nothing, PLAIN_KEYWORDS } from './joined-rules.js'
import { isSchema, type Build, type JsonSchema, type Node, type Rule, type Schema } from './rule.js'

const KEYWORDS = [...PLAIN_KEYWORDS, ...branchKeywords]

/** The dynamic anchors bound on the way to a schema; the outermost wins. */
interface Scope {
  readonly id: string
  readonly names: ReadonlyMap<string, JsonSchema>
}

const NO_SCOPE: Scope = { id: '', names: new Map() }

/** A node to be filled. */
interface Unfilled {
  readonly node: Node
  readonly schema: JsonSchema
  readonly scope: Scope
  /** The nodes it puts to the same value. */
  readonly same: Node[]
}

// A node is made when first asked for and filled later, from a list: so schemas may refer to each other in circles, and
// a long chain of references needs no stack. A schema is another node where its dynamic references lead elsewhere.
export function compileNodes(root: Schema): Node {
  const document = readDocument(root)
  const nodes = new Map<JsonSchema, Map<string, Node>>()
  const jobs = new Map<Node, Unfilled>()
  const waiting: Unfilled[] = []

  function nodeOf(schema: unknown, outer: Scope): Node {
    if (!isSchema(schema) || typeof schema === 'boolean') return schema === true ? anything : nothing
    const scope = enter(outer, document, document.placeOf(schema).resource)
    const known = nodes.get(schema) ?? new Map<string, Node>()
    const made = known.get(scope.id)
    if (made !== undefined) return made
    const node: Node = { ...anything, schema }
    const job: Unfilled = { node, schema, scope, same: [] }
    nodes.set(schema, known.set(scope.id, node))
    jobs.set(node, job)
    waiting.push(job)
    if (jobs.size <= MOST_SUBSCHEMAS) return node
    throw new Error(`The dynamic references of the schema multiply it to more than ${MOST_SUBSCHEMAS} subschemas.`)
  }

  function fillAll(): void {
    for (let job = waiting.pop(); job !== undefined; job = waiting.pop()) fill(job, document, nodeOf)
  }

  const top = nodeOf(root, NO_SCOPE)
  fillAll()
  // A definition that nothing refers to is compiled too, for the faults it may have.
  for (const schema of document.schemas) if (!nodes.has(schema)) nodeOf(schema, NO_SCOPE)
  fillAll()
  refuseCircles(jobs)
  for (const node of [...jobs.keys()].toReversed()) shorten(node)
  return top
}

function enter(outer: Scope, document: Document, resource: string): Scope {
  const added = [...document.dynamicNamesOf(resource)].filter(([name]) => !outer.names.has(name))
  if (added.length === 0) return outer
  const ids = added.map(([name]) => JSON.stringify([name, resource]))
  const id = [...outer.id.split('\n'), ...ids].toSorted().join('\n')
  return { id, names: new Map([...outer.names, ...added]) }
}

function fill(
  { node, schema, scope, same }: Unfilled,
  document: Document,
  nodeOf: (schema: unknown, scope: Scope) => Node,
) {
  const links = document.linksOf(schema).map((link) => nodeOf(targetOf(link, scope), scope))
  same.push(...links)
  const rule = ruleOf(links, {
    schema,
    dialect: document.placeOf(schema).dialect,
    child: (subschema) => nodeOf(subschema, scope),
    same(subschema) {
      const made = nodeOf(subschema, scope)
      same.push(made)
      return made
    },
  })
  node.is = rule.is
  node.explain = rule.explain
  node.ref = links[0]
  node.sameAs = rule.sameAs
}

function targetOf({ target, dynamicName }: Link, scope: Scope): Schema {
  return dynamicName === undefined ? target : (scope.names.get(dynamicName) ?? target)
}

function ruleOf(links: readonly Node[], build: Build): Rule {
  const linked = links.length === 0 ? [] : [everyRule(links)]
  // Until 2019-09 a $ref silenced everything beside it.
  if (build.dialect === 'draft-07' && build.schema.$ref !== undefined) return joined(linked)
  const others = joined([...KEYWORDS.flatMap((keyword) => keyword(build) ?? []), ...linked])
  return unevaluatedRule(others, build) ?? others
}

/** A schema that leads back to itself for the same value would never come to an answer. */
function refuseCircles(jobs: ReadonlyMap<Node, Unfilled>): void {
  const done = new Set<Node>()
  const onWay = new Set<Node>()
  const way: { readonly node: Node; readonly left: Node[] }[] = []
  const step = (node: Node) => {
    if (onWay.has(node)) throw new Error('The schema refers to itself without reaching a part of the value.')
    if (done.has(node)) return
    onWay.add(node)
    way.push({ node, left: [...(jobs.get(node)?.same ?? [])] })
  }
  for (const start of jobs.keys()) {
    step(start)
    for (let last = way.at(-1); last !== undefined; last = way.at(-1)) {
      const next = last.left.pop()
      if (next !== undefined) {
        step(next)
        continue
      }
      done.add(last.node)
      onWay.delete(last.node)
      way.pop()
    }
  }
}

/** Lets a node that only names another answer as that one does: recursive schemas need less stack. */
function shorten(node: Node): void {
  for (let other = node.sameAs; other !== undefined; other = other.sameAs) {
    node.is = other.is
    node.explain = other.explain
    node.sameAs = other
  }
}
