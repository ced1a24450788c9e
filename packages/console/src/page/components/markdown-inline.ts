// Splits a line of Markdown into text, code, bold and italic text and links. What is not complete stays text, and the
// address of a link is always part of what is shown. Used by markdown.tsx. Pure.

export type MarkdownSpan =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'code'; readonly text: string }
  | { readonly kind: 'bold'; readonly spans: readonly MarkdownSpan[] }
  | { readonly kind: 'italic'; readonly spans: readonly MarkdownSpan[] }
  | { readonly kind: 'struck'; readonly spans: readonly MarkdownSpan[] }
  | {
      readonly kind: 'link'
      readonly spans: readonly MarkdownSpan[]
      readonly href: string
      /** The address is not the text, so it is shown behind it. */
      readonly showsHref: boolean
    }

const MAX_DEPTH = 4

/** In the order in which they are tried at a position. Each is bounded, so that long lines are split quickly. */
const PATTERN = new RegExp(
  [
    String.raw`\\(?<escaped>[!-\/:-@[-\x60{-~])`,
    String.raw`(?<fence>\x60{1,3})(?!\x60)(?<code>[^\n]{1,1000}?)(?<!\x60)\k<fence>(?!\x60)`,
    // An image is not loaded: its source is shown.
    String.raw`!\[[^\]\n]{0,500}\]\([^\s()]{1,1000}\)`,
    String.raw`\[(?<label>[^\[\]\n]{1,500})\]\((?<href>[^\s()<>]{1,1000})\)`,
    String.raw`<(?<address>https?:\/\/[^\s<>]{1,1000})>`,
    String.raw`(?<bare>https?:\/\/[^\s<>"'\x60|]{0,1000}[^\s<>"'\x60|.,;:!?)\]*_~])`,
    String.raw`\*\*(?<bold>[^\s*](?:[^\n]{0,1000}?\S)?)\*\*(?!\*)`,
    String.raw`(?<![\p{L}\p{N}_])__(?<bold2>[^\s_](?:[^\n]{0,1000}?[^\s_])?)__(?![\p{L}\p{N}_])`,
    String.raw`~~(?<struck>[^\s~](?:[^\n~]{0,1000}[^\s~])?)~~`,
    String.raw`\*(?<italic>[^\s*](?:[^\n*]{0,1000}[^\s*])?)\*`,
    String.raw`(?<![\p{L}\p{N}_])_(?<italic2>[^\s_](?:[^\n_]{0,1000}[^\s_])?)_(?![\p{L}\p{N}_])`,
  ].join('|'),
  'gu',
)

export function parseMarkdownSpans(text: string, depth = 0): readonly MarkdownSpan[] {
  if (depth >= MAX_DEPTH) return [{ kind: 'text', text }]
  const spans: MarkdownSpan[] = []
  let end = 0
  for (const match of text.matchAll(PATTERN)) {
    const { index } = match
    addText(spans, text.slice(end, index))
    const span = toSpan(match, depth)
    if (span.kind === 'text') addText(spans, span.text)
    else spans.push(span)
    end = index + match[0].length
  }
  addText(spans, text.slice(end))
  return spans
}

function addText(spans: MarkdownSpan[], text: string): void {
  if (text === '') return
  const last = spans.at(-1)
  if (last?.kind === 'text') spans.splice(-1, 1, { kind: 'text', text: last.text + text })
  else spans.push({ kind: 'text', text })
}

function toSpan({ 0: source, groups = {} }: RegExpExecArray, depth: number): MarkdownSpan {
  const { escaped, code, label, href, address, bare, struck } = groups
  const bold = groups.bold ?? groups.bold2
  const italic = groups.italic ?? groups.italic2
  const inner = (text: string): readonly MarkdownSpan[] => parseMarkdownSpans(text, depth + 1)
  if (escaped !== undefined) return { kind: 'text', text: escaped }
  if (code !== undefined) return { kind: 'code', text: code }
  if (bold !== undefined) return { kind: 'bold', spans: inner(bold) }
  if (italic !== undefined) return { kind: 'italic', spans: inner(italic) }
  if (struck !== undefined) return { kind: 'struck', spans: inner(struck) }
  if (label !== undefined && href !== undefined) return toLink(inner(label), href, label !== href) ?? toText(source)
  const own = address ?? bare
  return (own === undefined ? undefined : toLink([toText(own)], own, false)) ?? toText(source)
}

function toText(text: string): MarkdownSpan {
  return { kind: 'text', text }
}

/** Undefined if a browser would do something other than open a page. */
function toLink(spans: readonly MarkdownSpan[], href: string, showsHref: boolean): MarkdownSpan | undefined {
  return /^https?:\/\/[^\s]/i.test(href) && URL.canParse(href) ? { kind: 'link', spans, href, showsHref } : undefined
}
