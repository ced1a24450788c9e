// Where a page says that it can be had as Markdown: in a Link header, in a link element, or in a link to itself with `.md`
// behind. Found by looking over the bytes, so that a page which has a twin need not be taken apart.

import type { Copy } from './copy.js'

/** Links of that kind stand in the head or in the bar above the text. */
const MAX_LOOK = 200_000
/** A server may send a hundred thousand. */
const MAX_HEADER = 8000

/** The address, or undefined. */
export function twinOf(copy: Copy): string | undefined {
  const html = copy.bytes.subarray(0, MAX_LOOK).toString('latin1')
  return fromHeader(copy) ?? fromLink(html, copy.url) ?? fromAnchor(html, copy.url)
}

/** What it would be called; for pages from which nothing else could be had. */
export function likelyTwin(url: string): string | undefined {
  const { pathname } = new URL(url)
  const isPage = pathname !== '/' && /(^|\/)[^/.]+\/?$|\.html?$/i.test(pathname)
  return isPage ? twinNames(url)[0] : undefined
}

function fromHeader({ headers, url }: Copy): string | undefined {
  const links = (headers.get('link') ?? '')
    .slice(0, MAX_HEADER)
    .matchAll(/<([^<>]*)>((?:\s*;[^,;"]*(?:"[^"]*"[^,;"]*)?)*)/g)
  for (const [, target = '', params = ''] of links) {
    if (/\brel\s*=\s*"?[^";]*\balternate\b/i.test(params) && /\btype\s*=\s*"?text\/(x-)?markdown\b/i.test(params)) {
      return resolved(target, url)
    }
  }
  return undefined
}

function fromLink(html: string, url: string): string | undefined {
  for (const [tag] of html.matchAll(/<link\b[^<>]{1,2000}>/gi)) {
    if (!/\btype\s*=\s*["']?text\/(x-)?markdown\b/i.test(tag) || !/\brel\s*=\s*["']?[^"'>]*\balternate\b/i.test(tag))
      continue
    const href = /\bhref\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s>]+))/i.exec(tag)
    if (href) return resolved(href[1] ?? href[2] ?? href[3] ?? '', url)
  }
  return undefined
}

/** "View as Markdown": the page's own name with another ending, on its own server. */
function fromAnchor(html: string, url: string): string | undefined {
  const names = new Set(twinNames(url))
  for (const [, href = ''] of html.matchAll(/<a\b[^<>]{0,500}?\bhref\s*=\s*["']?([^"'\s<>]{1,500}\.md)["'\s>]/gi)) {
    const target = resolved(href, url)
    if (target !== undefined && names.has(target)) return target
  }
  return undefined
}

function twinNames(url: string): readonly string[] {
  const { origin, pathname } = new URL(url)
  const stem = pathname.replace(/\.html?$/i, '').replace(/\/$/, '')
  if (stem === '') return [`${origin}/index.md`]
  return [`${origin}${stem}.md`, `${origin}${stem}/index.md`]
}

function resolved(href: string, base: string): string | undefined {
  const text = href.replaceAll('&amp;', '&').trim()
  if (!URL.canParse(text, base)) return undefined
  const target = new URL(text, base)
  target.hash = ''
  return target.href === base ? undefined : target.href
}
