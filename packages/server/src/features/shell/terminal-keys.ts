// What the keys of a keyboard send to a program, by name, as xterm does it. Used by type-into-job. Pure.

import { Failure } from '@scorpiox/mcp/errors'

const ESC = '\u001B'

/** Keys that send the same in every mode. */
const PLAIN_KEYS: Readonly<Record<string, string>> = {
  enter: '\r',
  return: '\r',
  tab: '\t',
  'shift+tab': `${ESC}[Z`,
  esc: ESC,
  escape: ESC,
  space: ' ',
  backspace: '\u007F',
  insert: `${ESC}[2~`,
  delete: `${ESC}[3~`,
  pageup: `${ESC}[5~`,
  pagedown: `${ESC}[6~`,
  'ctrl+space': '\0',
  'ctrl+@': '\0',
  'ctrl+[': ESC,
  'ctrl+\\': '\u001C',
  'ctrl+]': '\u001D',
  'ctrl+^': '\u001E',
  'ctrl+_': '\u001F',
  'ctrl+/': '\u001F',
}

/** Keys that send `ESC [ X`, or `ESC O X` if the program has asked for it. */
const CURSOR_KEYS: Readonly<Record<string, string>> = { up: 'A', down: 'B', right: 'C', left: 'D', home: 'H', end: 'F' }

const FUNCTION_KEYS = [
  ...['P', 'Q', 'R', 'S'].map((letter) => `${ESC}O${letter}`),
  ...[15, 17, 18, 19, 20, 21, 23, 24].map((number) => `${ESC}[${number}~`),
]

const MODIFIERS: Readonly<Record<string, number>> = { shift: 1, alt: 2, ctrl: 4 }

/** Throws a Failure that names the known keys. */
export function encodeKey(name: string, usesApplicationCursorKeys: boolean): string {
  const key = normalize(name)
  const encoded = encodeKnownKey(key, usesApplicationCursorKeys)
  if (encoded !== undefined) return encoded
  throw new Failure(
    `Nothing was typed: unknown key ${JSON.stringify(name.slice(0, 40))}. Keys are enter, tab, esc, space, backspace, delete, insert, ` +
      'up, down, left, right, home, end, pageup, pagedown, f1 to f12, ctrl+ or alt+ and a character, and shift+, alt+ or ' +
      'ctrl+ with a cursor key. Put text in input.',
  )
}

/** Also accepts `Ctrl-C`, `C-c`, `^C`, `page_up` and `ArrowUp`. */
function normalize(name: string): string {
  const short = name.trim()
  const isCaret = /^\^.$/.test(short)
  const key = (isCaret ? `ctrl+${short.slice(1)}` : short).toLowerCase()
  return key
    .replace(/^(c|control)[-+](?=.)/, 'ctrl+')
    .replace(/^(m|meta|option)[-+](?=.)/, 'alt+')
    .replace(/^(ctrl|alt|shift)-(?=.)/, '$1+')
    .replace(/(?<=^|\+)arrow(?=up|down|left|right)/, '')
    .replace(/(?<=page)[_ -](?=up|down)/, '')
}

function encodeKnownKey(key: string, usesApplicationCursorKeys: boolean): string | undefined {
  const plain = PLAIN_KEYS[key]
  if (plain !== undefined) return plain
  const cursorKey = CURSOR_KEYS[key]
  if (cursorKey !== undefined) return `${ESC}${usesApplicationCursorKeys ? 'O' : '['}${cursorKey}`
  const [, number] = /^f(\d{1,2})$/.exec(key) ?? []
  if (number !== undefined) return FUNCTION_KEYS[Number(number) - 1]
  const [, letter] = /^ctrl\+([a-z])$/.exec(key) ?? []
  if (letter !== undefined) return String.fromCharCode(letter.charCodeAt(0) & 0x1f)
  return encodeModified(key)
}

function encodeModified(key: string): string | undefined {
  const [, modifier = '', rest = ''] = /^(shift|alt|ctrl)\+(.+)$/su.exec(key) ?? []
  const code = MODIFIERS[modifier]
  if (code === undefined) return undefined
  const cursorKey = CURSOR_KEYS[rest]
  if (cursorKey !== undefined) return `${ESC}[1;${code + 1}${cursorKey}`
  if (modifier !== 'alt') return undefined
  return /^.$/su.test(rest) ? `${ESC}${rest}` : prefixWithEscape(PLAIN_KEYS[rest])
}

function prefixWithEscape(encoded: string | undefined): string | undefined {
  return encoded === undefined ? undefined : `${ESC}${encoded}`
}
