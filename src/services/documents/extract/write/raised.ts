// Superscripts and subscripts: Unicode characters if available, otherwise `^(…)` and `_(…)`.

const SUPERSCRIPTS = new Map(
  Object.entries({
    0: '⁰',
    1: '¹',
    2: '²',
    3: '³',
    4: '⁴',
    5: '⁵',
    6: '⁶',
    7: '⁷',
    8: '⁸',
    9: '⁹',
    '+': '⁺',
    '-': '⁻',
    '−': '⁻',
    '=': '⁼',
    n: 'ⁿ',
    i: 'ⁱ',
  }),
)
const SUBSCRIPTS = new Map(
  Object.entries({
    0: '₀',
    1: '₁',
    2: '₂',
    3: '₃',
    4: '₄',
    5: '₅',
    6: '₆',
    7: '₇',
    8: '₈',
    9: '₉',
    '+': '₊',
    '-': '₋',
    '−': '₋',
    '=': '₌',
    n: 'ₙ',
    i: 'ᵢ',
  }),
)

export function superscript(text: string): string {
  return /^(?:st|nd|rd|th|®|™|©)$/i.test(text) ? text : (translate(text, SUPERSCRIPTS) ?? `^(${text})`)
}

export function subscript(text: string): string {
  return translate(text, SUBSCRIPTS) ?? `_(${text})`
}

function translate(text: string, characters: ReadonlyMap<string, string>): string | undefined {
  const translated = Array.from(text).map((character) => characters.get(character))
  return translated.every((character) => character !== undefined) ? translated.join('') : undefined
}
