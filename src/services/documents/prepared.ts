// A document in one format, ready to be cut into pages: what nobody sees is taken out, line by line, so that the lines of
// its outline stay where they are.

import { visibleText, withoutMarks } from '../../lib/visible-text.js'
import { blocksOf, type Block } from './blocks.js'
import { fingerprintOf } from './cursor.js'
import type { Format, Reading } from './extract/extractor.js'

export interface Prepared {
  readonly reading: Reading
  readonly content: string
  readonly blocks: readonly Block[]
  readonly fingerprint: string
}

export function prepare(reading: Reading, format: Format): Prepared {
  const content = reading.content.split('\n').map(visibleLine).join('\n').trimEnd()
  return { reading, content, blocks: blocksOf(content, format), fingerprint: fingerprintOf(content) }
}

function visibleLine(line: string): string {
  return visibleText(withoutMarks(line.replace(/\r$/, ''))).replaceAll('\n', ' ')
}
