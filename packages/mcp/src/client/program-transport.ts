// Starts a program and exchanges messages with it over its stdin and stdout, one on each line. What it prints to stderr
// goes to the log. The program runs in a process group of its own, which ends with the connection; if this process is
// killed, its stdin is closed. Used by mount/. Starts processes; sets timers.

import { type ChildProcess, spawn } from 'node:child_process'

import { Failure } from '../errors.js'
import { findSystem32 } from '../system32.js'
import type { ClientTransport, OpenTransport, TransportEvents } from './client-transport.js'
import { settleWithin } from './settle-within.js'

/**
 * How long a program may take to exit after its stdin was closed, and after SIGTERM. Clients kill this process two seconds
 * after it has begun to stop.
 */
const EXIT_MS = 800
const MAX_LOG_LINE_BYTES = 16 * 1024
/** A program that does not read has this much waiting, and no more is sent. */
const MAX_UNREAD_BYTES = 16 * 1024 * 1024

/** What is passed on of the environment of this process. Anything else may be a secret that the program must not see. */
const INHERITED =
  process.platform === 'win32'
    ? [
        'APPDATA',
        'COMSPEC',
        'HOMEDRIVE',
        'HOMEPATH',
        'LOCALAPPDATA',
        'PATH',
        'PATHEXT',
        'PROGRAMFILES',
        'SYSTEMDRIVE',
      ].concat(['SYSTEMROOT', 'TEMP', 'TMP', 'USERNAME', 'USERPROFILE'])
    : ['HOME', 'LANG', 'LC_ALL', 'LOGNAME', 'PATH', 'SHELL', 'TERM', 'TMPDIR', 'TZ', 'USER']

export interface ProgramOptions {
  readonly command: string
  readonly args: readonly string[]
  readonly env: Readonly<Record<string, string>>
  readonly cwd: string | undefined
  /** Maximum length of a message. */
  readonly maxBytes: number
  readonly log: (line: string) => void
}

/** The programs that run now, ended at the latest when this process exits or a signal ends it. */
const running = new Map<ChildProcess, Promise<void>>()
const ENDING_SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const
let isWatchingExit = false

export function openProgramTransport(options: ProgramOptions): OpenTransport {
  return (events) => new ProgramTransport(options, events)
}

class ProgramTransport implements ClientTransport {
  revision = undefined
  readonly cancelsByAbort = false
  readonly #child: ChildProcess
  readonly #exited: Promise<void>
  #closedReason: string | undefined

  constructor(
    { command, args, env, cwd, maxBytes, log }: ProgramOptions,
    private readonly events: TransportEvents,
  ) {
    const child = spawn(command, args, {
      cwd,
      env: { ...inheritedEnvironment(), ...env },
      stdio: ['pipe', 'pipe', 'pipe'],
      detached: process.platform !== 'win32',
      windowsHide: true,
    })
    this.#child = child
    this.#exited = new Promise((resolve) => {
      child.once('error', (error) => {
        running.delete(child)
        this.#end(`could not be started: ${error.message}`)
        resolve()
      })
      child.once('exit', (code, signal) => {
        running.delete(child)
        // At once, while no other group can have its number: what it has started may still run.
        killGroup(child, 'SIGKILL')
        this.#end(`ended with ${code === null ? `signal ${signal}` : `exit code ${code}`}`)
        resolve()
      })
    })
    watchExit()
    running.set(child, this.#exited)
    // Errors of the streams are those of the process, which are reported above.
    child.stdin?.on('error', () => {})
    readLines(child.stdout, maxBytes, (line) => this.#receive(line, maxBytes))
    readLines(child.stderr, MAX_LOG_LINE_BYTES, (line) => line !== undefined && log(line))
  }

  async send({ text }: { readonly text: string }): Promise<boolean> {
    const { stdin } = this.#child
    if (this.#closedReason !== undefined) throw new Failure(this.#closedReason)
    if (!stdin?.writable) throw new Failure('has closed its input')
    if (stdin.writableLength > MAX_UNREAD_BYTES) throw new Failure('does not read what it is sent')
    stdin.write(`${text}\n`)
    return false
  }

  async close(): Promise<void> {
    this.#end('was closed')
    this.#child.stdin?.end()
    for (const signal of ['SIGTERM', 'SIGKILL'] as const) {
      await settleWithin(EXIT_MS, this.#exited)
      if (!running.has(this.#child)) return
      killGroup(this.#child, signal)
    }
    await settleWithin(EXIT_MS, this.#exited)
  }

  #receive(line: string | undefined, maxBytes: number): void {
    if (this.#closedReason !== undefined) return
    if (line !== undefined) return this.events.onMessage(line, undefined)
    this.#end(`sent a message of more than ${maxBytes} bytes`)
    void this.close()
  }

  #end(reason: string): void {
    if (this.#closedReason !== undefined) return
    this.#closedReason = reason
    this.events.onClose(reason)
  }
}

/** Ends the program and what it has started. */
function killGroup(child: ChildProcess, signal: NodeJS.Signals): void {
  const { pid } = child
  if (pid === undefined) return
  if (process.platform === 'win32') {
    // After it has exited, another process may have its number.
    if (running.has(child))
      spawn(`${findSystem32()}\\taskkill.exe`, ['/pid', String(pid), '/t', '/f'], {
        stdio: 'ignore',
        windowsHide: true,
      }).on('error', () => {})
    return
  }
  try {
    process.kill(-pid, signal)
  } catch {
    // No process of the group is left.
  }
}

function watchExit(): void {
  if (isWatchingExit) return
  isWatchingExit = true
  process.once('exit', () => killAll('SIGKILL'))
  // Before others: a listener for one signal is no longer counted once it was called.
  for (const signal of ENDING_SIGNALS) process.prependListener(signal, endBySignal)
}

/** A signal that no one else handles ends this process, without the event `exit`. A program that hangs would remain. */
function endBySignal(signal: NodeJS.Signals): void {
  if (process.listenerCount(signal) > 1) return
  process.off(signal, endBySignal)
  const end = (): void => {
    killAll('SIGKILL')
    process.kill(process.pid, signal)
  }
  killAll('SIGTERM')
  void settleWithin(EXIT_MS, Promise.all(running.values())).then(end)
}

function killAll(signal: NodeJS.Signals): void {
  for (const child of running.keys()) killGroup(child, signal)
}

/** A line that is too long is undefined. */
function readLines(stream: ChildProcess['stdout'], maxBytes: number, onLine: (line: string | undefined) => void): void {
  let pieces: Buffer[] = []
  let size = 0
  const endLine = (): void => {
    const text = size > maxBytes ? undefined : Buffer.concat(pieces).toString().trim()
    pieces = []
    size = 0
    if (text !== '') onLine(text)
  }
  const add = (piece: Buffer): void => {
    size += piece.length
    if (size <= maxBytes) pieces.push(piece)
    else pieces = []
  }
  stream?.on('data', (chunk: Buffer) => {
    let start = 0
    for (let end = chunk.indexOf(10); end !== -1; end = chunk.indexOf(10, start)) {
      add(chunk.subarray(start, end))
      endLine()
      start = end + 1
    }
    if (start < chunk.length) add(chunk.subarray(start))
  })
  stream?.on('end', endLine)
  stream?.on('error', () => {})
}

function inheritedEnvironment(): Record<string, string> {
  return Object.fromEntries(
    INHERITED.flatMap((name) => (process.env[name] === undefined ? [] : [[name, process.env[name]]])),
  )
}
