// The text of a search in a document: the matching lines by section, each section with what reads it.

import { oneLine } from '../../lib/one-line.js'
import type { FindResult, FoundSection } from '../../services/documents/find-in-page.js'
import type { About } from '../../services/documents/prepared.js'
import { outlineLines } from './outline.js'
import { untrusted } from './untrusted.js'
import { plural } from './words.js'

const MAX_PATH = 200
const MAX_ID = 120

export function findLines({ sections, total, isPartial }: FindResult, { outline }: About): readonly string[] {
  if (sections.length === 0) {
    const names = outlineLines(outline)
    return ['No line matches.', ...(names === '' ? [] : [untrusted(`Outline:\n${names}`)])]
  }
  const said = isPartial ? 'No line has all the words; most of them:' : 'Matching:'
  return [`${said} ${plural(total, 'line', 'lines')}`, untrusted(sections.map(sectionLines).join('\n\n'))]
}

export function findNotes({ sections, total, cursor }: FindResult): readonly string[] {
  if (sections.length === 0) return ['Try fewer or other words, or read a section: url#name.']
  const shown = sections.reduce((sum, { lines }) => sum + lines.length, 0)
  const more = cursor === '' ? '' : ` ${total - shown} more: the same call with cursor: "${cursor}".`
  return [`To read on: url#name, or without find and with the cursor of a match.${more}`]
}

function sectionLines({ path, id, cursor, lines }: FoundSection): string {
  const name = id === '' ? `(cursor ${cursor})` : `#${oneLine(id, MAX_ID)}`
  const head = [...(path.length === 0 ? [] : [oneLine(path.join(' > '), MAX_PATH)]), name].join(' ')
  return [head, ...lines.map(({ line, text }) => `${line}: ${text}`)].join('\n')
}
