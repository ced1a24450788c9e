// Where tickets are kept: a ticket is a call that outlives its answer (the wire says task). A record is always of one
// user; whoever asks for another user's finds nothing.

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

const MAX_KEPT = 10_000

/** For servers that keep nothing: tickets live as long as the process. */
export function createTicketMemory(): TicketStore {
  const records = new Map<string, TicketRecord>()
  return {
    async save(record) {
      const now = Date.now()
      records.set(keyOf(record.user, record.id), record)
      if (records.size <= MAX_KEPT) return
      for (const [key, kept] of records) if (isOver(kept, now) || records.size > MAX_KEPT) records.delete(key)
    },
    async load(user, id) {
      const record = records.get(keyOf(user, id))
      return record && !isOver(record, Date.now()) ? record : undefined
    },
  }
}

function keyOf(user: string, id: string): string {
  return `${user}\n${id}`
}
