// Reads the JSON that a page embeds: JSON-LD, and the initial state of JavaScript frameworks.

import { parseJson } from '../../../lib/json.js'
import { attribute, rawText, type Element } from './tree.js'

export interface PageData {
  /** Structured data on the page. */
  readonly linked: readonly unknown[]
  /** Initial state of scripts. */
  readonly state: readonly unknown[]
}

const MAX_SCRIPT_CHARS = 3_000_000
const STATE_ASSIGNMENT =
  /^\s*(?:window\.|self\.|var |const |let )?(?:__[A-Z_]+__|[\w.]*(?:STATE|Data|props))\s*=\s*(?=[{[])/i

export function dataOf(elements: readonly Element[]): PageData {
  const jsonLd: unknown[] = []
  const state: unknown[] = []
  let totalChars = 0
  for (const element of elements) {
    if (element.name !== 'script' || 'src' in element.attribs) continue
    const text = rawText(element)
    totalChars += text.length
    if (totalChars > MAX_SCRIPT_CHARS) break
    const type = attribute(element, 'type')
    if (/ld\+json/.test(type)) jsonLd.push(parseLenient(text))
    else if (/^application\/(?:[\w.-]+\+)?json$/.test(type)) state.push(parseJson(text))
    else if (STATE_ASSIGNMENT.test(text.slice(0, 200))) state.push(parseJson(stripAssignment(text)))
  }
  return { linked: jsonLd.filter(isPresent), state: state.filter(isPresent) }
}

function stripAssignment(text: string): string {
  const value = text.replace(STATE_ASSIGNMENT, '').trimEnd()
  return value.endsWith(';') ? value.slice(0, -1) : value
}

/** Accepts comment wrappers, line breaks in strings and a final semicolon, which are common in JSON-LD. */
function parseLenient(text: string): unknown {
  const unwrapped = text.replace(/^\s*(?:<!--|\/\/<!\[?CDATA\[)|(?:-->|\/\/\]\]>)\s*$/g, '')
  return parseJson(unwrapped) ?? parseJson(unwrapped.replace(/\p{Cc}+/gu, ' ').replace(/;\s*$/, ''))
}

function isPresent(value: unknown): boolean {
  return value !== undefined && value !== null
}
