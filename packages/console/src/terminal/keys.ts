// Splits the input of a terminal into keys and pasted text. A key that arrives in two parts, as over a slow connection,
// is one key. Used by full-screen.ts. Sets timers.

import { StringDecoder } from 'node:string_decoder'

export interface Key {
  /** A name such as `up`, `enter` or `ctrl+c`, or the character itself. */
  readonly name: string
  /** What is typed by it; empty for a key without a character. */
  readonly text: string
}

export interface KeyDecoder {
  receive(bytes: Uint8Array): void
  close(): void
}

/** How long the rest of a key may take. */
const REST_OF_KEY_MS = 40

const PASTE_START = '\u001B[200~'
const PASTE_END = '\u001B[201~'
const CTRL_C = '\u0003'

// oxlint-disable-next-line no-control-regex -- keys consist of control characters
const KEY = /\u001B(?:\[[\d;:?<>=]*[ -/]*[@-~]|O[^\p{Cc}])?|\P{Cc}|\p{Cc}/gsu
// oxlint-disable-next-line no-control-regex -- keys consist of control characters
const INCOMPLETE = /\u001B(?:\[[\d;:?<>=]*[ -/]*|O)?$/

export function createKeyDecoder(onKey: (key: Key) => void): KeyDecoder {
  const decoder = new StringDecoder()
  let unread = ''
  let pasted: string | undefined
  let timer: NodeJS.Timeout | undefined

  function decode(isComplete: boolean): void {
    while (unread !== '') {
      if (pasted !== undefined && !readPasted()) return
      const start = unread.indexOf(PASTE_START)
      const typed = start === -1 ? unread : unread.slice(0, start)
      const rest = start === -1 && !isComplete ? (INCOMPLETE.exec(typed)?.[0] ?? '') : ''
      unread = start === -1 ? rest : unread.slice(start + PASTE_START.length)
      if (start !== -1) pasted = ''
      for (const [sequence] of typed.slice(0, typed.length - rest.length).matchAll(KEY)) onKey(toKey(sequence))
      if (rest !== '') return
    }
  }

  /** Whether the paste has ended. */
  function readPasted(): boolean {
    const end = unread.indexOf(PASTE_END)
    const kept = end === -1 ? unread.length - partialEnd(unread) : end
    pasted += unread.slice(0, kept)
    unread = unread.slice(end === -1 ? kept : end + PASTE_END.length)
    if (end === -1) return false
    onKey({ name: 'paste', text: pasted ?? '' })
    pasted = undefined
    return true
  }

  return {
    receive(bytes) {
      clearTimeout(timer)
      const text = decoder.write(Buffer.from(bytes))
      // Also in a paste whose end never came.
      if (text === CTRL_C) return onKey(toKey(text))
      unread += text
      decode(false)
      if (unread !== '' && pasted === undefined) timer = setTimeout(() => decode(true), REST_OF_KEY_MS)
    },
    close: () => clearTimeout(timer),
  }
}

/** Characters at the end that may begin the end of a paste. */
function partialEnd(text: string): number {
  for (let length = PASTE_END.length - 1; length > 0; length--) {
    if (text.endsWith(PASTE_END.slice(0, length))) return length
  }
  return 0
}

const CONTROLS: Readonly<Record<string, string>> = {
  '\r': 'enter',
  '\n': 'enter',
  '\t': 'tab',
  '\u001B': 'escape',
  '\u007F': 'backspace',
  '\b': 'backspace',
}

/** By the last character of the sequence, or by its number. */
const SEQUENCES: Readonly<Record<string, string>> = {
  A: 'up',
  B: 'down',
  C: 'right',
  D: 'left',
  H: 'home',
  F: 'end',
  M: 'enter',
  Z: 'shift+tab',
  '1~': 'home',
  '3~': 'delete',
  '4~': 'end',
  '5~': 'pageup',
  '6~': 'pagedown',
  '7~': 'home',
  '8~': 'end',
}

const MODIFIERS: Readonly<Record<string, string>> = { '2': 'shift+', '3': 'alt+', '5': 'ctrl+' }

function toKey(sequence: string): Key {
  const control = CONTROLS[sequence]
  if (control !== undefined) return { name: control, text: '' }
  // oxlint-disable-next-line no-control-regex -- keys consist of control characters
  const [, number = '', modifier = '', last = ''] = /^\u001B[[O](\d*)(?:;(\d+))?(.)$/u.exec(sequence) ?? []
  const name = SEQUENCES[last === '~' ? `${number}~` : last]
  if (sequence.startsWith('\u001B')) return { name: `${MODIFIERS[modifier] ?? ''}${name ?? 'unknown'}`, text: '' }
  const code = sequence.codePointAt(0) ?? 0
  if (code < 32) return { name: `ctrl+${String.fromCodePoint(code + 96)}`, text: '' }
  return { name: sequence === ' ' ? 'space' : sequence, text: code < 160 && code > 126 ? '' : sequence }
}
