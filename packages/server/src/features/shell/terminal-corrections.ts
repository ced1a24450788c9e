// Corrects where @xterm/headless differs from xterm: the cursor after the last column when it is restored, margins of
// the alternate screen, the blank of the line drawing characters, and the switch to 132 columns. Used by
// terminal-screen. Uses private parts of the library, whose version is pinned, and does nothing if they are unknown. No
// I/O.

import type { Terminal } from '@xterm/headless'

const COLUMN_MODE = 3
const CLEARS_SCREEN: SequenceParameters = { params: [2], length: 1 }
const WHOLE_SCREEN: SequenceParameters = { params: [], length: 0 }

export function correctTerminal(terminal: Terminal): void {
  const handler = findInputHandler(terminal)
  if (!handler) return
  const { parser } = terminal
  let isWide = false

  /** The library moves a cursor that is about to wrap back into the last column. */
  function restoreCursor(): boolean {
    handler?.restoreCursor()
    // Recordings of both kinds of terminals agree on this.
    if (terminal.buffer.active.type === 'alternate') keepPendingWrap()
    return true
  }
  function keepPendingWrap(): void {
    const buffer = handler?._activeBuffer
    if (buffer && buffer.savedX === terminal.cols) buffer.x = terminal.cols
  }

  /** A program that asks for 132 columns gets an empty screen without margins, of the width that there is. */
  function setColumnMode(wide: boolean): void {
    if (wide || isWide) {
      handler?.eraseInDisplay(CLEARS_SCREEN)
      handler?.setScrollRegion(WHOLE_SCREEN)
    }
    isWide = wide
  }

  function setModes(modes: readonly (number | number[])[], isOn: boolean): boolean {
    if (!handler) return false
    const before = handler._activeBuffer
    const { scrollTop, scrollBottom } = before
    const params = modes.flat()
    if (isOn) handler.setModePrivate({ params, length: params.length })
    else handler.resetModePrivate({ params, length: params.length })
    const after = handler._activeBuffer
    // The screens share their margins.
    if (after !== before) [after.scrollTop, after.scrollBottom] = [scrollTop, scrollBottom]
    if (!isOn && params.some((mode) => mode === 1048 || mode === 1049)) keepPendingWrap()
    if (params.includes(COLUMN_MODE)) setColumnMode(isOn)
    return true
  }

  parser.registerEscHandler({ final: '8' }, restoreCursor)
  parser.registerCsiHandler({ final: 'u' }, restoreCursor)
  parser.registerCsiHandler({ prefix: '?', final: 'h' }, (modes) => setModes(modes, true))
  parser.registerCsiHandler({ prefix: '?', final: 'l' }, (modes) => setModes(modes, false))
  for (const set of ['(', ')', '*', '+'])
    parser.registerEscHandler({ intermediates: set, final: '0' }, () => {
      handler.selectCharset(`${set}0`)
      const { charset } = handler._charsetService
      if (charset?.['q'] === '─') charset['_'] ??= ' '
      return true
    })
}

interface SequenceParameters {
  readonly params: readonly number[]
  readonly length: number
}

/** What is used of the inside of the library. */
interface InputHandler {
  readonly _activeBuffer: { x: number; savedX: number; scrollTop: number; scrollBottom: number }
  readonly _charsetService: { readonly charset?: Record<string, string> | undefined }
  restoreCursor(): boolean
  setModePrivate(modes: SequenceParameters): boolean
  resetModePrivate(modes: SequenceParameters): boolean
  eraseInDisplay(parameters: SequenceParameters): boolean
  setScrollRegion(parameters: SequenceParameters): boolean
  selectCharset(name: string): boolean
}

const METHODS = ['restoreCursor', 'setModePrivate', 'resetModePrivate', 'eraseInDisplay', 'setScrollRegion'] as const

function findInputHandler(terminal: object): InputHandler | undefined {
  const core = memberOf(terminal, '_core')
  const handler = memberOf(core, '_inputHandler')
  return isInputHandler(handler) ? handler : undefined
}

function isInputHandler(value: unknown): value is InputHandler {
  return (
    [...METHODS, 'selectCharset'].every((name) => typeof memberOf(value, name) === 'function') &&
    ['x', 'savedX', 'scrollTop', 'scrollBottom'].every(
      (name) => typeof memberOf(memberOf(value, '_activeBuffer'), name) === 'number',
    ) &&
    typeof memberOf(value, '_charsetService') === 'object'
  )
}

function memberOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined
}
