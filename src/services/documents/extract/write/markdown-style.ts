// Markdown as GitHub reads it. What is escaped is only what would be read as markup where it stands.

import { joinedLines } from '../ends.js'
import { subscript, superscript } from './raised.js'
import type { Style } from './style.js'

export const MARKDOWN: Style = {
  text: escape,
  paragraph: (text) =>
    text
      .replace(/^(#{1,6}(?=\s|$)|>|[-+](?=\s)|={3,}$|-{3,}$)/gm, '\\$1')
      .replace(/^(\d{1,9})([.)])(?=\s)/gm, '$1\\$2'),
  heading: (level, text) => `${'#'.repeat(level)} ${text}`,
  strong: (text) => `**${text}**`,
  emphasis: (text) => `*${text}*`,
  strike: (text) => `~~${text}~~`,
  code: inlineCode,
  link: (text, address) => `[${text}](${destination(address)})`,
  image: (alt, address) => `![${alt.replace(/[[\]]/g, '\\$&')}](${destination(address)})`,
  math: (tex, isDisplay) => (isDisplay ? `$$\n${tex}\n$$` : `$${tex}$`),
  superscript,
  subscript,
  codeBlock: fenced,
  quote: (text) => quoted(text),
  callout: (kind, title, text) => quoted(`[!${kind}]${title === '' ? '' : `\n**${title}**`}\n${text}`.trim()),
  footnoteMark: (label) => `[^${label}]`,
  footnote: (label, text) => `[^${label}]: ${text.replaceAll('\n', '\n    ').replace(/^ +$/gm, '')}`,
  table,
  cellBreak: '<br>',
  lineBreak: '\\\n',
  rule: '---',
}

function escape(text: string): string {
  if (!/[\\`*_~\]<&]/.test(text)) return text
  return text
    .replace(/\\(?=[!-/:-@[-`{-~])/g, '\\\\')
    .replace(/`/g, '\\`')
    .replace(/\*(?=\S)|(?<=\S)\*/g, '\\*')
    .replace(/(?<![\p{L}\p{N}])_(?=\S)|(?<=\S)_(?![\p{L}\p{N}])/gu, '\\_')
    .replace(/~~/g, '\\~~')
    .replace(/\](?=[([])/g, '\\]')
    .replace(/<(?=[a-z/!?])/gi, '\\<')
    .replace(/&(?=#?\w{1,31};)/g, '\\&')
}

function inlineCode(text: string): string {
  const fence = '`'.repeat(longestRun(text) + 1)
  const padded = text.startsWith('`') || text.endsWith('`') ? ` ${text} ` : text
  return `${fence}${padded}${fence}`
}

function fenced(code: string, language: string): string {
  const fence = '`'.repeat(Math.max(3, longestRun(code) + 1))
  return `${fence}${language}\n${code}\n${fence}`
}

function longestRun(text: string): number {
  let longest = 0
  for (const [run] of text.matchAll(/`+/g)) longest = Math.max(longest, run.length)
  return longest
}

function destination(address: string): string {
  const plain = address.replace(/[\s<>]/g, (sign) => encodeURIComponent(sign))
  return /[()]/.test(plain) ? plain.replaceAll('(', '%28').replaceAll(')', '%29') : plain
}

function quoted(text: string): string {
  return text.replace(/^/gm, '> ').replace(/^> $/gm, '>')
}

/** In a larger table, short rows stay short: one long row would make all of them long. */
const MOST_CELLS = 200_000

function table(rows: readonly (readonly string[])[], hasHeader: boolean): string {
  const width = rows.reduce((most, row) => Math.max(most, row.length), 0)
  const isPadded = rows.length * width <= MOST_CELLS
  const line = (row: readonly string[], length = isPadded ? width : row.length) =>
    `|${row.map((text) => ` ${cell(text)} |`).join('')}${' |'.repeat(length - row.length)}`.replace(/ {2,}/g, ' ')
  const [first = [], ...rest] = hasHeader ? rows : [[], ...rows]
  return [line(first, width), `|${' --- |'.repeat(width)}`, ...rest.map((row) => line(row))].join('\n')
}

function cell(text: string): string {
  return joinedLines(text.replace(/\\?\|/g, '\\|'), '<br>')
}
