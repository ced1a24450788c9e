// What is handed to whoever reads: one page of a document, and how it was come by.

import { Failure } from '../../lib/failure.js'
import type { Heading } from './extract/extractor.js'
import { nearest } from '../skills/nearest.js'
import type { Copy } from './copy.js'
import { cursorAt } from './cursor.js'
import type { Kept } from './page-cache.js'
import { pageAt } from './paging.js'
import type { About, Prepared } from './prepared.js'
import type { Verdict } from './verdict.js'
import type { Wish } from './wish.js'

const NAME = /^[\p{L}\p{N}_.:-]{1,60}$/u

export interface Document {
  readonly verdict: Verdict
  readonly copy: Copy
  /** None where there was nothing to take apart. */
  readonly reading: About | undefined
  readonly extract: Extract | undefined
  readonly notes: readonly string[]
}

export interface Extract {
  readonly text: string
  /** From 1. */
  readonly firstLine: number
  readonly lastLine: number
  readonly lines: number
  readonly chars: number
  /** Where the next page begins; '' where there is none. */
  readonly cursor: string
  readonly isFirst: boolean
  /** Of the whole, where it does not fit one page. */
  readonly outline: readonly Heading[]
}

export function documentOf(kept: Kept, prepared: Prepared | undefined, wish: Wish, maxChars: number): Document {
  const { verdict, copy, notes } = kept
  if (!prepared) return { verdict, copy, reading: undefined, extract: undefined, notes }
  const { offset, changed } = placeIn(prepared, wish)
  return {
    verdict,
    copy,
    reading: prepared.reading,
    extract: extractAt(prepared, offset, maxChars),
    notes: [...notes, ...changed, ...missingSection(prepared.reading, wish), ...otherFormat(prepared.reading, wish)],
  }
}

function extractAt(prepared: Prepared, offset: number, maxChars: number): Extract {
  const { content, blocks, fingerprint, reading } = prepared
  const { start, end, text } = pageAt(content, blocks, offset, maxChars)
  const isLast = end >= content.length
  return {
    text,
    firstLine: feedsIn(content, 0, start) + 1,
    lastLine: feedsIn(content, 0, end - 1) + 1,
    lines: feedsIn(content, 0, content.length) + 1,
    chars: content.length,
    cursor: isLast ? '' : cursorAt({ offset: end, fingerprint }),
    isFirst: start === 0,
    outline: start === 0 && !isLast ? reading.outline : [],
  }
}

/** Where to begin. A document that has changed is read on at the line that now stands there. */
function placeIn({ content, fingerprint }: Prepared, { place }: Wish) {
  if (!place) return { offset: 0, changed: [] }
  const isSame = place.fingerprint === fingerprint
  if (place.offset >= content.length) {
    const why = isSame
      ? 'The cursor lies behind the end'
      : 'The cursor points behind the end of this page, which has changed since, or is not the one that the cursor came from'
    throw new Failure(`${why}: it has ${content.length} characters now. Call ReadDocs without cursor to begin again.`)
  }
  if (isSame) return { offset: place.offset, changed: [] }
  const note =
    'The page is not the one that this cursor came from: it has changed since, or the cursor belongs to another format or section. This is what stands at that place now; call without cursor to begin again.'
  return { offset: content.lastIndexOf('\n', place.offset - 1) + 1, changed: [note] }
}

function missingSection({ hasFragment, outline }: About, { fragment }: Wish): readonly string[] {
  if (fragment === '' || hasFragment) return []
  // This is said outside the quotation: a name that is one word, or none.
  const ids = outline.map(({ id }) => id).filter((id) => NAME.test(id))
  const near = nearest(fragment, ids, 5).map((id) => `#${id}`)
  const hint = near.length > 0 ? ` Near it: ${near.join(', ')}.` : ''
  return [`There is no section #${fragment} on this page.${hint} This is the whole page.`]
}

/** What is no HTML is given as it is, whatever was asked for. */
function otherFormat({ kind }: About, { format }: Wish): readonly string[] {
  const isText = format === 'text' && kind !== 'markdown'
  if (format === 'markdown' || isText || kind === 'html' || kind === 'feed') return []
  const name = kind === 'text' ? 'plain text' : kind === 'markdown' ? 'Markdown' : kind.toUpperCase()
  return [
    `There is no ${format === 'html' ? 'HTML' : 'plain text'} of it: this is ${name}, ${kind === 'pdf' ? 'read by page' : 'as the server has it'}.`,
  ]
}

function feedsIn(content: string, from: number, to: number): number {
  let feeds = 0
  for (let at = content.indexOf('\n', from); at !== -1 && at < to; at = content.indexOf('\n', at + 1)) feeds++
  return feeds
}
