// Carries the colours of a program's output through the renderer of terminal rows, which drops them: each character is
// followed by a mark without width, which stays with it while rows are edited, and afterwards the marks become SGR
// sequences again, each within one line. No other sequence survives. Used by output-stream.ts. Pure.

import { StringDecoder } from 'node:string_decoder'

import { characterWidth } from '@scorpiox/server/text/column-width'
import { applySgr, formatSgr, PLAIN_STYLE, SGR_RESET, type TextStyle } from './text-style.js'

export interface StyleMarks {
  /** Bytes of a program, with a mark after each character that has a style. */
  mark(bytes: Buffer): Buffer
  /** What is left when no more bytes follow. */
  end(): Buffer
  /** Text with marks as text with SGR sequences. `isFinal`: it is not rendered again. */
  toSgr(text: string, isFinal: boolean): string
}

/** Variation selectors that hardly any text has; those in the output of a program are dropped. */
const FIRST_MARK = 0xe0100
const MARKS = 240
const ANY_MARK = /[\u{E0100}-\u{E01EF}]/gu
/** Styles with a mark of one character; of the others it has two. */
const SHORT_MARKS = 200
const MAX_STYLES = SHORT_MARKS + (MARKS - SHORT_MARKS) * MARKS
/** Changes of the style in one part of an output; what follows is plain. Each may take 60 characters. */
const MAX_CHANGES = 50_000

export function createStyleMarks(): StyleMarks {
  const decoder = new StringDecoder()
  const tokens = createTokenizer()
  /** The sequences, by the number of the style; the plain style has none. */
  const sequences: string[] = []
  const marks = new Map<string, string>()
  let style: TextStyle = PLAIN_STYLE
  let current = ''
  /** In final text. */
  let finalChanges = 0

  function markOf(sequence: string): string {
    if (sequence === '') return ''
    const known = marks.get(sequence)
    if (known !== undefined || sequences.length >= MAX_STYLES) return known ?? ''
    const mark = toMark(sequences.length)
    sequences.push(sequence)
    marks.set(sequence, mark)
    return mark
  }

  function markTokens(text: string): Buffer {
    let marked = ''
    for (const { kind, value } of tokens(text)) {
      if (kind === 'text') marked += markText(value.replace(ANY_MARK, ''), current)
      else marked += value
      if (kind !== 'sgr') continue
      style = applySgr(style, value.slice(2, -1))
      current = markOf(formatSgr(style))
    }
    return Buffer.from(marked)
  }

  /** A run of characters with one style becomes one sequence. */
  function toSgr(text: string, isFinal: boolean): string {
    if (text.search(ANY_MARK) === -1) return text
    let result = ''
    let active = ''
    let changes = finalChanges
    for (const { characters, id } of readMarked(text)) {
      const wanted = id === undefined || characters === '\n' || changes >= MAX_CHANGES ? '' : (sequences[id] ?? '')
      if (wanted !== active) {
        if (active !== '') result += SGR_RESET
        result += wanted
        active = wanted
        changes++
      }
      result += characters
    }
    if (isFinal) finalChanges = changes
    return active === '' ? result : result + SGR_RESET
  }

  return { mark: (bytes) => markTokens(decoder.write(bytes)), end: () => markTokens(decoder.end()), toSgr }
}

function toMark(id: number): string {
  if (id < SHORT_MARKS) return String.fromCodePoint(FIRST_MARK + id)
  const rest = id - SHORT_MARKS
  return String.fromCodePoint(FIRST_MARK + SHORT_MARKS + Math.floor(rest / MARKS), FIRST_MARK + (rest % MARKS))
}

function markText(text: string, mark: string): string {
  if (mark === '') return text
  let marked = ''
  for (const character of text) marked += isJoining(character) ? character : character + mark
  return marked
}

/** Combining marks follow the mark of their character. */
function isJoining(character: string): boolean {
  return characterWidth(character.codePointAt(0) ?? 0) === 0
}

interface MarkedCharacter {
  /** One, with those that join it. */
  characters: string
  /** Number of its style; undefined: plain. */
  id: number | undefined
}

function* readMarked(text: string): Generator<MarkedCharacter> {
  let pending: MarkedCharacter | undefined
  let lead: number | undefined
  for (const character of text) {
    const mark = (character.codePointAt(0) ?? 0) - FIRST_MARK
    if (mark >= 0 && mark < MARKS) {
      if (lead === undefined && mark >= SHORT_MARKS) lead = mark
      else {
        if (pending) pending.id = lead === undefined ? mark : SHORT_MARKS + (lead - SHORT_MARKS) * MARKS + mark
        lead = undefined
      }
    } else if (pending && pending.characters !== '\n' && isJoining(character)) pending.characters += character
    else {
      if (pending) yield pending
      pending = { characters: character, id: undefined }
    }
  }
  if (pending) yield pending
}

interface Token {
  /** `other`: a control code or a sequence, and everything in a control string. */
  readonly kind: 'text' | 'sgr' | 'other'
  readonly value: string
}

/* oxlint-disable no-control-regex -- this is about control characters */
/** Sequences end where those of the renderer do, also invalid ones, so that no mark gets into one. */
const TOKEN =
  /(?<text>[^\0-\u001F\u007F-\u009F]+)|(?<string>\u001B[\]P_^X])|(?<csi>\u001B\[(?:[ -?]{256}|[ -?]{0,255}[@-~]?))|\u001B(?:[ -/]{256}|[ -/]{0,255}[0-~]?)|[^]/gy
const INCOMPLETE = /\u001B(?:\[[ -?]{0,255}|[ -/]{0,255})$/
const SGR = /^\u001B\[[\d;:]*m$/
/** An operating system command also ends at a bell or at the end of the line. */
const STRING_ENDS = { command: /[\u0007\n\u0018\u001A\u001B]/g, other: /[\u0018\u001A\u001B]/g }
/* oxlint-enable no-control-regex */

function createTokenizer(): (text: string) => Generator<Token> {
  let carried = ''
  let openString: keyof typeof STRING_ENDS | undefined

  return function* readTokens(text) {
    const all = carried + text
    carried = INCOMPLETE.exec(all)?.[0] ?? ''
    const end = all.length - carried.length
    for (let at = 0; at < end;) {
      if (openString) {
        const pattern = STRING_ENDS[openString]
        pattern.lastIndex = at
        const found = pattern.exec(all)
        const stop = found === null ? end : Math.min(found.index, end)
        if (found) openString = undefined
        yield { kind: 'other', value: all.slice(at, stop) }
        at = stop
        continue
      }
      TOKEN.lastIndex = at
      const token = TOKEN.exec(all)
      if (!token) return
      at = TOKEN.lastIndex
      const [value] = token
      const { text: plain, string, csi } = token.groups ?? {}
      if (string !== undefined) openString = string.endsWith(']') ? 'command' : 'other'
      yield { kind: plain !== undefined ? 'text' : csi !== undefined && SGR.test(csi) ? 'sgr' : 'other', value }
    }
  }
}
