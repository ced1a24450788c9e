// Explains why a value matches no alternative of anyOf or oneOf: reports the problems of the alternative that was
// probably meant. Used by combinator-keywords. Pure.

import { isJsonObject, type JsonObject } from '../json/json.js'
import { isJsonEqual } from './json-equal.js'
import { describePathWithVerb, mustBeOneOf, mustBeType } from './problem-text.js'
import type { JsonSchema, SchemaNode, ValuePath, Violation } from './rule.js'
import { collectViolations, isSameViolation } from './validation.js'
import { isOfType, readAllowedValues, readTypes } from './value-keywords.js'

const MAX_JOINED = 3

// Nested anyOf adds to the work, and multiplies it while several candidates are left.
const MAX_DEPTH_CLEAR = 16
const MAX_DEPTH_UNCLEAR = 3

/** Called for a value that is invalid for every node. */
export function explainClosestAlternative(
  nodes: readonly SchemaNode[],
  value: unknown,
  at: ValuePath,
  alternativeDepth: number,
): readonly Violation[] {
  const choices = nodes.map(allowedValuesOf)
  if (choices.every((choice) => choice !== undefined))
    return [{ at, message: mustBeOneOf([...new Set(choices.flat())], value, at) }]
  const candidates = nodes.filter((node) => typesOf(node)?.some((type) => isOfType(type, value)) !== false)
  if (candidates.length === 0) {
    const types = new Set(nodes.flatMap((node) => typesOf(node) ?? []))
    return [{ at, message: mustBeType(types, value, at) }]
  }
  const key = isJsonObject(value) ? findDiscriminator(candidates, value) : undefined
  const tag = key !== undefined && isJsonObject(value) ? value[key] : undefined
  const matching =
    key === undefined ? candidates : candidates.filter((node) => includesValue(discriminatorValues(node, key), tag))
  if (key !== undefined && matching.length === 0) {
    const place = { parent: at, key }
    const tags = new Set(candidates.flatMap((node) => discriminatorValues(node, key) ?? []))
    return [{ at: place, message: mustBeOneOf([...tags], tag, place) }]
  }
  const noMatch = {
    at,
    message: `${describePathWithVerb(at, 'fits', 'fit')} none of the ${nodes.length} allowed forms`,
  }
  if (alternativeDepth >= (matching.length === 1 ? MAX_DEPTH_CLEAR : MAX_DEPTH_UNCLEAR)) return [noMatch]
  const lists = matching.map((node) => collectViolations(node, value, at, alternativeDepth + 1))
  const shared = findShared(lists)
  if (shared.length > 0) return shared
  if (lists.length > MAX_JOINED || lists.some((list) => list.length > 1)) return [noMatch]
  return [{ at, message: lists.flatMap((list) => list.map(({ message }) => message)).join(', or ') }]
}

function findShared(lists: readonly (readonly Violation[])[]): readonly Violation[] {
  const [first = [], ...others] = lists
  return first.filter((violation) => others.every((list) => list.some((other) => isSameViolation(other, violation))))
}

/** Finds a property that distinguishes the candidates, such as `kind`, and that the value has. */
function findDiscriminator(nodes: readonly SchemaNode[], value: JsonObject): string | undefined {
  if (nodes.length < 2) return undefined
  return Object.keys(propertiesOf(nodes[0])).find(
    (key) => Object.hasOwn(value, key) && nodes.every((node) => discriminatorValues(node, key) !== undefined),
  )
}

function discriminatorValues(node: SchemaNode, key: string): readonly unknown[] | undefined {
  const properties = propertiesOf(node)
  const member = Object.hasOwn(properties, key) ? properties[key] : undefined
  return isJsonObject(member) ? readAllowedValues(member) : undefined
}

function includesValue(choices: readonly unknown[] | undefined, value: unknown): boolean {
  return choices?.some((choice) => isJsonEqual(choice, value)) === true
}

function propertiesOf(node: SchemaNode | undefined): JsonSchema {
  const { properties } = schemaWith('properties', node)
  return isJsonObject(properties) ? properties : {}
}

function allowedValuesOf(node: SchemaNode): readonly unknown[] | undefined {
  return readAllowedValues(schemaWith('const', node)) ?? readAllowedValues(schemaWith('enum', node))
}

function typesOf(node: SchemaNode): readonly string[] | undefined {
  return readTypes(schemaWith('type', node))
}

/** Returns the first schema along the `$ref` chain that has this keyword, or an empty one. */
function schemaWith(keyword: string, node: SchemaNode | undefined): JsonSchema {
  for (let current = node; current !== undefined; current = current.ref) {
    if (isJsonObject(current.schema) && Object.hasOwn(current.schema, keyword)) return current.schema
  }
  return {}
}
