// The person's side of the process: where commands print, and the signals that stop them.

import { wrapText } from './layout.js'

const STOP_SIGNALS = { SIGINT: 2, SIGTERM: 15, SIGHUP: 1 } as const

/** Resolves when the words have left the process, so that an exit cannot cut them, or when nobody reads them. */
export function print(text: string): Promise<void> {
  return write(process.stdout, text)
}

export function complain(text: string): Promise<void> {
  return write(process.stderr, text)
}

/** Prose: on a terminal its lines are broken between words. What is to be copied or parsed goes through `print`. */
export function printText(text: string): Promise<void> {
  return print(wrapText(text, outputColumns()))
}

/** The same on stderr. */
export function complainText(text: string): Promise<void> {
  return complain(wrapText(text, columnsOf(process.stderr)))
}

/** How wide the terminal is that stdout writes to; undefined where it writes to something else. */
export function outputColumns(): number | undefined {
  return columnsOf(process.stdout)
}

/** Resolves to the exit code that says which signal it was. Later signals change nothing: the end is under way. */
export function nextSignal(): Promise<number> {
  return new Promise((resolve) => {
    for (const [signal, number] of Object.entries(STOP_SIGNALS)) process.on(signal, () => resolve(128 + number))
  })
}

/** What is said of a process whose terminal is gone. */
export const HUNG_UP = 128 + STOP_SIGNALS.SIGHUP

/** Ends the process as a lost terminal ends others: Node's own way out aborts where it cannot set the terminal. */
export function hangUp(): Promise<never> {
  process.removeAllListeners('SIGHUP')
  process.kill(process.pid, 'SIGHUP')
  return new Promise(() => {})
}

export interface Streams {
  readonly input: NodeJS.ReadStream
  readonly output: NodeJS.WriteStream
}

/** A person's terminal, to be drawn on; undefined where one end of it is something else. */
export function terminalStreams(): Streams | undefined {
  const { stdin: input, stdout: output } = process
  return input.isTTY && output.isTTY ? { input, output } : undefined
}

function columnsOf(stream: NodeJS.WriteStream): number | undefined {
  return stream.isTTY && stream.columns > 0 ? stream.columns : undefined
}

function write(stream: NodeJS.WriteStream, text: string): Promise<void> {
  return new Promise((resolve) => {
    stream.once('error', () => resolve())
    stream.write(text, () => resolve())
  })
}
