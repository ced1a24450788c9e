// Takes out of a text what nobody sees: characters without a glyph, marks that turn its direction around, and letters
// from planes that exist to hide words. What joins letters where a script needs it stays. What it returns stays as it is
// when it is given again.

/** Scripts whose letters join, or would join where a person does not want it: there a joiner is part of the spelling. */
const PLAIN = ['Latin', 'Greek', 'Cyrillic', 'Armenian', 'Georgian', 'Hebrew', 'Han', 'Hiragana', 'Katakana', 'Hangul']
const JOINING = `(?!${PLAIN.map((script) => `\\p{Script=${script}}`).join('|')})[\\p{L}\\p{M}]`
const BEFORE = `(?:${JOINING}|[\\p{Extended_Pictographic}\\p{Emoji_Modifier}\\uFE0E\\uFE0F])`
const AFTER = `(?:${JOINING}|\\p{Extended_Pictographic})`

const STRAY_JOINER = new RegExp(`(?<!${BEFORE})[\\u200C\\u200D]|[\\u200C\\u200D](?!${AFTER})`, 'gu')

/** One after a sign chooses how it looks; more of them, or one after nothing, only carry something. */
const STRAY_SELECTOR = /(?<![^\s\uFE0E\uFE0F\u200C\u200D])[\uFE0E\uFE0F]+|(?<=[\uFE0E\uFE0F])[\uFE0E\uFE0F]+/gu

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
  return (
    text
      .toWellFormed()
      .replace(/\r\n?|[\u2028\u2029\u0085]/g, '\n')
      .replace(INVISIBLE, '')
      // Before the joiners: what follows one of those is no sign that could look different.
      .replace(STRAY_SELECTOR, '')
      .replace(STRAY_JOINER, '')
  )
}

/** Characters that are none: whoever works on a text may use them as marks of its own, and nobody may send them on. */
export function withoutMarks(text: string): string {
  return text.replace(/\p{Noncharacter_Code_Point}/gu, '')
}
