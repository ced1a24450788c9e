// Values as YAML text, in the way people write them: plain words where they are safe, else quoted as in JSON.

import { isObject, type JsonObject } from '../../lib/json.js'

const PLAIN = /^[A-Za-z/][\w./-]*$/
/** Plain words that some readers take for another type. */
const RESERVED = /^(true|false|null|yes|no|on|off|y|n)$/i
/** JSON may have these unescaped, YAML may not. */
const UNPRINTABLE = /[\u007F-\u009F\u2028\u2029\uFEFF\uFFFE\uFFFF]/g

/** The lines of an item of a list, each member on a line of its own. */
export function printItem(entry: JsonObject, indent: string): readonly string[] {
  return Object.entries(entry).map(
    ([key, value], index) => `${indent}${index === 0 ? '- ' : '  '}${key}: ${printValue(value)}`,
  )
}

/** As JSON, which is YAML too and can stand in braces and brackets. */
export function printInline(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(printInline).join(', ')}]`
  if (isObject(value)) {
    const members = Object.entries(value).map(([key, part]) => `${printInline(key)}: ${printInline(part)}`)
    return `{${members.join(', ')}}`
  }
  return JSON.stringify(value).replace(
    UNPRINTABLE,
    (sign) => `\\u${(sign.codePointAt(0) ?? 0).toString(16).padStart(4, '0')}`,
  )
}

function printValue(value: unknown): string {
  if (typeof value === 'string') return PLAIN.test(value) && !RESERVED.test(value) ? value : printInline(value)
  if (Array.isArray(value) || !isObject(value)) return printInline(value)
  return `{ ${Object.entries(value)
    .map(([key, part]) => `${key}: ${printInline(part)}`)
    .join(', ')} }`
}
