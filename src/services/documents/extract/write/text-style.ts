// Plain-text syntax: no markup, but lists keep their bullets, tables their columns and code its lines.

import { subscript, superscript } from './raised.js'
import type { Style } from './style.js'

export const TEXT: Style = {
  text: identity,
  paragraph: identity,
  heading: (_, text) => text,
  strong: identity,
  emphasis: identity,
  strike: identity,
  code: identity,
  link: identity,
  image: () => '',
  math: identity,
  superscript,
  subscript,
  codeBlock: identity,
  quote: (text) => text.replace(/^(?=.)/gm, '  '),
  callout: (kind, title, text) => `${title === '' ? kind[0] + kind.slice(1).toLowerCase() : title}:\n${text}`,
  footnoteMark: (label) => `[${label}]`,
  footnote: (label, text) => `[${label}] ${text}`,
  table: (rows) => rows.map((row) => row.map((cell) => cell.replace(/\s+/g, ' ')).join(' | ')).join('\n'),
  cellBreak: ' ',
  lineBreak: '\n',
  rule: '',
}

function identity(text: string): string {
  return text
}
