// Extracted text in one format, without invisible characters, with the blocks that pagination must not cut and a
// fingerprint. Line numbers of the outline stay valid.

import { visibleText, withoutMarks } from '../../lib/visible-text.js'
import { blocksOf, type Block } from './blocks.js'
import { fingerprintOf } from './cursor.js'
import type { Format, Reading } from './extract/extractor.js'

export type About = Omit<Reading, 'content'>

export interface Prepared {
  readonly reading: About
  readonly content: string
  readonly blocks: readonly Block[]
  readonly fingerprint: string
}

export function prepare(reading: Reading, format: Format): Prepared {
  const { content: rawContent, ...about } = reading
  const content = visibleText(withoutMarks(normalizeLineBreaks(rawContent))).trimEnd()
  return { reading: about, content, blocks: blocksOf(content, format), fingerprint: fingerprintOf(content) }
}

/** Other line separators become spaces, so that line numbers do not change. */
function normalizeLineBreaks(text: string): string {
  return text.replaceAll('\r\n', '\n').replace(/[\r\u0085\u2028\u2029]/g, ' ')
}
