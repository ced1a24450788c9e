// The output syntax of GitHub-flavored Markdown. Escapes only characters that would be markup at their position. Used by
// write-page. Pure.

import { joinLines } from '../dom/trim-text.js'
import { type OutputSyntax, subscript, superscript } from './output-syntax.js'

export const MARKDOWN_SYNTAX: OutputSyntax = {
  text: escapeMarkdown,
  paragraph: (text) =>
    text
      .replace(/^(#{1,6}(?=\s|$)|>|[-+](?=\s)|={3,}$|-{3,}$)/gm, '\\$1')
      .replace(/^(\d{1,9})([.)])(?=\s)/gm, '$1\\$2'),
  heading: (level, text) => `${'#'.repeat(level)} ${text}`,
  strong: (text) => `**${text}**`,
  emphasis: (text) => `*${text}*`,
  strike: (text) => `~~${text}~~`,
  code: inlineCode,
  link: (text, address) => `[${text}](${encodeDestination(address)})`,
  image: (alt, address) => `![${alt.replace(/[[\]]/g, '\\$&')}](${encodeDestination(address)})`,
  math: (tex, isDisplay) => (isDisplay ? `$$\n${tex}\n$$` : `$${tex}$`),
  superscript,
  subscript,
  codeBlock: fenceCode,
  quote: (text) => quoteLines(text),
  callout: (kind, title, text) => quoteLines(`[!${kind}]${title === '' ? '' : `\n**${title}**`}\n${text}`.trim()),
  footnoteReference: (label) => `[^${label}]`,
  footnote: (label, text) => `[^${label}]: ${text.replaceAll('\n', '\n    ').replace(/^ +$/gm, '')}`,
  table: formatTable,
  cellBreak: '<br>',
  lineBreak: '\\\n',
  rule: '---',
}

function escapeMarkdown(text: string): string {
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

function fenceCode(code: string, language: string): string {
  const fence = '`'.repeat(Math.max(3, longestRun(code) + 1))
  return `${fence}${language}\n${code}\n${fence}`
}

function longestRun(text: string): number {
  let longest = 0
  for (const [run] of text.matchAll(/`+/g)) longest = Math.max(longest, run.length)
  return longest
}

function encodeDestination(address: string): string {
  const plain = address.replace(/[\s<>]/g, (character) => encodeURIComponent(character))
  return /[()]/.test(plain) ? plain.replaceAll('(', '%28').replaceAll(')', '%29') : plain
}

function quoteLines(text: string): string {
  return text.replace(/^/gm, '> ').replace(/^> $/gm, '>')
}

/** In larger tables short rows are not padded, because one long row would lengthen all of them. */
const MAX_PADDED_CELLS = 200_000

function formatTable(rows: readonly (readonly string[])[], hasHeader: boolean): string {
  const width = rows.reduce((max, row) => Math.max(max, row.length), 0)
  const isPadded = rows.length * width <= MAX_PADDED_CELLS
  const formatRow = (row: readonly string[], length = isPadded ? width : row.length) =>
    `|${row.map((text) => ` ${formatCell(text)} |`).join('')}${' |'.repeat(length - row.length)}`.replace(/ {2,}/g, ' ')
  const [first = [], ...rest] = hasHeader ? rows : [[], ...rows]
  return [formatRow(first, width), `|${' --- |'.repeat(width)}`, ...rest.map((row) => formatRow(row))].join('\n')
}

function formatCell(text: string): string {
  return joinLines(text.replace(/\\?\|/g, '\\|'), '<br>')
}
