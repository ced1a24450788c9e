// The interface of a store of task handles, and one in memory. A task handle is a call that continues after its response
// (tasks of the protocol). A record belongs to one user and is invisible to others. Used by task-handles.

/** A stored task handle. */
export interface TaskHandleRecord {
  readonly id: string
  readonly user: string
  /** The process that runs it. */
  readonly pid: number
  readonly createdAt: number
  readonly updatedAt: number
  readonly ttlMs: number
  readonly pollMs: number
  readonly status: 'working' | 'completed' | 'failed' | 'cancelled'
  readonly message?: string | undefined
  /** The result as JSON text, once completed. */
  readonly result?: string
  /** The JSON-RPC error, once failed. */
  readonly error?: { readonly code: number; readonly message: string }
}

/** Stores task handles. */
export interface TaskHandleStore {
  /** Resolves when the record survives the end of this process. */
  save(record: TaskHandleRecord): Promise<void>
  load(user: string, id: string): Promise<TaskHandleRecord | undefined>
  /**
   * For a store that several machines share, where a pid says nothing: why an unfinished task of another process will
   * never finish, undefined if it may. By default its pid is checked.
   */
  findLoss?(record: TaskHandleRecord): Promise<string | undefined>
}

// A running task may exceed its time to live, but not by more than this.
const MAX_OVERRUN_MS = 30 * 24 * 60 * 60 * 1000

export function isTaskHandleExpired({ createdAt, ttlMs, status }: TaskHandleRecord, now: number): boolean {
  return now > createdAt + ttlMs + (status === 'working' ? MAX_OVERRUN_MS : 0)
}

// What a user's finished task handles may hold: beyond that the oldest are removed before they expire.
const MAX_FINISHED = 1000
const MAX_FINISHED_BYTES = 64 * 1024 * 1024

export interface FinishedTaskHandle {
  readonly id: string
  readonly bytes: number
}

/** Selects those to be removed from the finished task handles of one user, newest first. The newest is kept. */
export function selectExcess(
  finished: readonly FinishedTaskHandle[],
  maxCount = MAX_FINISHED,
): readonly FinishedTaskHandle[] {
  let total = 0
  return finished.filter(({ bytes }, index) => {
    total += bytes
    return index > 0 && (index >= maxCount || total > MAX_FINISHED_BYTES)
  })
}

/** Keeps task handles in memory, for servers without storage. The limit is per user. */
export function createInMemoryTaskHandleStore(maxFinished?: number): TaskHandleStore {
  const users = new Map<string, Map<string, TaskHandleRecord>>()

  function evict(records: Map<string, TaskHandleRecord>): void {
    const now = Date.now()
    for (const [id, record] of records) if (isTaskHandleExpired(record, now)) records.delete(id)
    const finished = [...records.values()]
      .filter(({ status }) => status !== 'working')
      .toReversed()
      .map(({ id, result = '' }) => ({ id, bytes: 2 * result.length }))
    for (const { id } of selectExcess(finished, maxFinished)) records.delete(id)
  }

  return {
    async save(record) {
      const records = users.get(record.user) ?? new Map<string, TaskHandleRecord>()
      users.set(record.user, records)
      // Inserted last, so that records are in the order of their last change.
      records.delete(record.id)
      records.set(record.id, record)
      if (record.status !== 'working') evict(records)
    },
    async load(user, id) {
      const record = users.get(user)?.get(id)
      return record && !isTaskHandleExpired(record, Date.now()) ? record : undefined
    },
  }
}
