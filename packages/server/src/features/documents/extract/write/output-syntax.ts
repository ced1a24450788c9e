// The interface of an output syntax (how each kind of element is written), the plain-text syntax, super- and subscripts,
// and the state that the writers of one page share. Used by all writers; the Markdown syntax is in markdown-syntax.ts.
// Pure.

export interface OutputSyntax {
  /** Escapes running text. */
  readonly text: (text: string) => string
  /** Escapes the start of a paragraph, which may look like markup. */
  readonly paragraph: (text: string) => string
  readonly heading: (level: number, text: string) => string
  readonly strong: (text: string) => string
  readonly emphasis: (text: string) => string
  readonly strike: (text: string) => string
  readonly code: (text: string) => string
  readonly link: (text: string, address: string) => string
  readonly image: (alt: string, address: string) => string
  readonly math: (tex: string, isDisplay: boolean) => string
  readonly superscript: (text: string) => string
  readonly subscript: (text: string) => string
  readonly codeBlock: (code: string, language: string) => string
  readonly quote: (text: string) => string
  readonly callout: (kind: string, title: string, text: string) => string
  readonly footnoteReference: (label: string) => string
  readonly footnote: (label: string, text: string) => string
  readonly table: (rows: readonly (readonly string[])[], hasHeader: boolean) => string
  /** Between paragraphs in a table cell. */
  readonly cellBreak: string
  readonly lineBreak: string
  readonly rule: string
}

/** No markup, but lists keep their bullets, tables their columns and code its lines. */
export const PLAIN_TEXT_SYNTAX: OutputSyntax = {
  text: identity,
  paragraph: identity,
  heading: (_, text) => text,
  strong: identity,
  emphasis: identity,
  strike: identity,
  code: identity,
  link: identity,
  image: () => '',
  math: identity,
  superscript,
  subscript,
  codeBlock: identity,
  quote: (text) => text.replace(/^(?=.)/gm, '  '),
  callout: (kind, title, text) => `${title === '' ? kind[0] + kind.slice(1).toLowerCase() : title}:\n${text}`,
  footnoteReference: (label) => `[${label}]`,
  footnote: (label, text) => `[${label}] ${text}`,
  table: (rows) => rows.map((row) => row.map((cell) => cell.replace(/\s+/g, ' ')).join(' | ')).join('\n'),
  cellBreak: ' ',
  lineBreak: '\n',
  rule: '',
}

function identity(text: string): string {
  return text
}

const PLAIN = '0123456789+-−=ni'
const SUPERSCRIPTS = pairCharacters(PLAIN, '⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁻⁼ⁿⁱ')
const SUBSCRIPTS = pairCharacters(PLAIN, '₀₁₂₃₄₅₆₇₈₉₊₋₋₌ₙᵢ')

function pairCharacters(plain: string, other: string): ReadonlyMap<string, string> {
  return new Map(Array.from(plain, (character, at) => [character, other[at] ?? character]))
}

/** Unicode characters if available, otherwise `^(…)`. */
export function superscript(text: string): string {
  return /^(?:st|nd|rd|th|®|™|©)$/i.test(text) ? text : (translate(text, SUPERSCRIPTS) ?? `^(${text})`)
}

/** Unicode characters if available, otherwise `_(…)`. */
export function subscript(text: string): string {
  return translate(text, SUBSCRIPTS) ?? `_(${text})`
}

function translate(text: string, characters: ReadonlyMap<string, string>): string | undefined {
  const translated = Array.from(text).map((character) => characters.get(character))
  return translated.every((character) => character !== undefined) ? translated.join('') : undefined
}

/** State shared by the writers of one page. */
export interface WriteContext {
  readonly syntax: OutputSyntax
  /** Base URL of links. */
  readonly base: string
  /** Depth of quotes and lists; each level copies the text with a prefix. */
  readonly nesting: number
  /** Footnote labels by id. */
  readonly footnotes: ReadonlyMap<string, string>
  /** Headings written so far; the text contains the marker of each one (see `headingMarker`). */
  readonly headings: { level: number; title: string; id: string }[]
}

// Control characters, which are removed from the text of a page before it is written. They are in Latin-1, so that strings
// stay one byte per character.
const MARKER_START = '\x01'
const MARKER_END = '\x02'
export const LINE_BREAK_MARKER = '\x03'
const MARKER_PATTERN = new RegExp(`${MARKER_START}(\\d+)${MARKER_END}`)

export function headingMarker(index: number): string {
  return `${MARKER_START}${index}${MARKER_END}`
}

/** Length of the marker at the start of a line. */
export function markerLength(line: string): number {
  return line.startsWith(MARKER_START) ? line.indexOf(MARKER_END) + 1 : 0
}

/** Removes the markers and returns the line of each. */
export function extractMarkers(text: string): { text: string; lines: Map<number, number> } {
  const lines = new Map<number, number>()
  const plain = text.split('\n').map((line, at) => {
    const index = MARKER_PATTERN.exec(line)?.[1]
    if (index === undefined) return line
    lines.set(Number(index), at)
    return line.replace(MARKER_PATTERN, '')
  })
  return { text: plain.join('\n'), lines }
}
