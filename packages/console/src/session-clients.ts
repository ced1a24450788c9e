// Finds the client that an item of the console comes from by its session: calls name their client, those that servers
// report and those in the history. Requests without a session share one of their user, which may be used by several
// clients; then the call that has made the item is looked for. Created by user-console.ts for one user; used by
// view-sender.ts. Reads the history. Sets a timer.

import { statelessCaller } from '@scorpiox/mcp/definitions/caller'
import type { CallHistory } from '@scorpiox/server/features/history/index'
import { formatPosition } from '@scorpiox/server/features/history/lazy'
import { CONSOLE_SESSION } from '@scorpiox/server/sessions/console-session'
import type { CallView, ServerClientView } from './view.js'

const MAX_KNOWN = 1000
const MAX_SERVERS = 200
const MAX_CLIENTS_OF_SERVER = 50
/** The precision of the time of the latest call of a client. */
const LAST_CALL_STEP_MS = 10_000
/** Calls of the shared session that are read for an item. */
const MAX_READ = 20
/** How long a call may have run when it makes an item. */
const MAX_MAKING_MS = 2000
/** After this time the call that has made an item is reported. */
const REPORTED_AFTER_MS = 1000
/** Durations of calls are rounded. */
const TOLERANCE_MS = 5

export interface SessionClients {
  /** The calls that a server reports. */
  note(calls: readonly CallView[]): void
  /** Name and version; undefined if it is not known, or not yet. */
  find(item: SessionItem): string | undefined
  /** The one with the latest call first. */
  listOfServer(server: string): readonly ServerClientView[]
  /** Resolves when nothing is read. */
  settled(): Promise<unknown>
  close(): void
}

export interface SessionItem {
  readonly session: string | undefined
  /** When a call made it; undefined if it was made after the call. */
  readonly at?: number | undefined
  /** One of these tools was called. */
  readonly tools?: readonly string[]
}

export interface SessionClientsDeps {
  readonly user: string
  readonly history: Pick<CallHistory, 'isKept' | 'list'>
  /** All that servers report. */
  readonly listCalls: () => readonly CallView[]
  /** More clients may be found now. */
  readonly onChange: () => void
}

export function createSessionClients({ user, history, listCalls, onChange }: SessionClientsDeps): SessionClients {
  const sharedSession = statelessCaller(user).session
  /** By session; for items of the shared session by item. */
  const found = new Map<string, string>()
  /** What was read from the history; undefined while it is read. */
  const stored = new Map<string, readonly CallView[] | undefined>()
  const servers = new Map<string, Map<string, ServerClientView>>()
  let reading: Promise<unknown> = Promise.resolve()
  let timer: NodeJS.Timeout | undefined

  function noteOfServer({ server, session, client, startedAt }: CallView): void {
    const known = servers.get(server) ?? new Map<string, ServerClientView>()
    setBounded(servers, server, known, MAX_SERVERS)
    const key = JSON.stringify([session, client])
    const rounded = Math.floor(startedAt / LAST_CALL_STEP_MS) * LAST_CALL_STEP_MS
    const lastCallAt = Math.max(known.get(key)?.lastCallAt ?? 0, rounded)
    // The one that has not called for the longest time is dropped first.
    known.delete(key)
    setBounded(known, key, { session, client, lastCallAt }, MAX_CLIENTS_OF_SERVER)
  }

  /** One after the other: each may read thousands of rows. */
  function readHistory(key: string, session: string, after: string | null, count: number): void {
    setBounded(stored, key, history.isKept ? undefined : [], MAX_KNOWN)
    if (!history.isKept) return
    const query = { project: null, tool: null, outcome: null, text: null, session, after }
    reading = reading.then(async () => {
      const { calls } = await history.list(user, query, count).catch(() => NO_CALLS)
      setBounded(stored, key, calls, MAX_KNOWN)
      onChange()
    })
  }

  function findOfSession(session: string): string | undefined {
    if (!found.has(session) && !stored.has(session)) readHistory(session, session, null, 1)
    return found.get(session) ?? (stored.get(session)?.[0]?.client || undefined)
  }

  function findByCall(at: number, tools: readonly string[]): string | undefined {
    const key = JSON.stringify([sharedSession, at, tools])
    if (found.has(key)) return found.get(key)
    if (Date.now() < at + REPORTED_AFTER_MS) {
      timer ??= setTimeout(onReported, REPORTED_AFTER_MS).unref()
      return undefined
    }
    if (!stored.has(key)) readHistory(key, sharedSession, formatPosition({ startedAt: at + 1, id: '' }), MAX_READ)
    const earlier = stored.get(key)
    if (earlier === undefined) return undefined
    const makers = [...earlier, ...listCalls()].filter(
      (call) => call.session === sharedSession && tools.includes(call.tool) && canHaveMade(call, at),
    )
    const [client = '', ...others] = new Set(makers.map((call) => call.client))
    if (client === '' || others.length > 0) return undefined
    setBounded(found, key, client, MAX_KNOWN)
    return client
  }

  function onReported(): void {
    timer = undefined
    onChange()
  }

  return {
    note(calls) {
      for (const call of calls) {
        if (call.client === '') continue
        if (call.session !== sharedSession) setBounded(found, call.session, call.client, MAX_KNOWN)
        if (call.session !== CONSOLE_SESSION) noteOfServer(call)
      }
    },
    find({ session, at, tools = [] }) {
      if (session === undefined) return undefined
      if (session !== sharedSession) return findOfSession(session)
      return at === undefined ? undefined : findByCall(at, tools)
    },
    listOfServer: (server) =>
      [...(servers.get(server)?.values() ?? [])].sort(
        (a, b) => b.lastCallAt - a.lastCallAt || (a.client < b.client ? -1 : 1),
      ),
    settled: () => reading,
    close: () => clearTimeout(timer),
  }
}

const NO_CALLS: { readonly calls: readonly CallView[] } = { calls: [] }

function canHaveMade({ startedAt, ms, outcome }: CallView, at: number): boolean {
  const hadEnded = outcome !== 'running' && startedAt + ms + TOLERANCE_MS < at
  return startedAt <= at && at - startedAt <= MAX_MAKING_MS && !hadEnded
}

/** Drops the entry that was added first. */
function setBounded<T>(entries: Map<string, T>, key: string, value: T, limit: number): void {
  entries.set(key, value)
  const [oldest] = entries.keys()
  if (entries.size > limit && oldest !== undefined) entries.delete(oldest)
}
