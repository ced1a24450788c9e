// Terminal column widths: a character takes zero, one or two columns. Measures, truncates and wraps text by them. Pure.
// Used by the terminal renderer, the inbox and text layout.

// East Asian wide and fullwidth ranges; emoji are detected by their Unicode property.
const WIDE_RANGES: readonly (readonly [number, number])[] = [
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

/** Hangul vowels and final consonants, which join the preceding syllable. */
const JOINING_RANGES: readonly (readonly [number, number])[] = [
  [0x1160, 0x11ff],
  [0xd7b0, 0xd7fb],
]

const CACHED_CODE_POINTS = 0x20000
let cache: Uint8Array | undefined

export function characterWidth(code: number): number {
  if (code < 0x300) return 1
  if (code >= CACHED_CODE_POINTS) return computeWidth(code)
  cache ??= new Uint8Array(CACHED_CODE_POINTS)
  const cached = cache[code]
  if (cached) return cached - 1
  const columns = computeWidth(code)
  cache[code] = columns + 1
  return columns
}

function computeWidth(code: number): number {
  if (WIDE_RANGES.some(([first, last]) => code >= first && code <= last)) return 2
  if (JOINING_RANGES.some(([first, last]) => code >= first && code <= last)) return 0
  const character = String.fromCodePoint(code)
  if (/[\p{Mn}\p{Me}\p{Cf}]/u.test(character)) return 0
  return /\p{Emoji_Presentation}/u.test(character) ? 2 : 1
}

export function truncateToWidth(text: string, columns: number): string {
  if (textWidth(text) <= columns) return text
  let remaining = columns - 1
  let kept = ''
  for (const character of text) {
    remaining -= characterWidth(character.codePointAt(0) ?? 0)
    if (remaining < 0) break
    kept += character
  }
  return `${kept}…`
}

export function textWidth(text: string): number {
  let columns = 0
  for (const character of text) columns += characterWidth(character.codePointAt(0) ?? 0)
  return columns
}

/** Wraps the text to as many lines as it needs. */
export function wrapToWidth(text: string, columns: number): readonly string[] {
  return wrapToRanges(text, columns).map(({ from, to }) => text.slice(from, to))
}

export interface LineRange {
  readonly from: number
  readonly to: number
}

/** Where the lines begin and end in the text: the space at which a line is broken is in none. */
export function wrapToRanges(text: string, columns: number): readonly LineRange[] {
  const lines: LineRange[] = []
  let [from, at, width] = [0, 0, 0]
  for (const character of text) {
    const characterColumns = characterWidth(character.codePointAt(0) ?? 0)
    if (width + characterColumns > columns && at > from) {
      const space = findBreak(text.slice(from, at))
      lines.push({ from, to: space === undefined ? at : from + space })
      from = space === undefined ? at : from + space + 1
      width = textWidth(text.slice(from, at))
    }
    at += character.length
    width += characterColumns
  }
  return [...lines, { from, to: at }]
}

/** The space between words to break at; undefined if the last word is more than half of the line. */
function findBreak(line: string): number | undefined {
  const space = line.lastIndexOf(' ')
  return space < line.length / 2 ? undefined : space
}
