// Formats values as YAML: plain scalars where they are safe, otherwise quoted as in JSON.

import { isObject, type JsonObject } from '../../lib/json.js'

const PLAIN = /^[A-Za-z/][\w./-]*$/
/** Plain scalars that some parsers read as another type. */
const RESERVED = /^(true|false|null|yes|no|on|off|y|n)$/i
/** Characters that are allowed unescaped in JSON but not in YAML. */
const UNPRINTABLE = /[\u007F-\u009F\u2028\u2029\uFEFF\uFFFE\uFFFF]/g

/** The lines of a list item, with one member per line. */
export function printItem(entry: JsonObject, indent: string): readonly string[] {
  return Object.entries(entry).map(
    ([key, value], index) => `${indent}${index === 0 ? '- ' : '  '}${key}: ${printValue(value)}`,
  )
}

/** As JSON, which is valid YAML also inside flow collections. */
export function printInline(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(printInline).join(', ')}]`
  if (isObject(value)) {
    const members = Object.entries(value).map(([key, part]) => `${printInline(key)}: ${printInline(part)}`)
    return `{${members.join(', ')}}`
  }
  return JSON.stringify(value).replace(
    UNPRINTABLE,
    (character) => `\\u${(character.codePointAt(0) ?? 0).toString(16).padStart(4, '0')}`,
  )
}

function printValue(value: unknown): string {
  if (typeof value === 'string') return PLAIN.test(value) && !RESERVED.test(value) ? value : printInline(value)
  if (Array.isArray(value) || !isObject(value)) return printInline(value)
  return `{ ${Object.entries(value)
    .map(([key, part]) => `${key}: ${printInline(part)}`)
    .join(', ')} }`
}
