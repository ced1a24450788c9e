// Runs prompts on the alternate screen of the terminal, and restores the terminal however the process ends. Output that is
// drawn together is written at once.

import type { Readable, Writable } from 'node:stream'

import { HUNG_UP, nextSignal, type Streams } from '../terminal.js'
import { Canvas } from './canvas.js'
import { createKeyStrokes } from './key-strokes.js'

const ENTER = '\u001B[?1049h\u001B[?25l\u001B[H\u001B[2J'
const LEAVE = '\u001B[?25h\u001B[0m\u001B[?1049l'
const CLEAR = '\u001B[H\u001B[2J'
const SHOW_CURSOR = '\u001B[?25h'
const BELL = '\u0007'

const LARGE_COLUMNS = 60
const LARGE_ROWS = 14

const INTERRUPTED = 130

export interface FullScreen {
  readonly hasColours: boolean
  columns(): number
  rows(): number
  /** Whether the terminal is large enough for a frame and instructions. */
  isRoomy(): boolean
  /** Clears the screen. */
  clear(): void
  /** Prints on the main screen, where text stays and can be scrolled; further output follows below it. */
  printAside(text: string): void
  ring(): void
  /** Discards keys that were pressed while no prompt was shown. */
  forgetKeys(): void
  onResize(listener: () => void): () => void
  /** Shows a prompt until it is answered or `until` aborts. After the end of the inbox the promise never settles. */
  prompt<T>(show: (handed: Handed) => Promise<T>, until?: AbortSignal): Promise<T>
  /** Resolves with the exit code after Ctrl+C, Ctrl+D, a closed terminal or a signal. */
  readonly over: Promise<number>
  /** Restores the terminal. */
  leave(): void
}

/** Streams and signal for a prompt. */
export interface Handed {
  readonly input: Readable
  readonly output: Writable
  readonly signal: AbortSignal
}

export function openFullScreen({ input, output }: Streams): FullScreen {
  const canvas = new Canvas(output)
  const keyInput = createKeyStrokes((key) => exit(key === 'ctrl+c' ? INTERRUPTED : 0))
  let activePrompt: AbortController | undefined
  let hasExited = false
  let isOnMainScreen = false
  let resolveExited: ((exitCode: number) => void) | undefined
  const exited = new Promise<number>((resolve) => (resolveExited = resolve))

  function exit(exitCode: number): void {
    hasExited = true
    resolveExited?.(exitCode)
    canvas.silently(() => activePrompt?.abort())
  }

  function restore(): void {
    process.off('exit', restore)
    input.off('data', receive)
    canvas.write(isOnMainScreen ? SHOW_CURSOR : LEAVE)
    canvas.flush()
    // The mode of a closed terminal cannot be set.
    if (!input.destroyed) ignoreErrors(() => input.setRawMode(false))
    input.pause()
  }

  const receive = (bytes: Buffer): void => keyInput.take(bytes)
  input.on('data', receive)
  input.on('end', () => exit(HUNG_UP))
  input.on('error', () => exit(HUNG_UP))
  output.on('error', () => exit(HUNG_UP))
  void nextSignal().then(exit)
  // Also after an uncaught exception.
  process.on('exit', restore)
  input.setRawMode(true)
  canvas.write(ENTER)

  return {
    over: exited,
    hasColours: output.hasColors(),
    columns: () => canvas.columns,
    rows: () => canvas.rows,
    isRoomy: () => canvas.columns >= LARGE_COLUMNS && canvas.rows >= LARGE_ROWS,
    clear() {
      canvas.write(isOnMainScreen ? ENTER : CLEAR)
      isOnMainScreen = false
    },
    printAside(text) {
      canvas.write(`${isOnMainScreen ? '' : LEAVE}${text}`)
      isOnMainScreen = true
    },
    ring: () => void canvas.write(BELL),
    forgetKeys: () => keyInput.forget(),
    onResize(listener) {
      output.on('resize', listener)
      return () => output.off('resize', listener)
    },
    async prompt(show, until) {
      if (hasExited) return new Promise(() => {})
      const controller = (activePrompt = new AbortController())
      const stop = (): void => canvas.silently(() => controller.abort())
      until?.addEventListener('abort', stop, { once: true })
      keyInput.listen(true)
      const answer = await show({ input: keyInput.input, output: canvas, signal: controller.signal })
      keyInput.listen(false)
      until?.removeEventListener('abort', stop)
      activePrompt = undefined
      return hasExited ? new Promise(() => {}) : answer
    },
    leave: restore,
  }
}

function ignoreErrors(work: () => void): void {
  try {
    work()
  } catch {}
}
