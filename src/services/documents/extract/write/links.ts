// Addresses as they are to be given on: absolute, and none that would run something or carry the thing itself.

const SCHEMES = /^(?:https?|mailto|ftp|tel):/i

/** '' where it leads nowhere that can be told. */
export function absolute(address: string, base: string): string {
  const trimmed = address.trim()
  if (trimmed === '') return ''
  const url = URL.canParse(trimmed, base) ? new URL(trimmed, base).href : ''
  return SCHEMES.test(url) ? url : ''
}

/** Every link would be as long. */
const MAX_BASE = 4000

/** What `<base>` makes of the address of a page. */
export function baseOf(page: string, given: string): string {
  const base = absolute(given, page)
  return base === '' || base.length > MAX_BASE ? page : base
}
