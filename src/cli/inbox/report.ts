// The board as plain text, for a script or a quick look.

import type { BoardView } from '../../services/board/view.js'
import type { InboxWords } from './language.js'
import { headline } from './overview.js'
import { sectionsOf } from './sections.js'

export function report(view: BoardView, words: InboxWords, now: number): string {
  const sections = sectionsOf(view, words, now).map(
    ({ title, lines }) => `\n${title}\n${lines.map((each) => `  ${each}`.trimEnd().concat('\n')).join('')}`,
  )
  return `${headline(view, words)}\n${sections.join('')}`
}

/** For programs; a terminal that it is printed on cannot be moved by it either. */
export function reportJson(view: BoardView): string {
  const json = JSON.stringify(view, null, 2).replaceAll(
    /[\u007F-\u009F\u061C\u200E\u200F\u2028-\u202E\u2066-\u2069]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
  return `${json}\n`
}
