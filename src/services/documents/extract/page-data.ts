// Data that a page carries for its scripts, as far as it is JSON: JSON-LD, and the state that frameworks start from.

import { parseJson } from '../../../lib/json.js'
import { attribute, rawText, type Element } from './tree.js'

export interface PageData {
  /** JSON-LD: what the page is. */
  readonly linked: readonly unknown[]
  /** What it will be made of. */
  readonly state: readonly unknown[]
}

const MAX_CHARS = 3_000_000
const ASSIGNED = /^\s*(?:window\.|self\.|var |const |let )?(?:__[A-Z_]+__|[\w.]*(?:STATE|Data|props))\s*=\s*(?=[{[])/i

export function dataOf(elements: readonly Element[]): PageData {
  const linked: unknown[] = []
  const state: unknown[] = []
  let size = 0
  for (const element of elements) {
    if (element.name !== 'script' || 'src' in element.attribs) continue
    const text = rawText(element)
    size += text.length
    if (size > MAX_CHARS) break
    const type = attribute(element, 'type')
    if (/ld\+json/.test(type)) linked.push(parseLoose(text))
    else if (/^application\/(?:[\w.-]+\+)?json$/.test(type)) state.push(parseJson(text))
    else if (ASSIGNED.test(text.slice(0, 200))) state.push(parseJson(assigned(text)))
  }
  return { linked: linked.filter(isThere), state: state.filter(isThere) }
}

function assigned(text: string): string {
  const value = text.replace(ASSIGNED, '').trimEnd()
  return value.endsWith(';') ? value.slice(0, -1) : value
}

/** People write line breaks into JSON, and wrap it up. */
function parseLoose(text: string): unknown {
  const bare = text.replace(/^\s*(?:<!--|\/\/<!\[?CDATA\[)|(?:-->|\/\/\]\]>)\s*$/g, '')
  return parseJson(bare) ?? parseJson(bare.replace(/\p{Cc}+/gu, ' ').replace(/;\s*$/, ''))
}

function isThere(value: unknown): boolean {
  return value !== undefined && value !== null
}
