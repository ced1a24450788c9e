// Filters the output of a program for a person's display, whether a terminal or the page: what draws text is passed on,
// and everything else is dropped. So a program can neither reach the clipboard, the title or links, nor make the
// display answer in the person's name. Sequences may be split anywhere. Used by terminal-stream. Pure.

export interface TerminalOutputFilter {
  push(text: string): string
}

/** A sequence longer than this is dropped. */
const MAX_SEQUENCE = 256

/* oxlint-disable no-control-regex -- this is about control characters */
const TOKEN =
  /(?<text>[^\0-\u001F\u007F-\u009F]+)|(?<csi>\u001B\[[0-?]*[ -/]*[@-~])|(?<string>\u001B[\]P_^X])|(?<escape>\u001B[ -/]*[0-~])|(?<control>[\0-\u001F\u007F-\u009F])/gy
const INCOMPLETE = /\u001B(?:\[[0-?]*)?[ -/]*$/
const STRING_END = /[\u0007\u0018\u001A\u009C]|\u001B/g
/* oxlint-enable no-control-regex */

export function createTerminalOutputFilter(): TerminalOutputFilter {
  let carried = ''
  let isInString = false

  /** Where text begins again; the end of `all` if the string is not over. */
  function skipString(all: string, from: number): number {
    STRING_END.lastIndex = from
    const end = STRING_END.exec(all)
    if (!end) return all.length
    const isEscape = end[0] === '\u001B'
    if (isEscape && end.index + 1 === all.length) return end.index
    isInString = false
    if (!isEscape) return end.index + 1
    // Any other sequence begins: it ends the string, too.
    return all[end.index + 1] === '\\' ? end.index + 2 : end.index
  }

  return {
    push(text) {
      const all = carried + text
      const incomplete = INCOMPLETE.exec(all)?.[0] ?? ''
      carried = incomplete.length > MAX_SEQUENCE ? '' : incomplete
      const complete = all.slice(0, all.length - incomplete.length)
      let passed = ''
      for (let at = 0; at < complete.length;) {
        if (isInString) {
          at = skipString(complete, at)
          continue
        }
        TOKEN.lastIndex = at
        const token = TOKEN.exec(complete)
        if (!token) break
        at = TOKEN.lastIndex
        isInString = token.groups?.string !== undefined
        passed += filterToken(token.groups ?? {})
      }
      return passed
    },
  }
}

type TokenGroups = Readonly<Partial<Record<'text' | 'csi' | 'escape' | 'control', string>>>

/** Bell, backspace, tab, line feeds, carriage return and the switches between character sets. */
const CONTROLS = '\u0007\b\t\n\u000B\f\r\u000E\u000F'
/** Character sets, saved cursor, keypad, index, tab stop, reset. */
// oxlint-disable-next-line no-control-regex -- sequences begin with ESC
const ESCAPES = /^\u001B(?:[()*+][0-2AB]|#[3-68]|[78=>DEHMNOc])$/

function filterToken({ text, csi, escape, control }: TokenGroups): string {
  if (text !== undefined) return text
  if (csi !== undefined) return filterCsi(csi)
  if (escape !== undefined) return ESCAPES.test(escape) ? escape : ''
  return control !== undefined && CONTROLS.includes(control) ? control : ''
}

/** Moves, erases, inserts, deletes, scrolls, tabs, colours, ANSI modes, margins, repeats. */
// oxlint-disable-next-line no-control-regex -- sequences begin with ESC
const DRAWING = /^\u001B\[[\d;:]*[@-MPSTXZ`abdefghlmrsu]$/
/** Selective erase, style of the cursor, soft reset, protected characters. */
// oxlint-disable-next-line no-control-regex -- sequences begin with ESC
const OTHER_DRAWING = /^\u001B\[(?:\?\d*[JK]|\d* q|!p|\d*"q)$/
// oxlint-disable-next-line no-control-regex -- sequences begin with ESC
const PRIVATE_MODE = /^\u001B\[\?(?<modes>[\d;]+)(?<action>[hl])$/
/** Keys, screen, cursor, mouse, paste. Not those by which a terminal reports focus or its colours. */
const PRIVATE_MODES: ReadonlySet<string> = new Set(
  '1 5 6 7 12 25 45 47 66 69 1000 1002 1003 1006 1047 1048 1049 2004 2026'.split(' '),
)

function filterCsi(sequence: string): string {
  if (DRAWING.test(sequence) || OTHER_DRAWING.test(sequence)) return sequence
  const { modes = '', action = '' } = PRIVATE_MODE.exec(sequence)?.groups ?? {}
  const allowed = modes.split(';').filter((mode) => PRIVATE_MODES.has(mode))
  return allowed.length === 0 ? '' : `\u001B[?${allowed.join(';')}${action}`
}
