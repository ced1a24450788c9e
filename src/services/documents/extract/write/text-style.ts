// Plain text that keeps the structure: lists have their signs, tables their columns, code its lines.

import { subscript, superscript } from './raised.js'
import type { Style } from './style.js'

export const TEXT: Style = {
  text: same,
  paragraph: same,
  heading: (_, text) => text,
  strong: same,
  emphasis: same,
  strike: same,
  code: same,
  link: same,
  image: () => '',
  math: same,
  superscript,
  subscript,
  codeBlock: same,
  quote: (text) => text.replace(/^(?=.)/gm, '  '),
  callout: (kind, title, text) => `${title === '' ? kind[0] + kind.slice(1).toLowerCase() : title}:\n${text}`,
  footnoteMark: (label) => `[${label}]`,
  footnote: (label, text) => `[${label}] ${text}`,
  table: (rows) => rows.map((row) => row.map((cell) => cell.replace(/\s+/g, ' ')).join(' | ')).join('\n'),
  cellBreak: ' ',
  lineBreak: '\n',
  rule: '',
}

function same(text: string): string {
  return text
}
