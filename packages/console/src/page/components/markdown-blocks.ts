// Splits a plan into blocks that the page can show. No letter of it is left out: a user approves what is shown, so
// comments, HTML and everything else that is not known here stay text. Used by markdown.tsx. Pure.

export type MarkdownBlock =
  | {
      readonly kind: 'heading'
      readonly level: number
      /** Level in the outline, without gaps: 1 for the first heading. */
      readonly outline: number
      readonly text: string
    }
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'code'; readonly info: string; readonly text: string }
  | { readonly kind: 'quote'; readonly blocks: readonly MarkdownBlock[] }
  | { readonly kind: 'list'; readonly isOrdered: boolean; readonly items: readonly MarkdownItem[] }
  | { readonly kind: 'table'; readonly header: readonly string[]; readonly rows: readonly (readonly string[])[] }
  | { readonly kind: 'rule' }

export interface MarkdownItem {
  /** The number or the bullet, as written. */
  readonly marker: string
  /** Undefined if the item has no checkbox. */
  readonly isDone: boolean | undefined
  readonly blocks: readonly MarkdownBlock[]
}

/** Deeper lists and quotes are shown as text. */
const MAX_DEPTH = 6

export function parseMarkdownBlocks(markdown: string): readonly MarkdownBlock[] {
  const outline = createOutline()
  return parseLines(markdown.replaceAll('\t', '    ').split(/\r\n|\r|\n/), 0, outline)
}

type Outline = (level: number) => number

function createOutline(): Outline {
  let before = 0
  return (level) => (before = Math.min(level, before + 1))
}

/** A block and how many lines it consists of. */
interface Parsed {
  readonly block: MarkdownBlock
  readonly count: number
}

function parseLines(lines: readonly string[], depth: number, outline: Outline): readonly MarkdownBlock[] {
  const blocks: MarkdownBlock[] = []
  for (let at = 0; at < lines.length;) {
    if (isBlank(lines[at])) {
      at += 1
      continue
    }
    const { block, count } = parseBlock(lines, at, depth, outline)
    blocks.push(block)
    at += count
  }
  return blocks
}

function parseBlock(lines: readonly string[], at: number, depth: number, outline: Outline): Parsed {
  const line = lines[at] ?? ''
  return (
    parseCode(lines, at) ??
    parseHeading(line, outline) ??
    (isRule(line) ? { block: { kind: 'rule' }, count: 1 } : undefined) ??
    (depth < MAX_DEPTH ? (parseQuote(lines, at, depth, outline) ?? parseList(lines, at, depth, outline)) : undefined) ??
    parseTable(lines, at) ??
    parseText(lines, at, depth)
  )
}

function isBlank(line: string | undefined): boolean {
  return line === undefined || line.trim() === ''
}

const FENCE = /^ *(`{3,}(?!`)|~{3,}(?!~))([^`]*)$/

function parseCode(lines: readonly string[], at: number): Parsed | undefined {
  const [, fence, info = ''] = FENCE.exec(lines[at] ?? '') ?? []
  if (fence === undefined) return undefined
  const indent = indentOf(lines[at] ?? '')
  const start = at + 1
  let end = start
  while (end < lines.length && !isFenceEnd(lines[end] ?? '', fence)) end++
  const text = lines
    .slice(start, end)
    .map((line) => line.slice(Math.min(indent, indentOf(line))))
    .join('\n')
  return { block: { kind: 'code', info: info.trim(), text }, count: Math.min(end + 1, lines.length) - at }
}

function isFenceEnd(line: string, fence: string): boolean {
  const text = line.trim()
  return text.startsWith(fence) && text === (fence[0] ?? '').repeat(text.length)
}

function indentOf(line: string): number {
  return line.length - line.trimStart().length
}

function parseHeading(line: string, outline: Outline): Parsed | undefined {
  const [, marks, text] = /^ {0,3}(#{1,6})\s+(\S.*)$/.exec(line) ?? []
  if (marks === undefined || text === undefined) return undefined
  const level = marks.length
  return { block: { kind: 'heading', level, outline: outline(level), text: text.trim() }, count: 1 }
}

function isRule(line: string): boolean {
  return /^ {0,3}([-*_])( *\1){2,} *$/.test(line)
}

function parseQuote(lines: readonly string[], at: number, depth: number, outline: Outline): Parsed | undefined {
  let end = at
  while (/^ {0,3}>/.test(lines[end] ?? '')) end++
  if (end === at) return undefined
  const inner = lines.slice(at, end).map((line) => line.replace(/^ {0,3}> ?/, ''))
  return { block: { kind: 'quote', blocks: parseLines(inner, depth + 1, outline) }, count: end - at }
}

interface ItemStart {
  /** Columns before the marker. */
  readonly indent: number
  /** Columns before the text. */
  readonly offset: number
  readonly marker: string
  readonly text: string
}

function parseItemStart(line: string): ItemStart | undefined {
  const [, space = '', marker, gap = '', text = ''] = /^( *)([-*+]|\d{1,9}[.)])(?:( +)(?! )(.*))?$/.exec(line) ?? []
  if (marker === undefined || isRule(line)) return undefined
  // Text that is indented by five columns and more is indented text of the item.
  const width = gap.length > 4 || text === '' ? 1 : gap.length
  return { indent: space.length, offset: space.length + marker.length + width, marker, text }
}

function parseList(lines: readonly string[], at: number, depth: number, outline: Outline): Parsed | undefined {
  const first = parseItemStart(lines[at] ?? '')
  if (first === undefined || first.text === '') return undefined
  const isOrdered = isNumber(first.marker)
  const items: MarkdownItem[] = []
  let end = at
  for (let start: ItemStart | undefined = first; start !== undefined && isNumber(start.marker) === isOrdered;) {
    const count = countItemLines(lines, end, start)
    items.push(parseItem(lines.slice(end, end + count), start, depth, outline))
    end += count
    const next = end
    while (end < lines.length && isBlank(lines[end])) end++
    start = parseItemStart(lines[end] ?? '')
    if (start === undefined || start.indent > first.indent + 3) {
      end = next
      break
    }
  }
  return { block: { kind: 'list', isOrdered, items }, count: end - at }
}

function isNumber(marker: string): boolean {
  return /^\d/.test(marker)
}

/** Lines that belong to the item: those that are indented as its text, and the continuation of its paragraph. */
function countItemLines(lines: readonly string[], at: number, { indent, offset }: ItemStart): number {
  let end = at + 1
  for (let next = end; next < lines.length; next++) {
    const line = lines[next] ?? ''
    if (isBlank(line)) continue
    const isInside = indentOf(line) >= Math.min(offset, indent + 2)
    const continues = next === end && !isBlank(lines[next - 1]) && !startsBlock(line)
    if (!isInside && !continues) break
    end = next + 1
  }
  return end - at
}

function parseItem(
  [, ...rest]: readonly string[],
  { marker, text, offset }: ItemStart,
  depth: number,
  outline: Outline,
): MarkdownItem {
  const [, box, content = text] = /^\[([ xX])\] +(\S.*)$/.exec(text) ?? []
  const inner = rest.map((line) => line.slice(Math.min(offset, indentOf(line))))
  return {
    marker: isNumber(marker) ? marker : '•',
    isDone: box === undefined ? undefined : box !== ' ',
    blocks: parseLines([content, ...inner], depth + 1, outline),
  }
}

function parseTable(lines: readonly string[], at: number): Parsed | undefined {
  const [line = '', delimiter = ''] = lines.slice(at, at + 2)
  if (!line.includes('|') || !/^ {0,3}\|?( *:?-+:? *\|)+( *:?-+:? *)?$/.test(delimiter)) return undefined
  const header = splitCells(line)
  if (header.length !== splitCells(delimiter).length) return undefined
  let end = at + 2
  while (end < lines.length && !isBlank(lines[end]) && (lines[end] ?? '').includes('|')) end++
  const rows = lines.slice(at + 2, end).map(splitCells)
  return { block: { kind: 'table', header, rows }, count: end - at }
}

/** A bar in code or after a backslash is text. */
function splitCells(line: string): readonly string[] {
  const inner = line
    .trim()
    .replace(/^\|/, '')
    .replace(/(^|[^\\])\|$/, '$1')
  const cells: string[] = ['']
  for (const [part] of inner.matchAll(/\\\||`[^`]*`|\||[^|`\\]+|[^]/g)) {
    if (part === '|') cells.push('')
    else cells.push(`${cells.pop() ?? ''}${part === '\\|' ? '|' : part}`)
  }
  return cells.map((cell) => cell.trim())
}

function parseText(lines: readonly string[], at: number, depth: number): Parsed {
  const endsText = (line: string): boolean => isBlank(line) || (depth < MAX_DEPTH && startsBlock(line))
  let end = at + 1
  while (end < lines.length && !endsText(lines[end] ?? '')) end++
  const text = lines
    .slice(at, end)
    .map((line) => line.trim())
    .join('\n')
  return { block: { kind: 'text', text }, count: end - at }
}

/** Whether a line ends a paragraph. */
function startsBlock(line: string): boolean {
  if (/^ {0,3}>/.test(line) || /^ {0,3}#{1,6}\s+\S/.test(line) || FENCE.test(line) || isRule(line)) return true
  const item = parseItemStart(line)
  return item !== undefined && item.text !== ''
}
