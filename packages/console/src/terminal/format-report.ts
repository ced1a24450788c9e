// Formats the view as text or JSON for a single output.

import type { ConsoleView } from '../view.js'
import { formatSections } from './format-view.js'
import type { InboxTranslator } from './inbox-translator.js'
import { formatHeadline } from './menu.js'

export function formatReport(view: ConsoleView, translator: InboxTranslator, now: number): string {
  const sections = formatSections(view, translator, now).map(
    ({ title, lines }) => `\n${title}\n${lines.map((row) => `  ${row}`.trimEnd().concat('\n')).join('')}`,
  )
  return `${formatHeadline(view, translator)}\n${sections.join('')}`
}

/** Escapes characters that would affect a terminal. */
export function formatReportJson(view: ConsoleView): string {
  const json = JSON.stringify(view, null, 2).replaceAll(
    /[\u007F-\u009F\u061C\u200E\u200F\u2028-\u202E\u2066-\u2069]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
  return `${json}\n`
}
