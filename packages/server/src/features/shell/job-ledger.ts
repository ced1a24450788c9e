// The jobs of a user in the database that several machines share: numbers, records and last output, so that another
// machine can report on a job whose machine is gone. Opened by open-shell-service for a server that is one of several
// machines; used by job-service, user-jobs and shared-jobs. Reads and writes the database.

import {
  adoptJob,
  allocateJobNumber,
  deleteJob,
  insertJob,
  type JobRow,
  loseJob,
  type OutputTail,
  selectJob,
  selectJobOutput,
  selectJobs,
  updateJob,
  updateJobOutput,
} from '../../machines/job-table.js'
import type { Membership } from '../../machines/membership.js'
import { retryIdempotent, writeFenced } from '../../machines/shared-rows.js'
import type { Sql } from '../../storage/database.js'
import { scopeKey } from '../../storage/scope-table.js'
import type { Scope } from '../../storage/scoped-database.js'
import { type JobRecord, parseJobRecord } from './job-record.js'

/** How long the end of a job is kept here while the database is away. */
const END_RETRY_MS = 60_000

export interface JobLedger {
  /** Allocates a number and stores the record. `above`: the highest number that is taken on this disk. */
  create(fields: Omit<JobRecord, 'id'>, above: number): Promise<JobRecord>
  /** Stores a changed record, and the last output if the job has ended. */
  save(record: JobRecord, output: OutputTail | undefined): Promise<void>
  saveOutput(id: number, output: OutputTail): Promise<void>
  remove(id: number): Promise<void>
  /** Jobs whose machine is gone are declared lost first. Sorted by number. */
  list(): Promise<readonly SharedJob[]>
  find(id: number): Promise<SharedJob | undefined>
  /** Whether the machine that runs a job is there; undefined for a job that is not known. */
  isOwnerThere(id: number): Promise<boolean | undefined>
}

export interface SharedJob {
  readonly record: JobRecord
  /** It runs on this machine or another one. */
  readonly isRunning: boolean
  readonly isOwn: boolean
  readOutput(): Promise<OutputTail>
}

export function createJobLedger(membership: Membership, scope: Scope): JobLedger {
  const { database } = membership
  const workspace = scopeKey(scope)
  /** The incarnation under which a job of this process was last stored. */
  const owners = new Map<number, string>()

  /** With the fence while the workspace is owned; after a handover a job that still runs here is written by its owner. */
  function writeJob(id: number, work: (sql: Sql, owner: string) => Promise<void>): Promise<void> {
    const { incarnation, name } = membership
    if (membership.ownedEpoch(scope) !== undefined) {
      return writeFenced(membership, scope, async (sql) => {
        if (owners.get(id) !== incarnation) await adoptJob(sql, workspace, id, incarnation, name)
        owners.set(id, incarnation)
        await work(sql, incarnation)
      })
    }
    return database.write(`job ${workspace} ${id}`, async (sql) => {
      await work(sql, owners.get(id) ?? incarnation)
      return { value: undefined, commit: true }
    })
  }

  async function toSharedJob(row: JobRow): Promise<SharedJob | undefined> {
    const record = parseJobRecord(row.record)
    if (!record) return undefined
    const isLost = !row.isEnded && row.isOwnerGone && !owners.has(row.id)
    const shown = isLost ? await declareLost(record, row) : { ...record, machine: row.machine }
    return {
      record: shown,
      isRunning: !row.isEnded && !isLost,
      isOwn: owners.has(row.id),
      readOutput: () => database.read((sql) => selectJobOutput(sql, workspace, row.id)),
    }
  }

  async function declareLost(record: JobRecord, { id, machine }: JobRow): Promise<JobRecord> {
    const lost: JobRecord = {
      ...record,
      machine,
      endedAt: Math.round(membership.databaseTime()),
      exitCode: null,
      signal: null,
      ending: 'machine-lost',
    }
    await retryIdempotent(() =>
      writeFenced(membership, scope, (sql) => loseJob(sql, workspace, id, JSON.stringify(lost))),
    )
    return lost
  }

  return {
    create(fields, above) {
      return writeFenced(membership, scope, async (sql) => {
        const { incarnation: owner, name: machine } = membership
        const record = { ...fields, machine, id: await allocateJobNumber(sql, scope, above) }
        await insertJob(sql, { workspace, id: record.id, owner, machine, record: JSON.stringify(record) })
        owners.set(record.id, owner)
        return record
      })
    },
    async save(record, output) {
      const { id, ending } = record
      const change = { workspace, id, record: JSON.stringify(record), isEnded: ending !== undefined }
      const save = (): Promise<void> =>
        writeJob(id, async (sql, owner) => {
          if (output) await updateJobOutput(sql, { workspace, id, ...output }, owner)
          await updateJob(sql, change, owner)
        })
      try {
        await retryIdempotent(save, END_RETRY_MS)
      } finally {
        if (ending !== undefined) owners.delete(id)
      }
    },
    saveOutput: (id, output) => writeJob(id, (sql, owner) => updateJobOutput(sql, { workspace, id, ...output }, owner)),
    async remove(id) {
      owners.delete(id)
      await retryIdempotent(() => writeFenced(membership, scope, (sql) => deleteJob(sql, workspace, id)))
    },
    async list() {
      const rows = await database.read((sql) => selectJobs(sql, workspace))
      const jobs: SharedJob[] = []
      for (const row of rows) {
        const job = await toSharedJob(row)
        if (job) jobs.push(job)
      }
      return jobs
    },
    async find(id) {
      const row = await database.read((sql) => selectJob(sql, workspace, id))
      return row && toSharedJob(row)
    },
    async isOwnerThere(id) {
      const row = await database.read((sql) => selectJob(sql, workspace, id))
      return row && !row.isOwnerGone
    },
  }
}
