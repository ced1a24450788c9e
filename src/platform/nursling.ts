// One shell of the nursery: it waits for its one command at one pipe and prints to another. Both have names only until
// the shell has opened them.

import { closeSync, constants, openSync, readSync, rmSync, writeSync } from 'node:fs'

import { promised } from '../lib/promised.js'
import { listenAt, type Pipe } from './pipe.js'

export interface Nursling {
  readonly number: number
  /** The process that leads its session; undefined when it never came to be. */
  readonly up: Promise<number | undefined>
  /** Its exit status as a shell reports it; undefined when it cannot be known. */
  readonly exited: Promise<number | undefined>
  /** When nobody can write to its output any more. */
  readonly closed: Promise<void>
  readonly isOver: boolean
  /** It never started, and its command was taken back before a shell had read it whole: it has not run. */
  readonly isWithdrawn: boolean
  run(command: string, onOutput: (chunk: Buffer) => void): void
  readonly pause: () => void
  readonly resume: () => void
  /** Its output is no longer wanted. What it left behind may go on writing, slowly: closing the pipe would kill it. */
  readonly ignoreOutput: () => void
  /** It is not needed: without a command it ends. */
  dismiss(): void
}

/** A nursling as the nursery sees it. */
export interface Ward extends Nursling {
  /** The process that leads its session; undefined until it is up. */
  readonly pid: number | undefined
  /** The process that waits for it and reports its exit status. */
  readonly supervisor: number | undefined
  /** Nothing more is to be heard of it. */
  readonly isClosed: boolean
  onUp(pid: number, supervisor: number): void
  onExit(status: number | undefined): void
  /** Whoever recorded its output is done. */
  onClosed(): void
}

/** The names it is known by until it is up. */
export interface Names {
  /** The pipe for the command; undefined when that lies in a file. */
  readonly input: string | undefined
  /** The pipe for the output; undefined when that is recorded. */
  readonly output: string | undefined
  readonly all: readonly string[]
}

const SLOWLY_MS = 20
const PIPE_BYTES = 65_536

export function createWard(number: number, names: Names): Ward {
  // For reading and writing, because opening for writing alone fails while nobody reads.
  let input = names.input === undefined ? undefined : openSync(names.input, constants.O_RDWR | constants.O_NONBLOCK)
  const output = names.output === undefined ? undefined : openOr(names.output, () => closeInput())
  let pipe: Pipe | undefined
  let hear: ((chunk: Buffer) => void) | undefined
  const early: Buffer[] = []
  const up = promised<number | undefined>()
  const exited = promised<number | undefined>()
  const closed = promised<void>()
  let pid: number | undefined
  let supervisor: number | undefined
  let isOver = false
  let isClosed = false
  let isSent = false
  let isWithdrawn = false

  function closeInput(): void {
    if (input !== undefined) closeSync(input)
    input = undefined
  }

  // Only now is there a writer; until then, a reader would think that all has been said.
  function listen(fd: number): void {
    pipe = listenAt(fd, (chunk) => (hear ? hear(chunk) : early.push(chunk)))
    void pipe.closed.then(() => closed.resolve())
    if (!hear) pipe.unref()
  }

  return {
    number,
    up: up.promise,
    exited: exited.promise,
    closed: closed.promise,
    get pid() {
      return pid
    },
    get supervisor() {
      return supervisor
    },
    get isClosed() {
      return output !== undefined || isClosed
    },
    get isOver() {
      return isOver
    },
    get isWithdrawn() {
      return isWithdrawn
    },
    run(command, onOutput) {
      hear = onOutput
      pipe?.ref()
      for (const chunk of early.splice(0)) onOutput(chunk)
      if (input !== undefined) isSent = writeSync(input, `${command}\0`) > 0
      if (pid !== undefined) closeInput()
    },
    pause: () => pipe?.pause(),
    resume: () => pipe?.resume(),
    ignoreOutput() {
      const left = pipe
      left?.unref()
      hear = () => {
        left?.pause()
        setTimeout(() => left?.resume(), SLOWLY_MS).unref()
      }
    },
    dismiss: closeInput,
    onUp(leader, waiter) {
      pid = leader
      supervisor = waiter
      for (const name of names.all) rmSync(name, { force: true })
      if (hear) closeInput()
      if (output !== undefined) listen(output)
      up.resolve(leader)
    },
    onExit(status) {
      isOver = true
      if (pid === undefined) {
        // Without its files a shell that is started late has no command either.
        for (const name of names.all) rmSync(name, { force: true })
        if (input !== undefined) isWithdrawn = !isSent || endsWithNul(input)
      }
      closeInput()
      if (pid === undefined && output !== undefined) closeSync(output)
      if (pid === undefined) closed.resolve()
      up.resolve(undefined)
      exited.resolve(status)
    },
    onClosed() {
      isClosed = true
      if (!pipe) closed.resolve()
    },
  }
}

/** Whether the end of a command was still in the pipe, from which this takes it. */
function endsWithNul(fd: number): boolean {
  const rest = Buffer.alloc(PIPE_BYTES)
  try {
    const length = readSync(fd, rest)
    return length > 0 && rest[length - 1] === 0
  } catch {
    return false
  }
}

function openOr(name: string, undo: () => void): number {
  try {
    return openSync(name, constants.O_RDONLY | constants.O_NONBLOCK)
  } catch (error) {
    undo()
    throw error
  }
}
