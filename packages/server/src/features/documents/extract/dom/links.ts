// Resolves link targets to absolute URLs; drops schemes such as javascript: and data:.

const ALLOWED_SCHEMES = /^(?:https?|mailto|ftp|tel):/i

/** '' if the URL is invalid or its scheme is not allowed. */
export function resolveLink(href: string, base: string): string {
  const trimmed = href.trim()
  if (trimmed === '') return ''
  const url = URL.canParse(trimmed, base) ? new URL(trimmed, base).href : ''
  return ALLOWED_SCHEMES.test(url) ? url : ''
}

/** A longer base would make every link that long. */
const MAX_BASE_CHARS = 4000

/** The base URL of a page, given the href of its `<base>`. */
export function resolveBase(pageUrl: string, baseHref: string): string {
  const base = resolveLink(baseHref, pageUrl)
  return base === '' || base.length > MAX_BASE_CHARS ? pageUrl : base
}
