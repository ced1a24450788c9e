// Splits a plan into blocks that the page can show. Nothing is left out: a user approves what is shown, so comments,
// links and everything else that is not known here stay text. Used by markdown.tsx. Pure.

export type MarkdownBlock =
  | { readonly kind: 'heading'; readonly level: number; readonly text: string }
  | { readonly kind: 'code'; readonly info: string; readonly text: string }
  | {
      readonly kind: 'item'
      readonly depth: number
      readonly marker: string
      /** Undefined if the item has no checkbox. */
      readonly isDone: boolean | undefined
      readonly text: string
    }
  | { readonly kind: 'text'; readonly text: string }

const MAX_DEPTH = 4

export function parseMarkdownBlocks(markdown: string): readonly MarkdownBlock[] {
  const blocks: MarkdownBlock[] = []
  const lines = markdown.split(/\r\n|\r|\n/)
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at] ?? ''
    const [, fence, info = ''] = /^\s*(`{3,}|~{3,})([^`]*)$/.exec(line) ?? []
    if (fence === undefined) addLine(blocks, line, lines[at - 1] ?? '')
    else {
      const start = at + 1
      for (at = start; at < lines.length && !isFenceEnd(lines[at] ?? '', fence);) at++
      blocks.push({ kind: 'code', info: info.trim(), text: lines.slice(start, at).join('\n') })
    }
  }
  return blocks
}

function isFenceEnd(line: string, fence: string): boolean {
  const text = line.trim()
  return text.startsWith(fence) && text === (fence[0] ?? '').repeat(text.length)
}

function addLine(blocks: MarkdownBlock[], line: string, before: string): void {
  if (line.trim() === '') return
  const block = parseHeading(line) ?? parseItem(line)
  const last = blocks.at(-1)
  if (block) blocks.push(block)
  else if (before.trim() !== '' && (last?.kind === 'text' || last?.kind === 'item'))
    blocks.splice(-1, 1, { ...last, text: `${last.text}\n${line.trim()}` })
  else blocks.push({ kind: 'text', text: line.trim() })
}

function parseHeading(line: string): MarkdownBlock | undefined {
  const [, marks, text] = /^ {0,3}(#{1,6})\s+(.*)$/s.exec(line) ?? []
  return marks === undefined || text === undefined ? undefined : { kind: 'heading', level: marks.length, text }
}

function parseItem(line: string): MarkdownBlock | undefined {
  const [, space = '', marker, content] = /^(\s*)([-*+]|\d{1,9}[.)])\s+(.*)$/s.exec(line) ?? []
  if (marker === undefined || content === undefined) return undefined
  const [, box, text = content] = /^\[([ xX])\]\s+(.*)$/s.exec(content) ?? []
  return {
    kind: 'item',
    depth: Math.min(MAX_DEPTH, Math.floor(space.replaceAll('\t', '    ').length / 2)),
    marker: /\d/.test(marker) ? marker : '•',
    isDone: box === undefined ? undefined : box !== ' ',
    text,
  }
}

/** Texts at even positions, `code` and **strong** text, with its marks, at odd ones. */
export function splitInline(text: string): readonly string[] {
  return text.split(/(`[^`\n]+`|\*\*[^*\n]+\*\*)/)
}
