// A line of text that is being typed: its characters, its cursor, and the keys that change it. Used by
// bottom-prompt.ts. In memory only.

import { toPrintableText } from '@scorpiox/server/terminal/text-layout'
import { textWidth } from '@scorpiox/server/text/column-width'
import type { Key } from './keys.js'

export interface TextField {
  readonly text: string
  /** Whether the key was used. */
  press(key: Key): boolean
  /** The part that fits, and the column of the cursor in it. */
  view(columns: number, isSecret: boolean): { readonly text: string; readonly column: number }
}

const MAX_CHARACTERS = 20_000
const SECRET_CHARACTER = '*'

export function createTextField(initial: string): TextField {
  let characters = splitCharacters(initial)
  let at = characters.length

  /** Of pasted lines, the line breaks at the end are dropped and the others become spaces. Terminals paste them as CR. */
  function insert(text: string): void {
    const lines = toPrintableText(text.replaceAll(/\r\n?/g, '\n'))
      .split('\n')
      .filter((line, index) => index === 0 || line !== '')
    const typed = splitCharacters(lines.join(' ').replaceAll(/\t+/g, ' '))
    if (characters.length + typed.length > MAX_CHARACTERS) return
    // A combining character joins the one before it.
    const before = splitCharacters([...characters.slice(0, at), ...typed].join(''))
    characters = [...before, ...characters.slice(at)]
    at = before.length
  }

  function remove(from: number, to: number): void {
    characters = characters.toSpliced(from, to - from)
    at = from
  }

  function wordStart(): number {
    let start = at
    while (start > 0 && characters[start - 1] === ' ') start--
    while (start > 0 && characters[start - 1] !== ' ') start--
    return start
  }

  const actions: Readonly<Record<string, () => void>> = {
    left: () => (at = Math.max(0, at - 1)),
    right: () => (at = Math.min(characters.length, at + 1)),
    home: () => (at = 0),
    end: () => (at = characters.length),
    'ctrl+a': () => (at = 0),
    'ctrl+e': () => (at = characters.length),
    backspace: () => remove(Math.max(0, at - 1), at),
    delete: () => remove(at, Math.min(characters.length, at + 1)),
    'ctrl+u': () => remove(0, at),
    'ctrl+k': () => remove(at, characters.length),
    'ctrl+w': () => remove(wordStart(), at),
  }

  return {
    get text() {
      return characters.join('')
    },
    press({ name, text }) {
      const action = actions[name]
      if (!action && text === '') return false
      if (action) action()
      else insert(text)
      return true
    },
    view(columns, isSecret) {
      const shown = isSecret ? characters.map(() => SECRET_CHARACTER) : characters
      let from = at
      let width = 0
      while (from > 0 && width + textWidth(shown[from - 1] ?? '') < columns) width += textWidth(shown[--from] ?? '')
      let to = at
      let total = width
      while (to < shown.length && total + textWidth(shown[to] ?? '') <= columns) total += textWidth(shown[to++] ?? '')
      return { text: shown.slice(from, to).join(''), column: width }
    },
  }
}

const SEGMENTER = new Intl.Segmenter()

function splitCharacters(text: string): readonly string[] {
  return Array.from(SEGMENTER.segment(text), ({ segment }) => segment)
}
