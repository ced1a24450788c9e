// Runs prompts on the alternate screen of the terminal, and restores the terminal however the process ends. Output that
// is drawn together is written at once. Used by the interactive inbox.

import { Readable, Writable } from 'node:stream'
import { StringDecoder } from 'node:string_decoder'

import { SIGHUP_EXIT_CODE, type TerminalStreams, waitForStopSignal } from '@scorpiox/server/terminal/terminal'
import { toPrintableText } from '@scorpiox/server/terminal/text-layout'

const ENTER = '\u001B[?1049h\u001B[?25l\u001B[H\u001B[2J'
const LEAVE = '\u001B[?25h\u001B[0m\u001B[?1049l'
const CLEAR = '\u001B[H\u001B[2J'
const SHOW_CURSOR = '\u001B[?25h'
const BELL = '\u0007'

/** What a program may have set while the terminal was passed through to it; the cursor goes below what it has printed. */
const RESET_MODES =
  '\u001B[?1049l\u001B[!p\u001B[?1000;1002;1003;1006;2004;1;5;6;69l\u001B[?7;25h\u001B[4l\u001B>\u001B[r\u001B[0m\u001B(B\u000F\u001B[999;1H\r\n'

const LARGE_COLUMNS = 60
const LARGE_ROWS = 14

const INTERRUPTED = 130

export interface FullScreen {
  readonly hasColours: boolean
  columns(): number
  rows(): number
  /** Whether the terminal is large enough for a frame and instructions. */
  isLarge(): boolean
  /** Clears the screen. */
  clear(): void
  /** Prints on the main screen, where text stays and can be scrolled; further output follows below it. */
  printOnMainScreen(text: string): void
  ringBell(): void
  /** Discards keys that were pressed while no prompt was shown. */
  discardInput(): void
  onResize(listener: () => void): () => void
  /** Shows a prompt until it is answered or `until` aborts. After the end of the inbox the promise never settles. */
  prompt<T>(show: (handed: PromptStreams) => Promise<T>, until?: AbortSignal): Promise<T>
  /** Runs a program that uses the terminal itself, such as an editor. */
  runOutside<T>(work: () => Promise<T>): Promise<T>
  /** Leaves the terminal to a program elsewhere: keys as they come, output as it is. Restores it afterwards. */
  passThrough<T>(work: (raw: RawTerminal) => Promise<T>): Promise<T>
  /** Resolves with the exit code after Ctrl+C, Ctrl+D, a closed terminal or a signal. */
  readonly exited: Promise<number>
  /** Restores the terminal. */
  restore(): void
}

/** The terminal while it is passed through. */
export interface RawTerminal {
  /** Resolves when it is written. */
  write(text: string): Promise<void>
  onInput(listener: (bytes: Buffer) => void): void
}

/** Streams and signal for a prompt. */
export interface PromptStreams {
  readonly input: Readable
  readonly output: Writable
  readonly signal: AbortSignal
}

export function openFullScreen({ input, output }: TerminalStreams): FullScreen {
  const canvas = new BufferedOutput(output)
  const keyInput = createKeyInput((key) => exit(key === 'ctrl+c' ? INTERRUPTED : 0))
  let activePrompt: AbortController | undefined
  let hasExited = false
  let isOnMainScreen = false
  let isPassedThrough = false
  let resolveExited: ((exitCode: number) => void) | undefined
  const exited = new Promise<number>((resolve) => (resolveExited = resolve))

  function exit(exitCode: number): void {
    hasExited = true
    resolveExited?.(exitCode)
    canvas.discardWhile(() => activePrompt?.abort())
  }

  function restore(): void {
    process.off('exit', restore)
    input.off('data', receive)
    canvas.write(isOnMainScreen ? SHOW_CURSOR : LEAVE)
    if (isPassedThrough) canvas.write(RESET_MODES)
    canvas.flush()
    // The mode of a closed terminal cannot be set.
    if (!input.destroyed) ignoreErrors(() => input.setRawMode(false))
    input.pause()
  }

  const receive = (bytes: Buffer): void => keyInput.receive(bytes)
  input.on('data', receive)
  input.on('end', () => exit(SIGHUP_EXIT_CODE))
  input.on('error', () => exit(SIGHUP_EXIT_CODE))
  output.on('error', () => exit(SIGHUP_EXIT_CODE))
  void waitForStopSignal().then(exit)
  // Also after an uncaught exception.
  process.on('exit', restore)
  input.setRawMode(true)
  canvas.write(ENTER)

  return {
    exited,
    hasColours: output.hasColors(),
    columns: () => canvas.columns,
    rows: () => canvas.rows,
    isLarge: () => canvas.columns >= LARGE_COLUMNS && canvas.rows >= LARGE_ROWS,
    clear() {
      canvas.write(isOnMainScreen ? ENTER : CLEAR)
      isOnMainScreen = false
    },
    printOnMainScreen(text) {
      const lines = toPrintableText(text).replaceAll('\n', '\r\n')
      canvas.write(`${isOnMainScreen ? '' : LEAVE}${lines}`)
      isOnMainScreen = true
    },
    ringBell: () => void canvas.write(BELL),
    discardInput: () => keyInput.discard(),
    onResize(listener) {
      output.on('resize', listener)
      return () => output.off('resize', listener)
    },
    async prompt(show, until) {
      if (hasExited) return new Promise(() => {})
      const controller = (activePrompt = new AbortController())
      const stop = (): void => canvas.discardWhile(() => controller.abort())
      until?.addEventListener('abort', stop, { once: true })
      keyInput.setListening(true)
      const answer = await show({ input: keyInput.input, output: canvas, signal: controller.signal })
      keyInput.setListening(false)
      until?.removeEventListener('abort', stop)
      activePrompt = undefined
      return hasExited ? new Promise(() => {}) : answer
    },
    async runOutside(work) {
      input.off('data', receive)
      input.pause()
      canvas.write(isOnMainScreen ? SHOW_CURSOR : LEAVE)
      canvas.flush()
      isOnMainScreen = true
      ignoreErrors(() => input.setRawMode(false))
      try {
        return await work()
      } finally {
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
      canvas.write(isOnMainScreen ? SHOW_CURSOR : LEAVE)
      canvas.flush()
      isOnMainScreen = isPassedThrough = true
      try {
        return await work({
          write: (text) => new Promise((resolve) => output.write(text, () => resolve())),
          onInput: (listener) => void listeners.push(listener),
        })
      } finally {
        isPassedThrough = false
        if (!output.destroyed) output.write(RESET_MODES)
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

/**
 * Output stream for prompts: batches what is drawn in one tick into one write, and has the size of the terminal. Output
 * can be discarded for the duration of a function.
 */
class BufferedOutput extends Writable {
  readonly #terminal: NodeJS.WriteStream
  readonly #repeatResize = (): void => void this.emit('resize')
  #drawn = ''
  #isSilent = false

  constructor(terminal: NodeJS.WriteStream) {
    super({ decodeStrings: false })
    this.#terminal = terminal
    this.setMaxListeners(0)
    terminal.on('resize', this.#repeatResize)
  }

  get columns(): number {
    return this.#terminal.columns || 80
  }

  get rows(): number {
    return this.#terminal.rows || 24
  }

  override _write(text: Buffer | string, _: string, done: () => void): void {
    if (!this.#isSilent) {
      if (this.#drawn === '') setImmediate(() => this.flush())
      this.#drawn += text.toString()
    }
    done()
  }

  flush(): void {
    const drawn = this.#drawn
    this.#drawn = ''
    if (drawn !== '' && !this.#terminal.destroyed) this.#terminal.write(drawn)
  }

  discardWhile(work: () => void): void {
    this.#isSilent = true
    work()
    this.#isSilent = false
  }
}

// oxlint-disable-next-line no-control-regex -- keys consist of control characters
const KEY = /\u001B(?:\[[\d;]*[ -/]*[@-~]|O.)?|\p{Cc}|[^\p{Cc}]+/gsu

const CTRL_C = '\u0003'
const CTRL_D = '\u0004'
/** Dropped: a prompt would suspend the process without restoring the terminal. */
const CTRL_Z = '\u001A'

interface KeyInput {
  /** The stream that prompts read. */
  readonly input: Readable
  receive(bytes: Buffer): void
  /** Sets whether a prompt is reading. */
  setListening(isListening: boolean): void
  /** Discards unread keys. */
  discard(): void
}

/**
 * Splits terminal input into keys and passes them on one at a time while a prompt reads, so that keys typed ahead are
 * kept. Handles only Ctrl+C and Ctrl+D itself.
 */
export function createKeyInput(onExit: (key: 'ctrl+c' | 'ctrl+d') => void): KeyInput {
  const input = new Readable({ read() {} })
  const decoder = new StringDecoder()
  let pending: string[] = []
  let isListening = false
  let isScheduled = false

  function schedule(): void {
    if (isScheduled || !isListening || pending.length === 0) return
    isScheduled = true
    // One at a time: a prompt that ends with this key must not consume the next one.
    setImmediate(() => {
      isScheduled = false
      if (!isListening) return
      input.push(pending.shift())
      schedule()
    })
  }

  return {
    input,
    receive(bytes) {
      const keys: readonly string[] = decoder.write(bytes).match(KEY) ?? []
      if (keys.includes(CTRL_C)) return onExit('ctrl+c')
      if (keys.includes(CTRL_D)) return onExit('ctrl+d')
      pending = [...pending, ...keys.filter((key) => key !== CTRL_Z)]
      schedule()
    },
    setListening(isReading) {
      isListening = isReading
      schedule()
    },
    discard() {
      pending = []
    },
  }
}
