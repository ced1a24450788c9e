// Reads the JSON that a page embeds (JSON-LD, and the initial state of JavaScript frameworks), and builds HTML from it for
// pages that are only a shell for scripts. Used by read-html. Pure: no script is run.

import { isJsonObject, tryParseJson } from '@scorpiox/mcp/json/json'
import { type DomElement, getAttribute, rawText } from '../dom/tree.js'

export interface EmbeddedData {
  /** Structured data on the page. */
  readonly jsonLd: readonly unknown[]
  /** Initial state of scripts. */
  readonly state: readonly unknown[]
}

const MAX_SCRIPT_CHARS = 3_000_000
const STATE_ASSIGNMENT =
  /^\s*(?:window\.|self\.|var |const |let )?(?:__[A-Z_]+__|[\w.]*(?:STATE|Data|props))\s*=\s*(?=[{[])/i

export function readEmbeddedData(elements: readonly DomElement[]): EmbeddedData {
  const jsonLd: unknown[] = []
  const state: unknown[] = []
  let totalChars = 0
  for (const element of elements) {
    if (element.name !== 'script' || 'src' in element.attribs) continue
    const text = rawText(element)
    totalChars += text.length
    if (totalChars > MAX_SCRIPT_CHARS) break
    const type = getAttribute(element, 'type')
    if (/ld\+json/.test(type)) jsonLd.push(parseLenient(text))
    else if (/^application\/(?:[\w.-]+\+)?json$/.test(type)) state.push(tryParseJson(text))
    else if (STATE_ASSIGNMENT.test(text.slice(0, 200))) state.push(tryParseJson(stripAssignment(text)))
  }
  return { jsonLd: jsonLd.filter(isPresent), state: state.filter(isPresent) }
}

function stripAssignment(text: string): string {
  const value = text.replace(STATE_ASSIGNMENT, '').trimEnd()
  return value.endsWith(';') ? value.slice(0, -1) : value
}

/** Accepts comment wrappers, line breaks in strings and a final semicolon, which are common in JSON-LD. */
function parseLenient(text: string): unknown {
  const unwrapped = text.replace(/^\s*(?:<!--|\/\/<!\[?CDATA\[)|(?:-->|\/\/\]\]>)\s*$/g, '')
  return tryParseJson(unwrapped) ?? tryParseJson(unwrapped.replace(/\p{Cc}+/gu, ' ').replace(/;\s*$/, ''))
}

function isPresent(value: unknown): boolean {
  return value !== undefined && value !== null
}

const MIN_TEXT_CHARS = 200
const MAX_DEPTH = 24
const MAX_HTML_CHARS = 400_000

/** For pages that are only a shell for scripts. '' if the data has hardly any text. */
export function embeddedDataToHtml({ jsonLd, state }: EmbeddedData): string {
  const jsonLdHtml = jsonLdToHtml(jsonLd)
  if (jsonLdHtml.length >= MIN_TEXT_CHARS) return jsonLdHtml
  const texts = new Set<string>()
  for (const value of state) collectTexts(value, '', 0, texts)
  const html = [...texts].map(textToHtml).join('\n').slice(0, MAX_HTML_CHARS)
  return html.length >= MIN_TEXT_CHARS ? jsonLdHtml + html : ''
}

function jsonLdToHtml(values: readonly unknown[]): string {
  const texts: string[] = []
  const visit = (value: unknown, depth: number): void => {
    if (depth > MAX_DEPTH || texts.length > 200) return
    if (Array.isArray(value)) for (const item of value) visit(item, depth + 1)
    if (!isJsonObject(value)) return
    const body = ['articleBody', 'text', 'reviewBody']
      .map((name) => value[name])
      .find((text) => typeof text === 'string')
    const type = typeof value['@type'] === 'string' ? value['@type'] : ''
    if (typeof body === 'string' && body.length > 40)
      texts.push(headingHtml(value.headline ?? value.name), textToHtml(body))
    else if (
      /^(?:Product|Recipe|Event|JobPosting|Course|Book|Movie|SoftwareApplication)$/.test(type) &&
      typeof value.description === 'string'
    ) {
      texts.push(headingHtml(value.name ?? value.title), textToHtml(value.description))
    }
    for (const item of Object.values(value)) visit(item, depth + 1)
  }
  visit(values, 0)
  return [...new Set(texts)].filter((html) => html !== '').join('\n')
}

function headingHtml(title: unknown): string {
  return typeof title === 'string' && title !== '' ? `<h2>${escapeHtml(title)}</h2>` : ''
}

const NOT_PROSE = /^(?:https?:|data:|\/|#|[\w-]+$)|[{}]\s*$|^\s*[.@#][\w-]+\s*\{|function\s*\(|=>|\bvar\s|;\s*\n/

function collectTexts(value: unknown, name: string, depth: number, texts: Set<string>): void {
  if (depth > MAX_DEPTH || texts.size > 2000) return
  if (typeof value === 'string') {
    if (isProse(value, name)) texts.add(value)
  } else if (Array.isArray(value)) for (const item of value) collectTexts(item, name, depth + 1, texts)
  else if (isJsonObject(value))
    for (const [key, item] of Object.entries(value)) collectTexts(item, key, depth + 1, texts)
}

function isProse(text: string, name: string): boolean {
  if (
    text.length < 4 ||
    NOT_PROSE.test(text) ||
    /url|href|src|class|style|id$|token|hash|css|script|svg|path/i.test(name)
  )
    return false
  const words = text.trim().split(/\s+/, 12).length
  if (/title|heading|headline|name|label/i.test(name)) return words >= 2
  return words >= (/content|body|text|html|markdown|description|summary|paragraph|value|children/i.test(name) ? 5 : 9)
}

function textToHtml(text: string): string {
  if (/<(?:p|div|h[1-6]|ul|br|a|strong)\b/i.test(text)) return text
  return text
    .split(/\n\s*\n/)
    .map((part) => `<p>${escapeHtml(part).replaceAll('\n', '<br>')}</p>`)
    .join('\n')
}

function escapeHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')
}
