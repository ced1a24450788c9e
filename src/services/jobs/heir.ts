// What earlier servers left behind goes to the first who looks, unless the server it belongs to is still at work: what
// was to end with its server is ended, what was to go on is followed from here.

import type { Launcher } from '../../platform/launcher.js'
import { ourselves } from '../../platform/process-identity.js'
import type { JobRecord } from '../../store/job-record.js'
import type { JobRecords } from '../../store/job-records.js'
import { openOutputReader } from '../../store/output-reader.js'
import { isServed } from '../../store/server-roll.js'
import type { Source } from './job.js'
import { adopted } from './sources.js'

const KILL_AFTER_MS = 2000

export interface Heir {
  takeOver(record: JobRecord): Promise<void>
  takeOverAll(): Promise<void>
}

export interface HeirSettings {
  readonly records: JobRecords
  /** Where servers of this project sign in. */
  readonly roll: string
  readonly launcher: Launcher
  readonly isKnown: (id: number) => boolean
  readonly add: (record: JobRecord, source?: Source) => void
  /** Writes a record down, if that can be done. */
  readonly note: (record: JobRecord) => Promise<void>
}

export function createHeir({ records, roll, launcher, isKnown, add, note }: HeirSettings): Heir {
  const taking = new Map<number, Promise<void>>()

  /** Each once, however many look at the same time. */
  function takeOver(record: JobRecord): Promise<void> {
    const { id } = record
    const taken = taking.get(id) ?? takeUnlessServed(record).finally(() => taking.delete(id))
    taking.set(id, taken)
    return taken
  }

  async function takeUnlessServed(record: JobRecord): Promise<void> {
    if (isKnown(record.id) || record.family === launcher.family) return
    if (record.ending !== undefined) {
      if (record.keep) add(record)
    } else if (!(await isServed(roll, record.family))) await inherit(record)
  }

  async function inherit(record: JobRecord): Promise<void> {
    const mine = { ...record, owner: ourselves(), family: launcher.family }
    // What somebody waited for has nobody left who does.
    if (record.keep && record.background) {
      await note(mine)
      const output = openOutputReader(records.outputFolder(record.id))
      return add(mine, adopted({ launcher, record, output, statusFile: records.statusFile(record.id) }))
    }
    await launcher.endTree(record.tag, KILL_AFTER_MS)
    const lost: JobRecord = { ...mine, endedAt: Date.now(), exitCode: null, signal: null, ending: 'server-lost' }
    await note(lost)
    add(lost)
  }

  return {
    takeOver,
    async takeOverAll() {
      await Promise.all((await records.list()).map(takeOver))
    },
  }
}
