// One shell that the supervisor forked: it reads one command from a FIFO and writes its output to another. The FIFOs
// are deleted as soon as the shell has opened them. Created by supervisor.ts, handed out by shell-pool.ts, used by
// command-runner.ts. Sets timers.

import { closeSync, constants, openSync, readSync, rmSync, writeSync } from 'node:fs'

import { createDeferred } from '../async/timeouts.js'
import { type FifoReader, readFifo } from './fifo-reader.js'
import { noteBytesRead } from './garbage-collector.js'
import { createInputPipe, type InputPipe } from './input-pipe.js'

export interface PooledShell {
  /** Unique among the shells of a supervisor. */
  readonly name: string
  /** By which its command identifies itself when it asks for a password. */
  readonly askpassKey: string
  /** The pid of its session leader; undefined if it did not start. */
  readonly started: Promise<number | undefined>
  /** Its exit status as a shell reports it; undefined if unknown. */
  readonly exited: Promise<number | undefined>
  /** Resolves when no process can write to its output any more. */
  readonly closed: Promise<void>
  readonly hasStarted: boolean
  readonly hasExited: boolean
  /** Why it did not start, if that is known. */
  readonly startError?: Error | undefined
  /** It is of no use without the launcher, which passes its output on: without a status it may still be running. */
  readonly needsLauncher?: boolean
  /** Whether a command has left children, once it has exited; undefined if that is not known. */
  readonly hasLeftChildren?: boolean | undefined
  /**
   * The shell did not start, and the command was taken back before any shell had read it completely: it has not run.
   */
  readonly isWithdrawn: boolean
  run(command: string, onOutput: (chunk: Buffer) => void): void
  readonly pause: () => void
  readonly resume: () => void
  /** Discards further output. Children of the command may go on writing, slowly: closing the FIFO would kill them. */
  readonly ignoreOutput: () => void
  /** Closes its command FIFO; without a command the shell exits. */
  discard(): void
  /** stdin of the command, if it can be written to and is held by this process. */
  readonly stdin: InputPipe | undefined
}

/** The same shell with what only the supervisor module uses. */
export interface SupervisedShell extends PooledShell {
  readonly number: number
  /** The pid of its session leader; undefined until it has started. */
  readonly pid: number | undefined
  /** The process that waits for the shell and reports its exit status. */
  readonly watcherPid: number | undefined
  /** Whether no more reports will arrive. */
  readonly isClosed: boolean
  onStarted(pid: number, supervisor: number): void
  onExit(status: number | undefined): void
  /** Called when the recorder of its output has finished. */
  onClosed(): void
}

/** The files that exist until the shell has started. */
export interface ShellFifoPaths {
  /** The command FIFO; undefined if the command is in a file. */
  readonly input: string | undefined
  /** The output FIFO; undefined if the output is recorded. */
  readonly output: string | undefined
  /** The command is in a file, and what would be the command FIFO is its stdin. */
  readonly isStdin?: boolean
  readonly all: readonly string[]
}

const DISCARD_PAUSE_MS = 20
const FIFO_CAPACITY = 65_536

export function createPooledShell(number: number, paths: ShellFifoPaths, askpassKey: string): SupervisedShell {
  // Opened for reading and writing, because opening for writing alone fails while there is no reader.
  const fifo = paths.input === undefined ? undefined : openSync(paths.input, constants.O_RDWR | constants.O_NONBLOCK)
  const stdin = paths.isStdin && fifo !== undefined ? createInputPipe(fifo) : undefined
  let input = stdin ? undefined : fifo
  const output =
    paths.output === undefined ? undefined : openReadEnd(paths.output, () => fifo !== undefined && closeSync(fifo))
  let reader: FifoReader | undefined
  let onData: ((chunk: Buffer) => void) | undefined
  const bufferedChunks: Buffer[] = []
  const started = createDeferred<number | undefined>()
  const exited = createDeferred<number | undefined>()
  const closed = createDeferred<void>()
  let pid: number | undefined
  let watcherPid: number | undefined
  let hasExited = false
  let isClosed = false
  let isSent = false
  let isWithdrawn = false

  function closeInput(): void {
    if (input !== undefined) closeSync(input)
    input = undefined
  }

  // Reading starts when there is a writer: before that, a reader would see the end of the file.
  function startReading(fd: number): void {
    reader = readFifo(fd, (chunk) => {
      if (onData) onData(chunk)
      else bufferedChunks.push(chunk)
      noteBytesRead(chunk.length)
    })
    void reader.closed.then(() => closed.resolve())
    if (!onData) reader.unref()
  }

  return {
    number,
    name: String(number),
    askpassKey,
    started: started.promise,
    exited: exited.promise,
    closed: closed.promise,
    get pid() {
      return pid
    },
    get watcherPid() {
      return watcherPid
    },
    get isClosed() {
      return output !== undefined || isClosed
    },
    get hasStarted() {
      return pid !== undefined
    },
    get hasExited() {
      return hasExited
    },
    get isWithdrawn() {
      return isWithdrawn
    },
    run(command, onOutput) {
      onData = onOutput
      reader?.ref()
      for (const chunk of bufferedChunks.splice(0)) onOutput(chunk)
      if (input !== undefined) isSent = writeSync(input, `${command}\0`) > 0
      if (pid !== undefined) closeInput()
    },
    pause: () => reader?.pause(),
    resume: () => reader?.resume(),
    ignoreOutput() {
      const abandoned = reader
      abandoned?.unref()
      onData = () => {
        abandoned?.pause()
        setTimeout(() => abandoned?.resume(), DISCARD_PAUSE_MS).unref()
      }
    },
    stdin,
    discard: closeInput,
    onStarted(leaderPid, watcher) {
      pid = leaderPid
      watcherPid = watcher
      for (const name of paths.all) rmSync(name, { force: true })
      if (onData) closeInput()
      if (output !== undefined) startReading(output)
      started.resolve(leaderPid)
    },
    onExit(status) {
      hasExited = true
      if (pid === undefined) {
        // Without its files, a shell that starts late has no command to run.
        for (const name of paths.all) rmSync(name, { force: true })
        if (input !== undefined) isWithdrawn = !isSent || endsWithNul(input)
      }
      closeInput()
      stdin?.close()
      if (pid === undefined && output !== undefined) closeSync(output)
      if (pid === undefined) closed.resolve()
      started.resolve(undefined)
      exited.resolve(status)
    },
    onClosed() {
      isClosed = true
      if (!reader) closed.resolve()
    },
  }
}

/** Reads what is left in the FIFO, and tells whether the end of the command was in it. */
function endsWithNul(fd: number): boolean {
  const rest = Buffer.alloc(FIFO_CAPACITY)
  try {
    const length = readSync(fd, rest)
    return length > 0 && rest[length - 1] === 0
  } catch {
    return false
  }
}

function openReadEnd(path: string, undo: () => unknown): number {
  try {
    return openSync(path, constants.O_RDONLY | constants.O_NONBLOCK)
  } catch (error) {
    undo()
    throw error
  }
}
