// Takes out of a text what nobody sees: characters without a glyph, marks that turn its direction around, and letters
// from planes that exist to hide words. What joins letters where a script needs it stays.

/** Joiners are part of Persian, of Indic scripts and of emoji; between anything else they only hide. */
const STRAY_JOINER =
  /(?<![\p{L}\p{M}\p{Extended_Pictographic}\u{FE0F}])[\u200C\u200D]|[\u200C\u200D](?![\p{L}\p{M}\p{Extended_Pictographic}])/gu

const INVISIBLE = new RegExp(
  [
    // Controls, all but tab and line feed.
    '[\\u0000-\\u0008\\u000B-\\u001F\\u007F-\\u009F]',
    // Soft hyphen, fillers, zero-width spaces, marks and overrides of direction, invisible operators.
    '[\\u00AD\\u034F\\u061C\\u115F\\u1160\\u17B4\\u17B5\\u180B-\\u180F\\u200B\\u200E\\u200F\\u202A-\\u202E\\u2060-\\u206F\\u3164\\uFEFF\\uFFA0\\uFFF9-\\uFFFB]',
    // Variation selectors that no emoji uses, and the tags.
    '[\\uFE00-\\uFE0D\\u{E0000}-\\u{E0FFF}]',
    '[\\u{1BCA0}-\\u{1BCA3}\\u{1D173}-\\u{1D17A}]',
  ].join('|'),
  'gu',
)

export function visibleText(text: string): string {
  return text
    .toWellFormed()
    .replace(/\r\n?|[\u2028\u2029\u0085]/g, '\n')
    .replace(INVISIBLE, '')
    .replace(STRAY_JOINER, '')
}
