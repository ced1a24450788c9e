// Where the life of a job comes from: a command at work in this process, or one that was recorded without us.

import { readFile } from 'node:fs/promises'

import type { Launcher } from '../../platform/launcher.js'
import { exitOfStatus, type Exit } from '../../platform/process.js'
import type { JobRecord } from '../../store/job-record.js'
import type { OutputReader } from '../../store/output-reader.js'
import type { OutputWriter } from '../../store/output-writer.js'
import type { Work } from '../shell/work.js'
import type { Source } from './job.js'

const LOOK_EVERY_MS = 200
/** How long the exit status of a command that has ended may take to reach the disk of a busy machine. */
const STATUS_WITHIN_MS = 10_000

/** A command whose output this process writes down. */
export function writtenBy(work: Work, writer: OutputWriter): Source {
  return {
    over: work.over.then(async (exit) => {
      await writer.close()
      return exit
    }),
    flush: () => writer.flush(),
    problem: () => writer.failure,
    onGrowth: (listener) => work.onOutput(listener),
    end: (killAfterMs) => work.end(killAfterMs),
    left: () => work.left(),
  }
}

/** A command whose output writes itself down. */
export function recordedBy(work: Work, output: OutputReader): Source {
  return {
    over: work.over,
    flush: () => Promise.resolve(),
    onGrowth: (listener) => output.watch(listener),
    end: (killAfterMs) => work.end(killAfterMs),
    left: () => work.left(),
  }
}

export interface AdoptSettings {
  readonly launcher: Launcher
  readonly record: JobRecord
  readonly output: OutputReader
  readonly statusFile: string
}

/** A command that another server started: its end is known from its processes and from the file with its exit status. */
export function adopted({ launcher, record, output, statusFile }: AdoptSettings): Source {
  return {
    over: untilOver(() => launcher.isLeft(record.tag), statusFile),
    flush: () => Promise.resolve(),
    onGrowth: (listener) => output.watch(listener),
    end: (killAfterMs) => launcher.endTree(record.tag, killAfterMs),
    left: () => Promise.resolve(launcher.leftOf(record.tag)),
  }
}

async function untilOver(isLeft: () => boolean, statusFile: string): Promise<Exit> {
  for (let goneAt: number | undefined; ;) {
    goneAt = isLeft() ? undefined : (goneAt ?? performance.now())
    const status = await statusIn(statusFile)
    // Also at the end: the last of its output may still be on its way to the disk.
    await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS).unref())
    const isLate = goneAt !== undefined && performance.now() - goneAt > STATUS_WITHIN_MS
    if (isLate || status !== undefined) return exitOfStatus(status)
  }
}

async function statusIn(path: string): Promise<number | undefined> {
  const text = await readFile(path, 'utf8').catch(() => '')
  // It may be looked at before it is written.
  return /^\d+\n$/.test(text) ? Number(text) : undefined
}
