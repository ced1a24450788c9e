// Finds the URL of the Markdown version of a page: in a Link header, in a link element, or in an anchor to the page's own
// URL with `.md`. Scans the bytes, so that a page with a Markdown version need not be parsed.

import type { PageSnapshot } from './page-snapshot.js'

/** Such links are in the head or in a bar above the text. */
const ALTERNATE_SCAN_BYTES = 200_000
/** Bounds the work on very long headers. */
const MAX_LINK_HEADER = 8000

export function findMarkdownAlternate(snapshot: PageSnapshot): string | undefined {
  const html = snapshot.bytes.subarray(0, ALTERNATE_SCAN_BYTES).toString('latin1')
  return (
    findInLinkHeader(snapshot) ?? findInLinkElement(html, snapshot.finalUrl) ?? findInAnchor(html, snapshot.finalUrl)
  )
}

/** The most likely URL, for pages without text. */
export function guessMarkdownAlternate(url: string): string | undefined {
  const { pathname } = new URL(url)
  const isPagePath = pathname !== '/' && /(^|\/)[^/.]+\/?$|\.html?$/i.test(pathname)
  return isPagePath ? alternateUrls(url)[0] : undefined
}

function findInLinkHeader({ headers, finalUrl }: PageSnapshot): string | undefined {
  const links = (headers.get('link') ?? '')
    .slice(0, MAX_LINK_HEADER)
    .matchAll(/<([^<>]*)>((?:\s*;[^,;"]*(?:"[^"]*"[^,;"]*)?)*)/g)
  for (const [, target = '', params = ''] of links) {
    const [, relations = ''] = /\brel\s*=\s*"?([^";]*)/i.exec(params) ?? []
    if (isAlternate(relations) && /\btype\s*=\s*"?text\/(x-)?markdown\b/i.test(params)) {
      return resolveUrl(target, finalUrl)
    }
  }
  return undefined
}

function findInLinkElement(html: string, url: string): string | undefined {
  for (const [tag] of html.matchAll(/<link\b[^<>]{1,2000}>/gi)) {
    const [, relations = ''] = /\brel\s*=\s*["']?([^"'>]*)/i.exec(tag) ?? []
    if (!isAlternate(relations) || !/\btype\s*=\s*["']?text\/(x-)?markdown\b/i.test(tag)) continue
    const href = /\bhref\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s>]+))/i.exec(tag)
    if (href) return resolveUrl(href[1] ?? href[2] ?? href[3] ?? '', url)
  }
  return undefined
}

function isAlternate(relations: string): boolean {
  return /\balternate\b/i.test(relations)
}

/** "View as Markdown" links: the page's own URL with the extension `.md`. */
function findInAnchor(html: string, url: string): string | undefined {
  const candidates = new Set(alternateUrls(url))
  for (const [, href = ''] of html.matchAll(/<a\b[^<>]{0,500}?\bhref\s*=\s*["']?([^"'\s<>]{1,500}\.md)["'\s>]/gi)) {
    const target = resolveUrl(href, url)
    if (target !== undefined && candidates.has(target)) return target
  }
  return undefined
}

function alternateUrls(url: string): readonly string[] {
  const { origin, pathname } = new URL(url)
  const stem = pathname.replace(/\.html?$/i, '').replace(/\/$/, '')
  if (stem === '') return [`${origin}/index.md`]
  return [`${origin}${stem}.md`, `${origin}${stem}/index.md`]
}

function resolveUrl(href: string, base: string): string | undefined {
  const text = href.replaceAll('&amp;', '&').trim()
  if (!URL.canParse(text, base)) return undefined
  const target = new URL(text, base)
  target.hash = ''
  return target.href === base ? undefined : target.href
}
