// Which field of a form fits a JSON Schema, and the value it begins with. What no field fits is written as JSON. Used by
// schema-form.tsx. Pure.

import { isMembers, listOf, type Members, membersOf, textOf } from './json.js'

const MAX_REFERENCES = 20

export type FieldKind =
  | { readonly kind: 'choice'; readonly options: readonly Choice[] }
  | { readonly kind: 'boolean' }
  | { readonly kind: 'number' }
  | { readonly kind: 'text'; readonly format: string }
  | { readonly kind: 'list'; readonly item: Members }
  | { readonly kind: 'object'; readonly fields: readonly NamedField[] }
  | { readonly kind: 'json' }

export interface Choice {
  readonly value: unknown
  readonly label: string
}

export interface NamedField {
  readonly name: string
  readonly schema: Members
  readonly isRequired: boolean
}

/** `root` is the document that references point into. */
export function fieldKindOf(schema: Members, root: Members): FieldKind {
  const options = choicesOf(schema)
  if (options.length > 0) return { kind: 'choice', options }
  switch (typeOf(schema)) {
    case 'boolean':
      return { kind: 'boolean' }
    case 'integer':
    case 'number':
      return { kind: 'number' }
    case 'string':
      return { kind: 'text', format: textOf(schema.format) }
    case 'array':
      return isMembers(schema.items) ? { kind: 'list', item: resolveSchema(schema.items, root) } : { kind: 'json' }
    case 'object': {
      const fields = fieldsOf(schema, root)
      return fields.length > 0 ? { kind: 'object', fields } : { kind: 'json' }
    }
    default:
      return { kind: 'json' }
  }
}

export function fieldsOf(schema: Members, root: Members): readonly NamedField[] {
  const required = new Set(listOf(schema.required))
  return Object.entries(membersOf(schema.properties)).map(([name, property]) => ({
    name,
    schema: resolveSchema(property, root),
    isRequired: required.has(name),
  }))
}

/** Follows references, and takes the alternative besides null. Annotations beside a reference are kept. */
export function resolveSchema(schema: unknown, root: Members): Members {
  let resolved = membersOf(schema)
  for (let count = 0; count < MAX_REFERENCES; count++) {
    const target = targetOf(resolved, root)
    if (!target) return resolved
    const { $ref: _ref, anyOf: _anyOf, oneOf: _oneOf, allOf: _allOf, ...annotations } = resolved
    resolved = { ...target, ...annotations }
  }
  return {}
}

function targetOf(schema: Members, root: Members): Members | undefined {
  if (typeof schema.$ref === 'string') return findReference(schema.$ref, root)
  if (isMembers(schema.properties) || choicesOf(schema).length > 0) return undefined
  for (const alternatives of [schema.anyOf, schema.oneOf, schema.allOf]) {
    const useful = listOf(alternatives).filter((each) => membersOf(each).type !== 'null')
    if (useful.length === 1) return membersOf(useful[0])
  }
  return undefined
}

function findReference(reference: string, root: Members): Members {
  if (!reference.startsWith('#')) return {}
  const steps = reference
    .slice(1)
    .split('/')
    .slice(1)
    .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'))
  let found: unknown = root
  for (const step of steps) found = membersOf(found)[step]
  return membersOf(found)
}

/** With `null` beside another type, that type. */
function typeOf(schema: Members): string {
  const types = (Array.isArray(schema.type) ? schema.type : [schema.type]).filter((type) => type !== 'null')
  if (types.length === 1 && typeof types[0] === 'string') return types[0]
  return schema.type === undefined && isMembers(schema.properties) ? 'object' : ''
}

function choicesOf({ enum: values, enumNames, const: only, oneOf, anyOf }: Members): readonly Choice[] {
  if (Array.isArray(values))
    return values.map((value, index) => ({ value, label: textOf(listOf(enumNames)[index]) || labelOf(value) }))
  if (only !== undefined) return [{ value: only, label: labelOf(only) }]
  const alternatives = listOf(oneOf ?? anyOf)
  if (alternatives.length === 0 || !alternatives.every((each) => isMembers(each) && each.const !== undefined)) return []
  return alternatives
    .map(membersOf)
    .map(({ const: value, title }) => ({ value, label: textOf(title) || labelOf(value) }))
}

/** Undefined: not set. */
function initialValue(schema: Members): unknown {
  return schema.default ?? schema.const
}

function labelOf(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}

/** The value of a new form: the defaults. */
export function initialMembers(schema: Members, root: Members = schema): Members {
  const fields = fieldsOf(resolveSchema(schema, root), root).map(({ name, schema: field, isRequired }) => {
    const value = initialValue(field)
    const isNested = value === undefined && isRequired && fieldKindOf(field, root).kind === 'object'
    return [name, isNested ? initialMembers(field, root) : value] as const
  })
  return Object.fromEntries(fields.filter(([, value]) => value !== undefined))
}

/** What a field accepts, in a few words: `integer, 1 to 10`. */
export function describeField(schema: Members): string {
  const type = Array.isArray(schema.type) ? schema.type.join(' or ') : textOf(schema.type)
  const { minimum, maximum, minLength, maxLength, pattern, format, minItems, maxItems } = schema
  return [
    type === 'object' ? '' : type,
    textOf(format),
    describeRange(minimum, maximum, ''),
    describeRange(minLength, maxLength, ' characters'),
    describeRange(minItems, maxItems, ' items'),
    typeof pattern === 'string' ? `matches ${pattern}` : '',
  ]
    .filter(Boolean)
    .join(', ')
}

function describeRange(least: unknown, most: unknown, unit: string): string {
  if (typeof least === 'number' && typeof most === 'number') return `${least} to ${most}${unit}`
  if (typeof least === 'number') return `at least ${least}${unit}`
  return typeof most === 'number' ? `at most ${most}${unit}` : ''
}

/** Undefined for '' and the text itself if it is not a number: the server says what is wrong with it. */
export function readNumber(text: string): unknown {
  const trimmed = text.trim()
  if (trimmed === '') return undefined
  const number = Number(trimmed)
  return Number.isFinite(number) ? number : text
}
