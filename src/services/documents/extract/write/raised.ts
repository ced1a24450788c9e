// Small letters above and below the line: with the characters Unicode has for them, else in brackets.

const ABOVE = new Map(
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
const BELOW = new Map(
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
  return /^(?:st|nd|rd|th|®|™|©)$/i.test(text) ? text : (turned(text, ABOVE) ?? `^(${text})`)
}

export function subscript(text: string): string {
  return turned(text, BELOW) ?? `_(${text})`
}

function turned(text: string, signs: ReadonlyMap<string, string>): string | undefined {
  const found = Array.from(text).map((sign) => signs.get(sign))
  return found.every((sign) => sign !== undefined) ? found.join('') : undefined
}
