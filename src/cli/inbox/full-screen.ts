// A terminal taken over and given back as it was, whichever way it ends. Drawing goes to the second screen that terminals
// have for this, in one write for all that is drawn at once; prompts get the keys.

import type { Readable, Writable } from 'node:stream'

import { HUNG_UP, nextSignal, type Streams } from '../terminal.js'
import { Canvas } from './canvas.js'
import { createKeyStrokes } from './key-strokes.js'

const ENTER = '\u001B[?1049h\u001B[?25l\u001B[H\u001B[2J'
const LEAVE = '\u001B[?25h\u001B[0m\u001B[?1049l'
const CLEAR = '\u001B[H\u001B[2J'
const SHOW_CURSOR = '\u001B[?25h'
const BELL = '\u0007'

const ROOMY_COLUMNS = 60
const ROOMY_ROWS = 14

const INTERRUPTED = 130

export interface FullScreen {
  readonly hasColours: boolean
  columns(): number
  rows(): number
  /** Whether there is room for a frame and for instructions. */
  isRoomy(): boolean
  /** What is drawn next begins at the top. */
  clear(): void
  /** Prints on the ordinary screen, where it stays and can be scrolled; what comes next is below it. */
  printAside(text: string): void
  ring(): void
  /** Keys that were pressed while there was nothing to press them for. */
  forgetKeys(): void
  onResize(listener: () => void): () => void
  /** Shows a prompt until it is answered or `until` comes. When it is over, nothing is answered any more. */
  prompt<T>(show: (handed: Handed) => Promise<T>, until?: AbortSignal): Promise<T>
  /** The exit code, once the person has gone or a signal came. */
  readonly over: Promise<number>
  /** Gives the terminal back. */
  leave(): void
}

/** What every prompt is called with. */
export interface Handed {
  readonly input: Readable
  readonly output: Writable
  readonly signal: AbortSignal
}

export function openFullScreen({ input, output }: Streams): FullScreen {
  const canvas = new Canvas(output)
  const keys = createKeyStrokes((key) => end(key === 'ctrl+c' ? INTERRUPTED : 0))
  let asking: AbortController | undefined
  let isOver = false
  let isAside = false
  let resolveOver: ((exitCode: number) => void) | undefined
  const over = new Promise<number>((resolve) => (resolveOver = resolve))

  function end(exitCode: number): void {
    isOver = true
    resolveOver?.(exitCode)
    canvas.silently(() => asking?.abort())
  }

  function leave(): void {
    process.off('exit', leave)
    input.off('data', take)
    canvas.write(isAside ? SHOW_CURSOR : LEAVE)
    canvas.flush()
    // A terminal that is gone cannot be set.
    if (!input.destroyed) quietly(() => input.setRawMode(false))
    input.pause()
  }

  const take = (bytes: Buffer): void => keys.take(bytes)
  input.on('data', take)
  input.on('end', () => end(HUNG_UP))
  input.on('error', () => end(HUNG_UP))
  output.on('error', () => end(HUNG_UP))
  void nextSignal().then(end)
  // Also where a bug ends the process.
  process.on('exit', leave)
  input.setRawMode(true)
  canvas.write(ENTER)

  return {
    over,
    hasColours: output.hasColors(),
    columns: () => canvas.columns,
    rows: () => canvas.rows,
    isRoomy: () => canvas.columns >= ROOMY_COLUMNS && canvas.rows >= ROOMY_ROWS,
    clear() {
      canvas.write(isAside ? ENTER : CLEAR)
      isAside = false
    },
    printAside(text) {
      canvas.write(`${isAside ? '' : LEAVE}${text}`)
      isAside = true
    },
    ring: () => void canvas.write(BELL),
    forgetKeys: () => keys.forget(),
    onResize(listener) {
      output.on('resize', listener)
      return () => output.off('resize', listener)
    },
    async prompt(show, until) {
      if (isOver) return new Promise(() => {})
      const controller = (asking = new AbortController())
      const stop = (): void => canvas.silently(() => controller.abort())
      until?.addEventListener('abort', stop, { once: true })
      keys.listen(true)
      const answer = await show({ input: keys.input, output: canvas, signal: controller.signal })
      keys.listen(false)
      until?.removeEventListener('abort', stop)
      asking = undefined
      return isOver ? new Promise(() => {}) : answer
    },
    leave,
  }
}

function quietly(work: () => void): void {
  try {
    work()
  } catch {}
}
