// The words for a value that fits none of several schemas: those of the one that was meant, if that is clear.

import { isObject, type JsonObject } from '../json.js'
import { findComplaints, isSame } from './complaints.js'
import { isEqual } from './equal.js'
import type { At, Complaint, JsonSchema, Node } from './rule.js'
import { isOfType, readAllowed, readTypes } from './values.js'
import { mustBeOneOf, mustBeType, nameWith } from './words.js'

const MOST_JOINED = 3

// An anyOf inside an anyOf adds to the work, and multiplies it while several candidates are left.
const DEEPEST_CLEAR = 16
const DEEPEST_UNCLEAR = 3

/** For a value that none of the nodes says yes to. */
export function explainClosest(nodes: readonly Node[], value: unknown, at: At, inside: number): readonly Complaint[] {
  const choices = nodes.map(allowedBy)
  if (choices.every((choice) => choice !== undefined))
    return [{ at, message: mustBeOneOf([...new Set(choices.flat())], value, at) }]
  const candidates = nodes.filter((node) => typesOf(node)?.some((type) => isOfType(type, value)) !== false)
  if (candidates.length === 0) {
    const types = new Set(nodes.flatMap((node) => typesOf(node) ?? []))
    return [{ at, message: mustBeType(types, value, at) }]
  }
  const key = isObject(value) ? tagOf(candidates, value) : undefined
  const tag = key !== undefined && isObject(value) ? value[key] : undefined
  const meant = key === undefined ? candidates : candidates.filter((node) => isAmong(tagsOf(node, key), tag))
  if (key !== undefined && meant.length === 0) {
    const place = { parent: at, key }
    const tags = new Set(candidates.flatMap((node) => tagsOf(node, key) ?? []))
    return [{ at: place, message: mustBeOneOf([...tags], tag, place) }]
  }
  const none = { at, message: `${nameWith(at, 'fits', 'fit')} none of the ${nodes.length} allowed forms` }
  if (inside >= (meant.length === 1 ? DEEPEST_CLEAR : DEEPEST_UNCLEAR)) return [none]
  const lists = meant.map((node) => findComplaints(node, value, at, inside + 1))
  const shared = sharedBy(lists)
  if (shared.length > 0) return shared
  if (lists.length > MOST_JOINED || lists.some((list) => list.length > 1)) return [none]
  return [{ at, message: lists.flatMap((list) => list.map(({ message }) => message)).join(', or ') }]
}

function sharedBy(lists: readonly (readonly Complaint[])[]): readonly Complaint[] {
  const [first = [], ...others] = lists
  return first.filter((complaint) => others.every((list) => list.some((other) => isSame(other, complaint))))
}

/** A property by which the candidates tell themselves apart, such as `kind`, and which the value has. */
function tagOf(nodes: readonly Node[], value: JsonObject): string | undefined {
  if (nodes.length < 2) return undefined
  return Object.keys(propertiesOf(nodes[0])).find(
    (key) => Object.hasOwn(value, key) && nodes.every((node) => tagsOf(node, key) !== undefined),
  )
}

function tagsOf(node: Node, key: string): readonly unknown[] | undefined {
  const properties = propertiesOf(node)
  const member = Object.hasOwn(properties, key) ? properties[key] : undefined
  return isObject(member) ? readAllowed(member) : undefined
}

function isAmong(choices: readonly unknown[] | undefined, value: unknown): boolean {
  return choices?.some((choice) => isEqual(choice, value)) === true
}

function propertiesOf(node: Node | undefined): JsonSchema {
  const { properties } = schemaWith('properties', node)
  return isObject(properties) ? properties : {}
}

function allowedBy(node: Node): readonly unknown[] | undefined {
  return readAllowed(schemaWith('const', node)) ?? readAllowed(schemaWith('enum', node))
}

function typesOf(node: Node): readonly string[] | undefined {
  return readTypes(schemaWith('type', node))
}

/** The first schema along the `$ref`s that has this keyword, or an empty one. */
function schemaWith(keyword: string, node: Node | undefined): JsonSchema {
  for (let each = node; each !== undefined; each = each.ref) {
    if (isObject(each.schema) && Object.hasOwn(each.schema, keyword)) return each.schema
  }
  return {}
}
