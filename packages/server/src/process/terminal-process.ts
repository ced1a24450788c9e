// Starts a program on a terminal where script(1) of Linux does not exist: with the terminal of Bun, or with the
// optional package @lydell/node-pty, loaded by the first use. Used by command-runner; `doctor` asks which it is. Starts
// programs.

import { closeSync, constants, openSync } from 'node:fs'

import type { spawn as spawnOfPackage } from '@lydell/node-pty'

import { Failure } from '@scorpiox/mcp/errors'
import { getBunApi } from '@scorpiox/mcp/runtime'
import { createDeferred } from '../async/timeouts.js'
import { noteBytesRead } from './garbage-collector.js'
import type { InputPipe } from './input-pipe.js'
import { type ExitStatus, exitStatusFromShellCode, type SpawnedProcess } from './spawn.js'
import { TERMINAL_PACKAGE as PACKAGE } from './terminal-support.js'

const TERMINAL_NAME = 'xterm-256color'
const SIGNAL_BASE = 128

interface TerminalRequest {
  readonly file: string
  readonly args: readonly string[]
  readonly cwd: string
  readonly env: NodeJS.ProcessEnv
  readonly cols: number
  readonly rows: number
  readonly onOutput: (chunk: Buffer) => void
}

/** Throws a Failure that says what to install. */
export async function spawnOnTerminal(request: TerminalRequest): Promise<SpawnedProcess> {
  const exited = createDeferred<ExitStatus>()
  let onOutput: ((chunk: Buffer) => void) | undefined = request.onOutput
  const handlers: TerminalHandlers = {
    onData(chunk) {
      onOutput?.(chunk)
      noteBytesRead(chunk.length)
    },
    onExit: (code) => exited.resolve(exitStatusFromShellCode(code)),
  }
  const spawn = getBunApi('spawn')
  const started = isBunSpawn(spawn) ? startWithBun(spawn, request, handlers) : await startWithPackage(request, handlers)
  return {
    pid: started.pid,
    exited: exited.promise,
    closed: exited.promise.then(() => undefined),
    pause: started.pause,
    resume: started.resume,
    // What is not read would stop its children.
    ignoreOutput: () => (onOutput = undefined),
    stdin: createTerminalInput(started, exited.promise),
  }
}

/** What makes terminals on this runtime without script(1), in words; undefined if the package is not installed. */
export async function describeTerminalMaker(): Promise<string | undefined> {
  if (isBunSpawn(getBunApi('spawn')) && getBunApi('Terminal') !== undefined) return 'Bun'
  return (await loadPackage()) && PACKAGE
}

interface TerminalHandlers {
  readonly onData: (chunk: Buffer) => void
  readonly onExit: (code: number) => void
}

interface StartedTerminal {
  readonly pid: number
  write(bytes: Buffer): void
  resize(cols: number, rows: number): void
  readonly pause: () => void
  readonly resume: () => void
}

function createTerminalInput(terminal: StartedTerminal, exited: Promise<unknown>): InputPipe {
  let isOpen = true
  void exited.then(() => (isOpen = false))
  return {
    write(bytes) {
      if (!isOpen) return undefined
      terminal.write(bytes)
      return bytes.length
    },
    close: () => false,
    identity: () => undefined,
    resize: ({ cols, rows }) => terminal.resize(cols, rows),
  }
}

/** Bun has no flow control here: it reads what is printed. */
function startWithBun(
  spawn: BunSpawn,
  { file, args, cwd, env, cols, rows }: TerminalRequest,
  { onData, onExit }: TerminalHandlers,
): StartedTerminal {
  const data = (_terminal: unknown, bytes: Uint8Array): void =>
    onData(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength))
  const { pid, exited, terminal } = spawn([file, ...args], {
    cwd,
    env,
    terminal: { cols, rows, name: TERMINAL_NAME, data },
  })
  void exited.then((code) => {
    terminal.close()
    onExit(code)
  })
  return {
    pid,
    write: (bytes) => void terminal.write(bytes),
    resize: (columns, lines) => terminal.resize(columns, lines),
    pause: () => {},
    resume: () => {},
  }
}

interface BunTerminal {
  write(bytes: Uint8Array): number
  resize(cols: number, rows: number): void
  close(): void
}

type BunSpawn = (
  command: readonly string[],
  options: object,
) => { readonly pid: number; readonly exited: Promise<number>; readonly terminal: BunTerminal }

function isBunSpawn(value: unknown): value is BunSpawn {
  return typeof value === 'function'
}

interface TerminalPackage {
  readonly spawn: typeof spawnOfPackage
}

async function startWithPackage(
  { file, args, cwd, env, cols, rows }: TerminalRequest,
  { onData, onExit }: TerminalHandlers,
): Promise<StartedTerminal> {
  const library = await loadPackage()
  if (!library)
    throw new Failure(
      `The command was not started: a terminal requires the package ${PACKAGE} on this system. Run npm install ${PACKAGE} ` +
        'beside scorpiox-code, or start the command without tty: its stdin is then a pipe that you can write to.',
    )
  const terminal = library.spawn(file, [...args], { cwd, env, cols, rows, name: TERMINAL_NAME, encoding: null })
  const release = holdOpen(terminal)
  // Without an encoding it passes bytes, which its types do not say.
  terminal.onData((data: string | Buffer) => onData(Buffer.from(data)))
  terminal.onExit(({ exitCode, signal }) => {
    release()
    onExit(signal ? SIGNAL_BASE + signal : exitCode)
  })
  return {
    pid: terminal.pid,
    write: (bytes) => terminal.write(bytes.toString()),
    resize: (columns, lines) => terminal.resize(columns, lines),
    pause: () => terminal.pause(),
    resume: () => terminal.resume(),
  }
}

/**
 * The package loses the end of the output, in one of four cases, if the last process of the terminal closes it before
 * everything has been read. Held open, it is read until the package closes its own end, 200 ms after the program.
 */
function holdOpen(terminal: object): () => void {
  const path: unknown = Reflect.get(terminal, '_pty')
  if (typeof path !== 'string') return () => {}
  try {
    const fd = openSync(path, constants.O_RDWR | constants.O_NOCTTY)
    return () => closeSync(fd)
  } catch {
    // The program has ended already.
    return () => {}
  }
}

function loadPackage(): Promise<TerminalPackage | undefined> {
  return import('@lydell/node-pty').catch(() => undefined)
}
