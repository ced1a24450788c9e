// The tables behind callbacks as arrays, with the transactions of a database: writers are serialised, readers see
// committed rows, and a transaction that throws changes nothing.

import type { CallbackRow } from '@scorpiox/server/features/callbacks/callback-table'
import type { PendingMessage } from '@scorpiox/server/sessions/message-table'
import type { SessionLease } from '@scorpiox/server/sessions/session-leases'
import type { Scope, StateDatabase, StateTables } from '@scorpiox/server/state'
import { createKeyedMutex } from '@scorpiox/server/async/concurrency'

interface Content {
  sessions: readonly SessionLease[]
  callbacks: readonly CallbackRow[]
  waiting: readonly PendingMessage[]
  nextMessage: number
}

export function memoryState(): StateDatabase {
  let kept: Content = { sessions: [], callbacks: [], waiting: [], nextMessage: 1 }
  const inTurn = createKeyedMutex()
  const listeners = new Set<(scope: Scope) => void>()
  return {
    read: (_, work) => work(rowsOver({ ...kept })),
    write: (scope, work) =>
      inTurn('', async () => {
        const draft = { ...kept }
        const value = await work(rowsOver(draft))
        kept = draft
        for (const listener of listeners) queueMicrotask(() => listener(scope))
        return value
      }),
    onChange(listener) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    pollNow: () => Promise.resolve(),
    listProjectsWithItems: () => Promise.resolve([]),
    listUsersWithPendingItems: () => Promise.resolve(kept.callbacks.length + kept.waiting.length > 0 ? ['ann'] : []),
    close: () => Promise.resolve(),
  }
}

function rowsOver(draft: Content): StateTables {
  const isAt = (row: CallbackRow, session: string, slot: number): boolean =>
    row.session === session && row.slot === slot
  const callbacks: StateTables['callbacks'] = {
    list: async () =>
      draft.callbacks.toSorted((a, b) => (a.session < b.session ? -1 : a.session > b.session ? 1 : a.slot - b.slot)),
    async upsert(row) {
      draft.callbacks = [...draft.callbacks.filter((each) => !isAt(each, row.session, row.slot)), row]
    },
    async remove(session, slot) {
      draft.callbacks = draft.callbacks.filter((each) => !isAt(each, session, slot))
    },
    end: ({ session, slot }) => callbacks.remove(session, slot),
  }
  const messages: StateTables['messages'] = {
    async insert(message) {
      const row = { ...message, id: draft.nextMessage++, file: null }
      draft.waiting = [...draft.waiting, row]
      return row
    },
    listPending: async () => draft.waiting,
    listOfSession: async (session) =>
      draft.waiting
        .filter((each) => each.session === session)
        .map((row) => Object.assign({}, row, { deliveredAt: null })),
    async markDelivered(id) {
      const before = draft.waiting
      draft.waiting = before.filter((each) => each.id !== id)
      return draft.waiting.length < before.length
    },
    markPending: () => Promise.resolve(),
    async setInboxFile(id, file) {
      draft.waiting = draft.waiting.map((each) => (each.id === id ? { ...each, file } : each))
    },
    async moveToSession(from, to) {
      draft.waiting = draft.waiting.map((each) => (each.session === from ? { ...each, session: to } : each))
    },
    deleteDeliveredBefore: async () => {},
  }
  const sessions: StateTables['sessions'] = {
    list: async () => draft.sessions,
    async upsert(session) {
      draft.sessions = [...draft.sessions.filter(({ name }) => name !== session.name), session]
    },
    async release(name) {
      draft.sessions = draft.sessions.filter((each) => each.name !== name)
    },
  }
  const unused = (): never => {
    throw new Error('not for callbacks')
  }
  const questions = {
    listOpen: async () => [],
    listUndelivered: async () => [],
    moveToSession: async () => {},
  }
  const approvals = { listUnsettled: async () => [], moveToSession: async () => {} }
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- members that callbacks do not use are missing
  return { callbacks, messages, sessions, questions, approvals, tasks: unused, plans: unused } as unknown as StateTables
}
