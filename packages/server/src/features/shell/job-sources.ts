// Sources of a running job's exit and output: a command of this process, one that records itself, or one taken over from
// another server. runAndFollowOutput starts one that records itself. Used by user-jobs and job-takeover. Reads output and
// status files; kills processes. Sets timers.

import { readFile } from 'node:fs/promises'

import type { CommandRunner, RunningCommand, RunRequest } from '../../process/command-runner.js'
import { noteBytesRead } from '../../process/garbage-collector.js'
import { createInputPipeAt } from '../../process/input-pipe.js'
import { type ExitStatus, exitStatusFromShellCode } from '../../process/spawn.js'
import type { CommandExecution } from './command-execution.js'
import type { JobRecord } from './job-record.js'
import type { JobSource, LeftoverProcesses } from './job.js'
import type { JobOutputReader } from './output-reader.js'
import type { JobOutputWriter } from './output-writer.js'
import { dropPartialCharacter, READ_CHUNK_BYTES } from './read-job-output.js'

const CHECK_INTERVAL_MS = 200
/** How long the exit status of a command that exited may take to appear on disk. */
const STATUS_TIMEOUT_MS = 10_000

/** A command whose output this process writes to disk. */
export function fromWriter(execution: CommandExecution, writer: JobOutputWriter): JobSource {
  return {
    exited: execution.exited.then(async (exit) => {
      await writer.close()
      return exit
    }),
    flush: () => writer.flush(),
    outputProblem: () => execution.endReason() ?? writer.failure,
    lastEscapeAt: () => writer.lastEscapeAt,
    onGrowth: (listener) => execution.onOutput(listener),
    kill: (killAfterMs) => execution.kill(killAfterMs),
    leftovers: leftoversOf(execution),
    stdin: execution.stdin,
  }
}

/** A command that records its own output. */
export function fromRecording(execution: CommandExecution, output: JobOutputReader): JobSource {
  return {
    exited: execution.exited,
    flush: () => Promise.resolve(),
    outputProblem: execution.endReason,
    onGrowth: (listener) => output.watch(listener),
    kill: (killAfterMs) => execution.kill(killAfterMs),
    leftovers: leftoversOf(execution),
    stdin: execution.stdin,
  }
}

function leftoversOf(execution: CommandExecution): LeftoverProcesses {
  const { killRemainingChildren, findRemainingChildren, areChildrenUnlisted = () => false } = execution
  return { kill: killRemainingChildren, find: findRemainingChildren, areUnlisted: areChildrenUnlisted }
}

export interface AdoptedJobOptions {
  readonly commandRunner: CommandRunner
  readonly record: JobRecord
  readonly output: JobOutputReader
  readonly statusFile: string
  readonly inputFifo: string
}

/** A command of another server: its exit is detected by its processes and its exit status file. */
export function fromAdoptedProcess(settings: AdoptedJobOptions): JobSource {
  const { commandRunner, record, output, statusFile, inputFifo } = settings
  return {
    exited: waitForExit(() => commandRunner.isTreeRunning(record.tag), statusFile),
    flush: () => Promise.resolve(),
    onGrowth: (listener) => output.watch(listener),
    kill: (killAfterMs) => commandRunner.killTree(record.tag, killAfterMs),
    leftovers: {
      kill: (killAfterMs) => commandRunner.killTree(record.tag, killAfterMs),
      find: () => Promise.resolve(commandRunner.findTreeProcesses(record.tag)),
    },
    stdin: record.stdin && createInputPipeAt(inputFifo),
  }
}

async function waitForExit(isRunning: () => boolean, statusFile: string): Promise<ExitStatus> {
  for (let exitedAt: number | undefined; ;) {
    exitedAt = isRunning() ? undefined : (exitedAt ?? performance.now())
    const status = await readExitCode(statusFile)
    // Also after the exit: the last output may not be on disk yet.
    await new Promise((resolve) => setTimeout(resolve, CHECK_INTERVAL_MS).unref())
    const timedOut = exitedAt !== undefined && performance.now() - exitedAt > STATUS_TIMEOUT_MS
    if (timedOut || status !== undefined) return exitStatusFromShellCode(status)
  }
}

async function readExitCode(path: string): Promise<number | undefined> {
  const text = await readFile(path, 'utf8').catch(() => '')
  // The file may be read before it is complete.
  return /^\d+\n$/.test(text) ? Number(text) : undefined
}

/** Launches a command that records its own output, and reads the growing files so that its output arrives as usual. */
export async function runAndFollowOutput(
  commandRunner: CommandRunner,
  request: RunRequest,
  output: JobOutputReader,
): Promise<RunningCommand> {
  const running = await commandRunner.run({ ...request, onOutput: () => {} })
  let next = 0
  let reading = Promise.resolve()

  async function readToEnd(): Promise<void> {
    for (;;) {
      const { from, bytes } = await output.read(next, READ_CHUNK_BYTES)
      if (bytes.length === 0) return
      const whole = from > next ? dropPartialCharacter(bytes) : bytes
      const lostBytes = from - next + bytes.length - whole.length
      if (lostBytes > 0) request.onGap?.(lostBytes)
      next = from + bytes.length
      request.onOutput(whole)
      noteBytesRead(whole.length)
    }
  }

  // Reads are serialized. What a failed read misses is read by the next one.
  const readNew = (): Promise<void> => (reading = reading.then(readToEnd).catch(() => undefined))
  const unsubscribe = output.watch(() => void readNew())
  async function waitForLastOutput(): Promise<ExitStatus> {
    const exit = await running.exited
    await readNew()
    unsubscribe()
    return exit
  }
  return { ...running, exited: waitForLastOutput() }
}
