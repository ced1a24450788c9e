// Formats the matches of a search in a document, by section, each with the fragment or cursor that reads it.

import { oneLine } from '../../lib/one-line.js'
import type { FindResult, FoundSection } from '../../services/documents/find-in-page.js'
import type { About } from '../../services/documents/prepared.js'
import { outlineLines } from './outline.js'
import { untrusted } from './untrusted.js'
import { plural } from './words.js'

const MAX_PATH_CHARS = 200
const MAX_FRAGMENT_CHARS = 120

export function findLines({ sections, total, isPartial }: FindResult, { outline }: About): readonly string[] {
  if (sections.length === 0) {
    const headings = outlineLines(outline)
    return ['No line matches.', ...(headings === '' ? [] : [untrusted(`Outline:\n${headings}`)])]
  }
  const intro = isPartial ? 'No line has all the words; most of them:' : 'Matching:'
  return [`${intro} ${plural(total, 'line', 'lines')}`, untrusted(sections.map(formatFoundSection).join('\n\n'))]
}

export function findNotes({ sections, total, cursor }: FindResult): readonly string[] {
  if (sections.length === 0) return ['Try fewer or other words, or read a section: url#name.']
  const shownLines = sections.reduce((sum, { lines }) => sum + lines.length, 0)
  const more = cursor === '' ? '' : ` ${total - shownLines} more: the same call with cursor: "${cursor}".`
  return [`To read on: url#name, or without find and with the cursor of a match.${more}`]
}

function formatFoundSection({ path, id, cursor, lines }: FoundSection): string {
  const reference = id === '' ? `(cursor ${cursor})` : `#${oneLine(id, MAX_FRAGMENT_CHARS)}`
  const heading = [...(path.length === 0 ? [] : [oneLine(path.join(' > '), MAX_PATH_CHARS)]), reference].join(' ')
  return [heading, ...lines.map(({ line, text }) => `${line}: ${text}`)].join('\n')
}
