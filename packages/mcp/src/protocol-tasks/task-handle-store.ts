// The interface of a store of task handles, and one in memory. A task handle is a call that continues after its
// response (tasks of the protocol). A record belongs to one user and is invisible to others.

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
}

// A running task may exceed its time to live, but not by more than this.
const MAX_OVERRUN_MS = 30 * 24 * 60 * 60 * 1000

export function isTaskHandleExpired({ createdAt, ttlMs, status }: TaskHandleRecord, now: number): boolean {
  return now > createdAt + ttlMs + (status === 'working' ? MAX_OVERRUN_MS : 0)
}

const MAX_PER_USER = 1000

/** Keeps task handles in memory, for servers without storage. The limit is per user. */
export function createInMemoryTaskHandleStore(maxPerUser = MAX_PER_USER): TaskHandleStore {
  const users = new Map<string, Map<string, TaskHandleRecord>>()

  function evict(records: Map<string, TaskHandleRecord>): void {
    const now = Date.now()
    for (const [id, record] of records) if (isTaskHandleExpired(record, now)) records.delete(id)
    for (const [id, { status }] of records) {
      if (records.size <= maxPerUser) return
      if (status !== 'working') records.delete(id)
    }
  }

  return {
    async save(record) {
      const records = users.get(record.user) ?? new Map<string, TaskHandleRecord>()
      users.set(record.user, records)
      records.set(record.id, record)
      if (records.size > maxPerUser) evict(records)
    },
    async load(user, id) {
      const record = users.get(user)?.get(id)
      return record && !isTaskHandleExpired(record, Date.now()) ? record : undefined
    },
  }
}
