// Normalizes text for search and storage, and decodes percent-encoding. Used by the tables of the database, by search
// and by documents. Pure.

const ACCENTS = /(?![\u3099\u309a])\p{Script=Inherited}|[\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7]/gu
// eslint-disable-next-line no-control-regex
const IS_ASCII = /^[\0-\x7f]*$/

/**
 * Search ignores case, accents and other variants; vowel signs of Indic scripts and the voicing marks of kana are
 * letters there, not accents, and are kept.
 */
export function foldForSearch(text: string): string {
  // Most texts, and much quicker.
  if (IS_ASCII.test(text)) return text.toLowerCase()
  const plain = text.normalize('NFKD').replaceAll(ACCENTS, '')
  // Via upper case, so that ß and ss, and the three sigmas, become equal; the capital ß has no upper case.
  const folded = plain.toLowerCase().toUpperCase().toLowerCase().replaceAll('ς', 'σ')
  return folded.normalize('NFKD').replaceAll(ACCENTS, '').normalize('NFC')
}

/** Replaces lone surrogates and NUL, which databases do not return unchanged, by U+FFFD. */
export function toStorableText(text: string): string {
  return text.toWellFormed().replaceAll('\0', '\uFFFD')
}

/** Decodes percent-encoded text; text that is not valid as such stays unchanged. */
export function decodeUriText(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
