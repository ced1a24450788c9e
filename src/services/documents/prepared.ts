// A document in one format, ready to be cut into pages: what nobody sees is taken out, and the lines of its outline
// stay where they are.

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
  const { content: written, ...about } = reading
  const content = visibleText(withoutMarks(sameLines(written))).trimEnd()
  return { reading: about, content, blocks: blocksOf(content, format), fingerprint: fingerprintOf(content) }
}

/** Only what was a line of its own stays one. */
function sameLines(text: string): string {
  return text.replaceAll('\r\n', '\n').replace(/[\r\u0085\u2028\u2029]/g, ' ')
}
