// The history of calls: a database of its own (history.db beside state.db, or the configured PostgreSQL database), so
// that it never delays the writes of tasks and can be deleted. Bounded for each user in number, size and age. Used by
// call-recorder.ts and the console. Opens the database on first use; reads and writes it.

import { join } from 'node:path'

import type { Config } from '../../config/load-config.js'
import { getStateDir } from '../../config/paths.js'
import type { Database, Sql } from '../../storage/database.js'
import { openDatabase } from '../../storage/open-database.js'
import { createKeyedMutex } from '../../async/concurrency.js'
import { createLazyResource, settlesWithin } from '../../async/timeouts.js'
import type { RecordedCall, CallQuery, CallView } from '../../calls/recorded-call.js'
import {
  type CallBounds,
  type CallPosition,
  countCharacters,
  findCall,
  findNextUser,
  hasAgedRows,
  insertCalls,
  pruneCalls,
  type ScannedCalls,
  scanCalls,
  type UserCall,
} from './call-table.js'
import { listJobsOfSession, type PastJob, pruneJobs, upsertJobs } from './past-job-table.js'

export interface CallHistory {
  /** False: the settings turn it off. */
  readonly isKept: boolean
  append(calls: readonly UserCall[]): Promise<void>
  /** At most `limit` calls, newest first. `next`: where to continue, perhaps before fewer calls were found. */
  list(
    user: string,
    query: CallQuery,
    limit: number,
  ): Promise<{ readonly calls: readonly CallView[]; readonly next: CallPosition | undefined }>
  find(user: string, id: string): Promise<RecordedCall | undefined>
  /** Jobs that are known already get their end. */
  appendJobs(user: string, jobs: readonly PastJob[]): Promise<void>
  listJobs(user: string, session: string): Promise<readonly PastJob[]>
  close(): Promise<void>
}

const MAX_CALLS = 20_000
const MAX_BYTES = 128 * 1024 * 1024
const DAY_MS = 24 * 60 * 60 * 1000
/** What a user appends between two deletions of old calls, which reads the sizes of all. */
const PRUNE_EVERY = 500
const PRUNE_EVERY_CHARACTERS = 4 * 1024 * 1024
const MAX_USERS = 1000
/** Between two deletions of the old calls of users who make none any more. */
const SWEEP_MS = DAY_MS / 4
/** A database that another process has locked must not delay the end of the server. */
const MAX_CLOSE_MS = 500

/** Rows that one transaction reads: SQLite blocks the process for that time. */
const SCANNED_ROWS = 1000
const SEARCHED_ROWS = 50
/** A list that finds little continues with the next request. */
const MAX_SCAN_MS = 1000

type HistorySettings = Pick<Config['settings'], 'CALL_HISTORY' | 'CALL_HISTORY_DAYS' | 'DATABASE_URL' | 'STATE_DIR'>

export function createCallHistory(settings: HistorySettings, bounds?: Partial<CallBounds>): CallHistory {
  const database = createLazyResource(() => openHistoryDatabase(settings))
  /** One list of a user after the other, so that many searches of one do not delay the lists and calls of others. */
  const takeTurn = createKeyedMutex()
  /** Of each user, since old calls were deleted. */
  const appended = new Map<string, { readonly count: number; readonly characters: number }>()
  let sweptAt = Number.NEGATIVE_INFINITY
  let sweeping: Promise<void> | undefined
  let closing: Promise<void> | undefined

  async function closeNow(): Promise<void> {
    await sweeping
    await (await database.current())?.close()
  }

  function boundsNow(): CallBounds {
    const oldest = Date.now() - settings.CALL_HISTORY_DAYS * DAY_MS
    return { maxCalls: MAX_CALLS, maxBytes: MAX_BYTES, oldest, ...bounds }
  }

  /** Several servers write at once, so each deletes now and then; the first time with its first calls. */
  function listUsersToPrune(calls: readonly UserCall[]): readonly string[] {
    const due = new Set<string>()
    for (const { user, details } of calls) {
      if (appended.size >= MAX_USERS) appended.clear()
      const { count, characters } = appended.get(user) ?? { count: PRUNE_EVERY, characters: 0 }
      const now = { count: count + 1, characters: characters + countCharacters(details) }
      const isDue = now.count >= PRUNE_EVERY || now.characters >= PRUNE_EVERY_CHARACTERS
      if (isDue) due.add(user)
      appended.set(user, isDue ? { count: 0, characters: 0 } : now)
    }
    return [...due]
  }

  async function prune(opened: Database, user: string, limits: CallBounds): Promise<void> {
    while (await write(opened, (sql) => pruneCalls(sql, user, limits))) if (closing) return
  }

  /** Of all users, one after the other, in short transactions. What fails is left to the next time. */
  async function deleteAged(opened: Database): Promise<void> {
    const { oldest } = boundsNow()
    const limits = { maxCalls: Number.POSITIVE_INFINITY, maxBytes: Number.POSITIVE_INFINITY, oldest }
    const find = (after: string) => opened.read((sql) => findNextUser(sql, after))
    for (let next = await find(''); next !== undefined; next = await find(next)) {
      const user = next
      if (closing) return
      if (!(await opened.read((sql) => hasAgedRows(sql, user, oldest)))) continue
      await prune(opened, user, limits)
      await write(opened, (sql) => pruneJobs(sql, user, oldest))
    }
  }

  function startSweep(opened: Database): void {
    if (performance.now() - sweptAt < SWEEP_MS || sweeping) return
    sweptAt = performance.now()
    sweeping = deleteAged(opened)
      .catch(() => {})
      .finally(() => (sweeping = undefined))
  }

  return {
    isKept: settings.CALL_HISTORY,
    async append(calls) {
      const opened = await database.open()
      const users = listUsersToPrune(calls)
      await write(opened, (sql) => insertCalls(sql, calls))
      for (const user of users) await prune(opened, user, boundsNow())
      startSweep(opened)
    },
    list: (user, query, limit) => takeTurn(user, async () => listCalls(await database.open(), user, query, limit)),
    async find(user, id) {
      const opened = await database.open()
      return opened.read((sql) => findCall(sql, user, id))
    },
    async appendJobs(user, jobs) {
      const opened = await database.open()
      await write(opened, async (sql) => {
        await upsertJobs(sql, user, jobs)
        await pruneJobs(sql, user, boundsNow().oldest)
      })
    },
    async listJobs(user, session) {
      const opened = await database.open()
      return opened.read((sql) => listJobsOfSession(sql, user, session))
    },
    async close() {
      closing ??= closeNow()
      await settlesWithin(MAX_CLOSE_MS, closing)
    },
  }
}

async function listCalls(opened: Database, user: string, query: CallQuery, limit: number) {
  const startedAt = performance.now()
  const count = rowsPerScan(query, limit)
  const calls: CallView[] = []
  let before: CallPosition | undefined = parsePosition(query.after)
  do {
    const start = before
    const found: ScannedCalls = await opened.read((sql) => scanCalls(sql, { user, query, before: start, count }))
    calls.push(...found.calls)
    before = found.next
  } while (before && calls.length < limit && performance.now() - startedAt < MAX_SCAN_MS)
  const [listed, last] = [calls.slice(0, limit), calls[limit - 1]]
  return { calls: listed, next: calls.length > limit && last ? toPosition(last) : before }
}

function openHistoryDatabase(settings: Pick<HistorySettings, 'DATABASE_URL' | 'STATE_DIR'>): Promise<Database> {
  const file = join(getStateDir(settings), 'history.db')
  // Calls do not wait for the disk: after a power failure the last of them may be missing.
  return openDatabase({ file, databaseUrl: settings.DATABASE_URL, durability: 'NORMAL' })
}

function rowsPerScan({ project, session, tool, outcome, text }: CallQuery, limit: number): number {
  if (text !== null) return SEARCHED_ROWS
  return [project, session, tool, outcome].every((condition) => condition === null) ? limit : SCANNED_ROWS
}

function write<T>(database: Database, work: (sql: Sql) => Promise<T>): Promise<T> {
  return database.write('calls', async (sql) => ({ value: await work(sql), commit: true }))
}

export function toPosition({ startedAt, id }: CallView): CallPosition {
  return { startedAt, id }
}

export function formatPosition({ startedAt, id }: CallPosition): string {
  return `${startedAt}~${id}`
}

/** Invalid text is the beginning of the list. */
export function parsePosition(text: string | null): CallPosition {
  const [, startedAt, id] = /^(\d{1,15})~(.*)$/s.exec(text ?? '') ?? []
  return { startedAt: startedAt === undefined ? Number.MAX_SAFE_INTEGER : Number(startedAt), id: id ?? '' }
}

/** Whether a list shows the call after the other one, which is newer. */
export function isBefore(a: CallPosition, b: CallPosition): boolean {
  return a.startedAt < b.startedAt || (a.startedAt === b.startedAt && a.id < b.id)
}
