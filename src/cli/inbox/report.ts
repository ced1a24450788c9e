// Formats the view as text or JSON for a single output.

import type { BoardView } from '../../services/board/view.js'
import type { InboxWords } from './language.js'
import { headline } from './overview.js'
import { sectionsOf } from './sections.js'

export function report(view: BoardView, translator: InboxWords, now: number): string {
  const sections = sectionsOf(view, translator, now).map(
    ({ title, lines }) => `\n${title}\n${lines.map((row) => `  ${row}`.trimEnd().concat('\n')).join('')}`,
  )
  return `${headline(view, translator)}\n${sections.join('')}`
}

/** Escapes characters that would affect a terminal. */
export function reportJson(view: BoardView): string {
  const json = JSON.stringify(view, null, 2).replaceAll(
    /[\u007F-\u009F\u061C\u200E\u200F\u2028-\u202E\u2066-\u2069]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
  return `${json}\n`
}
