// Stores task handles: calls that continue after their response (tasks of the protocol). A record belongs to one user
// and is invisible to others.

/** A stored task handle. */
export interface TicketRecord {
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
export interface TicketStore {
  /** Resolves when the record survives the end of this process. */
  save(record: TicketRecord): Promise<void>
  load(user: string, id: string): Promise<TicketRecord | undefined>
}

// A running task may exceed its time to live, but not by more than this.
const MAX_OVERRUN_MS = 30 * 24 * 60 * 60 * 1000

export function isOver({ createdAt, ttlMs, status }: TicketRecord, now: number): boolean {
  return now > createdAt + ttlMs + (status === 'working' ? MAX_OVERRUN_MS : 0)
}

const MAX_PER_USER = 1000

/** Keeps task handles in memory, for servers without storage. The limit is per user. */
export function createTicketMemory(maxPerUser = MAX_PER_USER): TicketStore {
  const users = new Map<string, Map<string, TicketRecord>>()

  function evict(records: Map<string, TicketRecord>): void {
    const now = Date.now()
    for (const [id, record] of records) if (isOver(record, now)) records.delete(id)
    for (const [id, { status }] of records) {
      if (records.size <= maxPerUser) return
      if (status !== 'working') records.delete(id)
    }
  }

  return {
    async save(record) {
      const records = users.get(record.user) ?? new Map<string, TicketRecord>()
      users.set(record.user, records)
      records.set(record.id, record)
      if (records.size > maxPerUser) evict(records)
    },
    async load(user, id) {
      const record = users.get(user)?.get(id)
      return record && !isOver(record, Date.now()) ? record : undefined
    },
  }
}
