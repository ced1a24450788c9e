// The first server that lists jobs takes over those whose server has exited: it kills jobs that should have ended with
// their server, and follows those that outlive it.

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
  /** Directory where the servers of this project are registered. */
  readonly roll: string
  readonly launcher: Launcher
  readonly isKnown: (id: number) => boolean
  readonly add: (record: JobRecord, source?: Source) => void
  /** Saves a record; never rejects. */
  readonly note: (record: JobRecord) => Promise<void>
}

export function createHeir({
  records,
  roll: registryPath,
  launcher,
  isKnown: isRegistered,
  add,
  note: save,
}: HeirSettings): Heir {
  const takeovers = new Map<number, Promise<void>>()

  /** Concurrent calls for one job share one takeover. */
  function takeOver(record: JobRecord): Promise<void> {
    const { id } = record
    const takeover = takeovers.get(id) ?? takeOverIfOrphaned(record).finally(() => takeovers.delete(id))
    takeovers.set(id, takeover)
    return takeover
  }

  async function takeOverIfOrphaned(record: JobRecord): Promise<void> {
    if (isRegistered(record.id) || record.family === launcher.family) return
    if (record.ending !== undefined) {
      if (record.keep) add(record)
    } else if (!(await isServed(registryPath, record.family))) await adopt(record)
  }

  async function adopt(record: JobRecord): Promise<void> {
    const adoptedRecord = { ...record, owner: ourselves(), family: launcher.family }
    // The call that waited for a foreground command is gone with its server.
    if (record.keep && record.background) {
      await save(adoptedRecord)
      const output = openOutputReader(records.outputFolder(record.id))
      return add(adoptedRecord, adopted({ launcher, record, output, statusFile: records.statusFile(record.id) }))
    }
    await launcher.endTree(record.tag, KILL_AFTER_MS)
    const lostRecord: JobRecord = {
      ...adoptedRecord,
      endedAt: Date.now(),
      exitCode: null,
      signal: null,
      ending: 'server-lost',
    }
    await save(lostRecord)
    add(lostRecord)
  }

  return {
    takeOver,
    async takeOverAll() {
      await Promise.all((await records.list()).map(takeOver))
    },
  }
}
