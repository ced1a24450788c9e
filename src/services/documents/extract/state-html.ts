// The text of a page that is only a shell, out of the data it carries for its scripts, as HTML for the writer.

import { isObject } from '../../../lib/json.js'
import type { PageData } from './page-data.js'

const LONG_ENOUGH = 200
const MAX_DEPTH = 24
const MAX_CHARS = 400_000

/** '' where it carries no text worth the name. */
export function stateHtml({ linked, state }: PageData): string {
  const said = linkedHtml(linked)
  if (said.length >= LONG_ENOUGH) return said
  const found = new Set<string>()
  for (const value of state) gather(value, '', 0, found)
  const html = [...found].map(asHtml).join('\n').slice(0, MAX_CHARS)
  return html.length >= LONG_ENOUGH ? said + html : ''
}

function linkedHtml(values: readonly unknown[]): string {
  const found: string[] = []
  const visit = (value: unknown, depth: number): void => {
    if (depth > MAX_DEPTH || found.length > 200) return
    if (Array.isArray(value)) for (const item of value) visit(item, depth + 1)
    if (!isObject(value)) return
    const body = ['articleBody', 'text', 'reviewBody']
      .map((name) => value[name])
      .find((text) => typeof text === 'string')
    const type = typeof value['@type'] === 'string' ? value['@type'] : ''
    if (typeof body === 'string' && body.length > 40) found.push(heading(value.headline ?? value.name), asHtml(body))
    else if (
      /^(?:Product|Recipe|Event|JobPosting|Course|Book|Movie|SoftwareApplication)$/.test(type) &&
      typeof value.description === 'string'
    ) {
      found.push(heading(value.name ?? value.title), asHtml(value.description))
    }
    for (const item of Object.values(value)) visit(item, depth + 1)
  }
  visit(values, 0)
  return [...new Set(found)].filter((html) => html !== '').join('\n')
}

function heading(title: unknown): string {
  return typeof title === 'string' && title !== '' ? `<h2>${escaped(title)}</h2>` : ''
}

const NO_TEXT = /^(?:https?:|data:|\/|#|[\w-]+$)|[{}]\s*$|^\s*[.@#][\w-]+\s*\{|function\s*\(|=>|\bvar\s|;\s*\n/

function gather(value: unknown, name: string, depth: number, found: Set<string>): void {
  if (depth > MAX_DEPTH || found.size > 2000) return
  if (typeof value === 'string') {
    if (isText(value, name)) found.add(value)
  } else if (Array.isArray(value)) for (const item of value) gather(item, name, depth + 1, found)
  else if (isObject(value)) for (const [key, item] of Object.entries(value)) gather(item, key, depth + 1, found)
}

function isText(text: string, name: string): boolean {
  if (
    text.length < 4 ||
    NO_TEXT.test(text) ||
    /url|href|src|class|style|id$|token|hash|css|script|svg|path/i.test(name)
  )
    return false
  const words = text.trim().split(/\s+/, 12).length
  if (/title|heading|headline|name|label/i.test(name)) return words >= 2
  return words >= (/content|body|text|html|markdown|description|summary|paragraph|value|children/i.test(name) ? 5 : 9)
}

function asHtml(text: string): string {
  if (/<(?:p|div|h[1-6]|ul|br|a|strong)\b/i.test(text)) return text
  return text
    .split(/\n\s*\n/)
    .map((part) => `<p>${escaped(part).replaceAll('\n', '<br>')}</p>`)
    .join('\n')
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')
}
