// Sources of a running job's exit and output: a command of this process, or one that records itself.

import { readFile } from 'node:fs/promises'

import type { Launcher } from '../../platform/launcher.js'
import { exitOfStatus, type Exit } from '../../platform/process.js'
import type { JobRecord } from '../../store/job-record.js'
import type { OutputReader } from '../../store/output-reader.js'
import type { OutputWriter } from '../../store/output-writer.js'
import type { Work } from '../shell/work.js'
import type { Source } from './job.js'

const LOOK_EVERY_MS = 200
/** How long the exit status of a command that exited may take to appear on disk. */
const STATUS_WITHIN_MS = 10_000

/** A command whose output this process writes to disk. */
export function writtenBy(execution: Work, writer: OutputWriter): Source {
  return {
    over: execution.over.then(async (exit) => {
      await writer.close()
      return exit
    }),
    flush: () => writer.flush(),
    problem: () => writer.failure,
    onGrowth: (listener) => execution.onOutput(listener),
    end: (killAfterMs) => execution.end(killAfterMs),
    left: () => execution.left(),
  }
}

/** A command that records its own output. */
export function recordedBy(execution: Work, output: OutputReader): Source {
  return {
    over: execution.over,
    flush: () => Promise.resolve(),
    onGrowth: (listener) => output.watch(listener),
    end: (killAfterMs) => execution.end(killAfterMs),
    left: () => execution.left(),
  }
}

export interface AdoptSettings {
  readonly launcher: Launcher
  readonly record: JobRecord
  readonly output: OutputReader
  readonly statusFile: string
}

/** A command of another server: its exit is detected by its processes and its exit status file. */
export function adopted({ launcher, record, output, statusFile }: AdoptSettings): Source {
  return {
    over: untilOver(() => launcher.isLeft(record.tag), statusFile),
    flush: () => Promise.resolve(),
    onGrowth: (listener) => output.watch(listener),
    end: (killAfterMs) => launcher.endTree(record.tag, killAfterMs),
    left: () => Promise.resolve(launcher.leftOf(record.tag)),
  }
}

async function untilOver(isRunning: () => boolean, statusFile: string): Promise<Exit> {
  for (let exitedAt: number | undefined; ;) {
    exitedAt = isRunning() ? undefined : (exitedAt ?? performance.now())
    const status = await statusIn(statusFile)
    // Also after the exit: the last output may not be on disk yet.
    await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS).unref())
    const timedOut = exitedAt !== undefined && performance.now() - exitedAt > STATUS_WITHIN_MS
    if (timedOut || status !== undefined) return exitOfStatus(status)
  }
}

async function statusIn(path: string): Promise<number | undefined> {
  const text = await readFile(path, 'utf8').catch(() => '')
  // The file may be read before it is complete.
  return /^\d+\n$/.test(text) ? Number(text) : undefined
}
