// How many columns of a terminal a character takes: none, one or two.

// East Asian wide and fullwidth; emoji are found by their property.
const WIDE: readonly (readonly [number, number])[] = [
  [0x1100, 0x115f],
  [0x2e80, 0x3029],
  [0x302e, 0x303e],
  [0x3041, 0x3098],
  [0x309b, 0xa4cf],
  [0xa960, 0xa97c],
  [0xac00, 0xd7a3],
  [0xf900, 0xfaff],
  [0xfe10, 0xfe19],
  [0xfe30, 0xfe6f],
  [0xff01, 0xff60],
  [0xffe0, 0xffe6],
  [0x16fe0, 0x1b2ff],
  [0x1f200, 0x1f265],
  [0x20000, 0x3fffd],
]

/** Vowels and final consonants of Hangul, which join the syllable before them. */
const JOINING: readonly (readonly [number, number])[] = [
  [0x1160, 0x11ff],
  [0xd7b0, 0xd7fb],
]

const REMEMBERED = 0x20000
let remembered: Uint8Array | undefined

export function columnsOf(code: number): number {
  if (code < 0x300) return 1
  if (code >= REMEMBERED) return findColumns(code)
  remembered ??= new Uint8Array(REMEMBERED)
  const known = remembered[code]
  if (known) return known - 1
  const columns = findColumns(code)
  remembered[code] = columns + 1
  return columns
}

function findColumns(code: number): number {
  if (WIDE.some(([first, last]) => code >= first && code <= last)) return 2
  if (JOINING.some(([first, last]) => code >= first && code <= last)) return 0
  const character = String.fromCodePoint(code)
  if (/[\p{Mn}\p{Me}\p{Cf}]/u.test(character)) return 0
  return /\p{Emoji_Presentation}/u.test(character) ? 2 : 1
}
