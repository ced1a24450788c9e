// Calls that outlive their answer (the wire says tasks): made durable before the handle is given out, asked about,
// answered and cancelled by whoever made them and by nobody else. What they come to is kept until its time is up.

import { randomBytes } from 'node:crypto'

import { Failure } from '../lib/failure.js'
import { isObject, type JsonObject } from '../lib/json.js'
import type { Notices } from '../services/notices.js'
import type { TicketRecord, TicketStore } from '../store/ticket-store.js'
import type { DeferOptions } from '../tools/call.js'
import { describeRecord, LiveTicket, type Ticket, type TicketOwner } from './live-ticket.js'
import { INTERNAL_ERROR, INVALID_PARAMS, ProtocolError } from './protocol-error.js'

const DAY_MS = 24 * 60 * 60 * 1000
// As good as for ever, and still a number.
const MAX_TTL_MS = 100 * 365 * DAY_MS
const POLL_MS = 1000
const MAX_WORKING = 1000

export interface Tickets {
  /** Resolves when the ticket would be found by another process. */
  create(owner: TicketOwner, options?: DeferOptions): Promise<Ticket>
  /** The members that describe it. */
  describe(user: string, id: string): Promise<string>
  answer(user: string, id: string, responses: JsonObject): Promise<void>
  cancel(user: string, id: string): Promise<void>
  /** Ends the work of all that are left; each says so to whoever asks later. */
  close(): Promise<void>
}

export function createTickets(store: TicketStore, notices: Notices): Tickets {
  const working = new Map<string, LiveTicket>()
  let isClosed = false

  async function find(user: string, id: string): Promise<LiveTicket | TicketRecord> {
    const live = working.get(id)
    if (live?.record.user === user) return live
    const record = await store.load(user, id)
    if (record) return record.status === 'working' && !isWorkedOn(record) ? orphaned(record) : record
    throw new ProtocolError(INVALID_PARAMS, 'Task not found: it never existed, has expired or is not yours')
  }

  function checkRoom(user: string): void {
    if (isClosed) throw new Failure('The server is stopping.')
    let count = 0
    for (const { record } of working.values()) if (record.user === user) count++
    if (count >= MAX_WORKING) {
      throw new Failure(`There are ${MAX_WORKING} unfinished tasks already. Wait for some of them, or cancel them.`)
    }
  }

  return {
    async create(owner, options) {
      checkRoom(owner.user)
      const record = newRecord(owner.user, options)
      const { id } = record
      const live = new LiveTicket(record, { owner, store, notices, leave: () => working.delete(id) })
      // Counted from now on; nobody knows its id before it is durable.
      working.set(id, live)
      try {
        await store.save(record)
      } catch (error) {
        working.delete(id)
        throw error
      }
      return live
    },
    async describe(user, id) {
      const found = await find(user, id)
      return found instanceof LiveTicket ? found.members : describeRecord(found)
    },
    async answer(user, id, responses) {
      const found = await find(user, id)
      if (found instanceof LiveTicket) found.take(responses)
      else if (found.status === 'working') throw elsewhere()
    },
    async cancel(user, id) {
      const found = await find(user, id)
      if (found instanceof LiveTicket) await found.cancel()
      else if (found.status === 'working') throw elsewhere()
    },
    async close() {
      isClosed = true
      await Promise.allSettled([...working.values()].map((live) => live.stop('The server was stopped.')))
    },
  }
}

function newRecord(user: string, { ttlMs = DAY_MS, pollMs = POLL_MS, message }: DeferOptions = {}): TicketRecord {
  const id = randomBytes(18).toString('base64url')
  const now = Date.now()
  const times = { createdAt: now, updatedAt: now, ttlMs: Math.min(Math.ceil(ttlMs), MAX_TTL_MS), pollMs }
  return { id, user, pid: process.pid, ...times, status: 'working', message }
}

function isWorkedOn({ pid }: TicketRecord): boolean {
  // What this process works on was found before; a record under its number is of an earlier process that had it.
  if (pid === process.pid) return false
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return isObject(error) && error.code === 'EPERM'
  }
}

/** Saying yes and doing nothing would be a lie. */
function elsewhere(): ProtocolError {
  return new ProtocolError(INTERNAL_ERROR, 'Another process of this server works on this task; ask there')
}

function orphaned(record: TicketRecord): TicketRecord {
  const message = 'The server ended while it worked on this.'
  return { ...record, status: 'failed', message, error: { code: INTERNAL_ERROR, message } }
}
