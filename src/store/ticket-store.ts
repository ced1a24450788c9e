// Where tickets are kept: a ticket is a call that outlives its answer (the wire says task). A record is always of one
// user; whoever asks for another user's finds nothing.

/** A call that outlives its answer, as it is kept. */
export interface TicketRecord {
  readonly id: string
  readonly user: string
  /** The process that works on it. */
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

/** Where calls that outlive their answer are kept. */
export interface TicketStore {
  /** Resolves when the record would survive the end of this process. */
  save(record: TicketRecord): Promise<void>
  load(user: string, id: string): Promise<TicketRecord | undefined>
}

// Work that takes longer than it was to be kept is still work; but nobody works for so long.
const MONTH_MS = 30 * 24 * 60 * 60 * 1000

export function isOver({ createdAt, ttlMs, status }: TicketRecord, now: number): boolean {
  return now > createdAt + ttlMs + (status === 'working' ? MONTH_MS : 0)
}

const MAX_PER_USER = 1000

/** For servers that keep nothing: tickets live as long as the process. Nobody's push out another's. */
export function createTicketMemory(maxPerUser = MAX_PER_USER): TicketStore {
  const users = new Map<string, Map<string, TicketRecord>>()

  function makeRoom(records: Map<string, TicketRecord>): void {
    const now = Date.now()
    for (const [id, kept] of records) if (isOver(kept, now)) records.delete(id)
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
      if (records.size > maxPerUser) makeRoom(records)
    },
    async load(user, id) {
      const record = users.get(user)?.get(id)
      return record && !isOver(record, Date.now()) ? record : undefined
    },
  }
}
