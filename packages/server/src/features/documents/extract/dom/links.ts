// Link targets as absolute URLs, without schemes such as javascript: and data:, and the fragments that name headings. Used
// by the readers and writers. Pure.

import { decodeUriText } from '../../../../text/normalize-text.js'
import { tryParseUrl } from '../../../../text/parse-url.js'

const ALLOWED_SCHEMES = /^(?:https?|mailto|ftp|tel):/i

/** '' if the URL is invalid or its scheme is not allowed. */
export function resolveLink(href: string, base: string): string {
  const trimmed = href.trim()
  if (trimmed === '') return ''
  const url = tryParseUrl(trimmed, base)?.href ?? ''
  return ALLOWED_SCHEMES.test(url) ? url : ''
}

/** A longer base would make every link that long. */
const MAX_BASE_CHARS = 4000

/** The base URL of a page, given the href of its `<base>`. */
export function resolveBase(pageUrl: string, baseHref: string): string {
  const base = resolveLink(baseHref, pageUrl)
  return base === '' || base.length > MAX_BASE_CHARS ? pageUrl : base
}

/** Heading slugs as made by GitHub and most generators. */
export function slugify(title: string): string {
  return title
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\p{M}\s_-]/gu, '')
    .trim()
    .replace(/\s/g, '-')
}

/** Whether a fragment names this heading: by its id, or by its text. */
export function matchesFragment(fragment: string, { id, title }: { id: string; title: string }): boolean {
  const decoded = decodeUriText(fragment)
  if (id !== '' && (id === fragment || id === decoded)) return true
  return normalizeTitle(title) !== '' && normalizeTitle(title) === normalizeTitle(decoded.replaceAll('-', ' '))
}

function normalizeTitle(text: string): string {
  return slugify(text).replace(/[-_]+/g, '-')
}
