// The alternate screen of the terminal: draws frames, of which only changed rows are written, reads keys, hands the
// terminal to other programs, and restores it however the process ends. Created by inbox-command.ts, used by the
// screens of the inbox.

import { SIGHUP_EXIT_CODE, type TerminalStreams, waitForStopSignal } from '@scorpiox/server/terminal/terminal'
import { toPrintableText } from '@scorpiox/server/terminal/text-layout'
import { createKeyDecoder, type Key } from './keys.js'

/** Pasted text is bracketed, so that it is not read as keys. The cursor stays in the last column of a full row. */
const ENTER = '\u001B[?1049h\u001B[?25l\u001B[?2004h\u001B[?7l\u001B[H\u001B[2J'
const LEAVE = '\u001B[?2004l\u001B[?7h\u001B[?25h\u001B[0m\u001B[?1049l'
const SHOW_CURSOR = '\u001B[?25h'
const HIDE_CURSOR = '\u001B[?25l'
const CLEAR_ROW = '\u001B[0m\u001B[2K'

/** What a program may have set while the terminal was passed through to it; the cursor goes below what it has printed. */
const RESET_MODES =
  '\u001B[?1049l\u001B[!p\u001B[?1000;1002;1003;1006;2004;1;5;6;69l\u001B[?7;25h\u001B[4l\u001B>\u001B[r\u001B[0m\u001B(B\u000F\u001B[999;1H\r\n'

const INTERRUPTED = 130

export interface FullScreen {
  columns(): number
  rows(): number
  /** Shows a frame: rows of at most the width of the screen, from the top. */
  draw(rows: readonly string[], cursor?: ScreenPosition): void
  /** Prints on the main screen, where text stays and can be scrolled. The next frame returns to the other one. */
  printOnMainScreen(text: string): void
  /** Writes a sequence that moves nothing, such as the bell. */
  signal(sequence: string): void
  /** Ctrl+C and Ctrl+D end the inbox and are not reported. */
  onKey(listener: (key: Key) => void): void
  /** Also when the terminal is back after it was suspended. One listener at a time. */
  onResize(listener: () => void): () => void
  /** Runs a program that uses the terminal itself, such as an editor. */
  runOutside<T>(work: () => Promise<T>): Promise<T>
  /** Leaves the terminal to a program elsewhere: keys as they come, output as it is. Restores it afterwards. */
  passThrough<T>(work: (raw: RawTerminal) => Promise<T>): Promise<T>
  /** Resolves with the exit code after Ctrl+C, Ctrl+D, a closed terminal or a signal. */
  readonly exited: Promise<number>
  /** Restores the terminal. */
  restore(): void
}

/** Counted from 0. */
export interface ScreenPosition {
  readonly row: number
  readonly column: number
}

/** The terminal while it is passed through. */
export interface RawTerminal {
  /** Resolves when it is written. */
  write(text: string): Promise<void>
  onInput(listener: (bytes: Buffer) => void): void
}

export function openFullScreen({ input, output }: TerminalStreams): FullScreen {
  let keyListener: ((key: Key) => void) | undefined
  const decoder = createKeyDecoder(onKey)
  /** Undefined: what is on the screen is unknown. */
  let shown: readonly string[] | undefined
  let shownPlace = ''
  let isOnMainScreen = false
  let isPassedThrough = false
  let isOutside = false
  let resizeListener: (() => void) | undefined
  let hasEnded = false
  let resolveExited: ((exitCode: number) => void) | undefined
  const exited = new Promise<number>((resolve) => (resolveExited = resolve))

  function onKey(key: Key): void {
    if (key.name === 'ctrl+c') exit(INTERRUPTED)
    else if (key.name === 'ctrl+d') exit(0)
    else if (key.name === 'ctrl+z') suspend()
    else if (!hasEnded) keyListener?.(key)
  }

  /** Stops the process group, as a terminal does whose mode is not raw. */
  function suspend(): void {
    if (hasEnded || process.platform === 'win32') return
    leave()
    ignoreErrors(() => input.setRawMode(false))
    process.kill(0, 'SIGTSTP')
    // It was not stopped if there is no shell that could continue it.
    setImmediate(resume)
  }

  /** The shell has set the mode of the terminal, and has printed. */
  function resume(): void {
    if (hasEnded || isOutside) return
    ignoreErrors(() => input.setRawMode(false))
    ignoreErrors(() => input.setRawMode(true))
    if (isPassedThrough) return
    leave()
    resizeListener?.()
  }

  function exit(exitCode: number): void {
    hasEnded = true
    resolveExited?.(exitCode)
  }

  function write(text: string): void {
    if (!output.destroyed) output.write(text)
  }

  function leave(): void {
    if (!isOnMainScreen) write(LEAVE)
    isOnMainScreen = true
    shown = undefined
  }

  function restore(): void {
    process.off('exit', restore)
    process.off('SIGCONT', resume)
    hasEnded = true
    decoder.close()
    input.off('data', receive)
    if (isOnMainScreen) write(SHOW_CURSOR)
    else write(LEAVE)
    if (isPassedThrough) write(RESET_MODES)
    // The mode of a closed terminal cannot be set.
    if (!input.destroyed) ignoreErrors(() => input.setRawMode(false))
    input.pause()
  }

  const columns = (): number => output.columns || 80
  const rows = (): number => output.rows || 24
  const receive = (bytes: Buffer): void => decoder.receive(bytes)
  input.on('data', receive)
  input.on('end', () => exit(SIGHUP_EXIT_CODE))
  input.on('error', () => exit(SIGHUP_EXIT_CODE))
  output.on('error', () => exit(SIGHUP_EXIT_CODE))
  output.on('resize', () => (shown = undefined))
  void waitForStopSignal().then(exit)
  // Also after an uncaught exception.
  process.on('exit', restore)
  if (process.platform !== 'win32') process.on('SIGCONT', resume)
  input.setRawMode(true)
  write(ENTER)

  return {
    exited,
    columns,
    rows,
    draw(frame, cursor) {
      if (hasEnded) return
      const changed = frame.flatMap((row, index) =>
        shown?.[index] === row ? [] : [`\u001B[${index + 1};1H${CLEAR_ROW}${row}`],
      )
      const place = cursor ? `\u001B[${cursor.row + 1};${cursor.column + 1}H${SHOW_CURSOR}` : ''
      // An inbox in which nothing happens writes nothing, so that tmux does not report activity.
      const isSame = !isOnMainScreen && changed.length === 0 && place === shownPlace
      if (isSame) return
      write(`${isOnMainScreen ? ENTER : ''}${HIDE_CURSOR}${changed.join('')}${place}`)
      isOnMainScreen = false
      shownPlace = place
      shown = frame
    },
    printOnMainScreen(text) {
      leave()
      write(toPrintableText(text).replaceAll('\n', '\r\n'))
    },
    signal: write,
    onKey: (listener) => void (keyListener = listener),
    onResize(listener) {
      resizeListener = listener
      output.on('resize', listener)
      return () => {
        resizeListener = undefined
        output.off('resize', listener)
      }
    },
    async runOutside(work) {
      input.off('data', receive)
      input.pause()
      leave()
      ignoreErrors(() => input.setRawMode(false))
      isOutside = true
      try {
        return await work()
      } finally {
        isOutside = false
        ignoreErrors(() => input.setRawMode(true))
        input.on('data', receive)
        input.resume()
      }
    },
    async passThrough(work) {
      const listeners: ((bytes: Buffer) => void)[] = []
      const pass = (bytes: Buffer): void => listeners.forEach((listener) => listener(bytes))
      input.off('data', receive)
      input.on('data', pass)
      leave()
      isPassedThrough = true
      try {
        return await work({
          write: (text) => new Promise((resolve) => output.write(text, () => resolve())),
          onInput: (listener) => void listeners.push(listener),
        })
      } finally {
        isPassedThrough = false
        write(RESET_MODES)
        input.off('data', pass)
        input.on('data', receive)
      }
    },
    restore,
  }
}

function ignoreErrors(work: () => void): void {
  try {
    work()
  } catch {}
}
