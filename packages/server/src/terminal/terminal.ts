// stdout, stderr and stop signals of a CLI command, and the error for a command line that cannot be run. The only file
// of the CLI that touches the standard streams. What is printed contains text of others (skills, scripts, file names),
// so every print function removes control characters. Used by all commands of the app, the installer and the inbox.

import { Failure } from '@scorpiox/mcp/errors'
import { escapeUnsafe } from '@scorpiox/mcp/log'
import { toPrintableText, wrapText } from './text-layout.js'

const STOP_SIGNALS = { SIGINT: 2, SIGTERM: 15, SIGHUP: 1 } as const

/** Resolves when the text is written, so that an exit cannot truncate it, or when the stream fails. */
export function print(text: string): Promise<void> {
  return write(process.stdout, toPrintableText(text))
}

export function printError(text: string): Promise<void> {
  return write(process.stderr, toPrintableText(text))
}

/** Prints JSON for programs: control characters are escaped, so that the data stays the same. */
export function printJson(json: string): Promise<void> {
  return write(process.stdout, escapeUnsafe(json))
}

export interface ColouredText {
  readonly text: string
  readonly colour?: keyof typeof COLOURS | undefined
}

const COLOURS = { green: '\u001B[32m', red: '\u001B[31m' } as const
const DEFAULT_COLOUR = '\u001B[39m'

/** Prints texts, some of them coloured, without anything between them. */
export function printColoured(parts: readonly ColouredText[]): Promise<void> {
  const texts = parts.map(({ text, colour }) => {
    const printable = toPrintableText(text)
    return colour === undefined ? printable : `${COLOURS[colour]}${printable}${DEFAULT_COLOUR}`
  })
  return write(process.stdout, texts.join(''))
}

/** Prints prose: on a terminal, lines are wrapped between words. Use `print` for text to be copied or parsed. */
export function printText(text: string): Promise<void> {
  return print(wrapText(text, getOutputColumns()))
}

/** `printText` for stderr. */
export function printErrorText(text: string): Promise<void> {
  return printError(wrapText(text, columnsOf(process.stderr)))
}

/** Width of the terminal; undefined if stdout is not a terminal. */
export function getOutputColumns(): number | undefined {
  return columnsOf(process.stdout)
}

/** Resolves to the exit code for the first stop signal. Later signals are ignored, because the shutdown has begun. */
export function waitForStopSignal(): Promise<number> {
  return new Promise((resolve) => {
    for (const [signal, number] of Object.entries(STOP_SIGNALS)) process.on(signal, () => resolve(128 + number))
  })
}

/** Exit code of a process whose terminal was closed. */
export const SIGHUP_EXIT_CODE = 128 + STOP_SIGNALS.SIGHUP

/**
 * Terminates the process by SIGHUP, as a closed terminal does by default. A normal exit would abort, because Node.js
 * cannot restore the mode of a terminal that is gone. Windows has no such signal, and nothing to restore.
 */
export function exitBySighup(platform: NodeJS.Platform = process.platform): Promise<never> {
  process.removeAllListeners('SIGHUP')
  if (platform === 'win32') process.exit(SIGHUP_EXIT_CODE)
  process.kill(process.pid, 'SIGHUP')
  return new Promise(() => {})
}

export interface TerminalStreams {
  readonly input: NodeJS.ReadStream
  readonly output: NodeJS.WriteStream
}

/** Streams for an interactive display; undefined unless both stdin and stdout are a terminal. */
export function getTerminalStreams(): TerminalStreams | undefined {
  const { stdin: input, stdout: output } = process
  return input.isTTY && output.isTTY ? { input, output } : undefined
}

function columnsOf(stream: NodeJS.WriteStream): number | undefined {
  return stream.isTTY && stream.columns > 0 ? stream.columns : undefined
}

function write(stream: NodeJS.WriteStream, text: string): Promise<void> {
  return new Promise((resolve) => {
    const onError = (): void => resolve()
    stream.once('error', onError)
    stream.write(text, (error) => {
      // A failed write is followed by the event.
      if (!error) stream.off('error', onError)
      resolve()
    })
  })
}

/**
 * The error for a command line that cannot be run as typed. The message says what was expected. The process exits with
 * code 2.
 */
export class UsageError extends Failure {
  override readonly name = 'UsageError'
  readonly exitCode = 2
}
