// The tables behind callbacks in plain arrays, with the transactions of a database: writers are serialised, readers see
// what was committed, and a transaction that throws changes nothing.

import { createInTurn } from '../../src/lib/in-turn.js'
import type { CallbackRow } from '../../src/store/state/callback-rows.js'
import type { MessageRow } from '../../src/store/state/message-rows.js'
import type { SessionRow } from '../../src/store/state/session-rows.js'
import type { Rows, Scope, State } from '../../src/store/state/state.js'

interface Content {
  sessions: readonly SessionRow[]
  callbacks: readonly CallbackRow[]
  waiting: readonly MessageRow[]
  nextMessage: number
}

export function memoryState(): State {
  let kept: Content = { sessions: [], callbacks: [], waiting: [], nextMessage: 1 }
  const inTurn = createInTurn()
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
    look: () => Promise.resolve(),
    openProjects: () => Promise.resolve([]),
    waitingUsers: () => Promise.resolve(kept.callbacks.length + kept.waiting.length > 0 ? ['ann'] : []),
    close: () => Promise.resolve(),
  }
}

function rowsOver(draft: Content): Rows {
  const isAt = (row: CallbackRow, session: string, slot: number): boolean =>
    row.session === session && row.slot === slot
  const callbacks: Rows['callbacks'] = {
    all: async () =>
      draft.callbacks.toSorted((a, b) => (a.session < b.session ? -1 : a.session > b.session ? 1 : a.slot - b.slot)),
    async put(row) {
      draft.callbacks = [...draft.callbacks.filter((each) => !isAt(each, row.session, row.slot)), row]
    },
    async remove(session, slot) {
      draft.callbacks = draft.callbacks.filter((each) => !isAt(each, session, slot))
    },
  }
  const messages: Rows['messages'] = {
    async insert(message) {
      const row = { ...message, id: draft.nextMessage++, file: null }
      draft.waiting = [...draft.waiting, row]
      return row
    },
    waiting: async () => draft.waiting,
    async deliver(id) {
      const before = draft.waiting
      draft.waiting = before.filter((each) => each.id !== id)
      return draft.waiting.length < before.length
    },
    async place(id, file) {
      draft.waiting = draft.waiting.map((each) => (each.id === id ? { ...each, file } : each))
    },
    async readdress(from, to) {
      draft.waiting = draft.waiting.map((each) => (each.session === from ? { ...each, session: to } : each))
    },
    forget: async () => {},
  }
  const sessions: Rows['sessions'] = {
    all: async () => draft.sessions,
    async hold(session) {
      draft.sessions = [...draft.sessions.filter(({ name }) => name !== session.name), session]
    },
    async release(name) {
      draft.sessions = draft.sessions.filter((each) => each.name !== name)
    },
  }
  const unused = (): never => {
    throw new Error('not for callbacks')
  }
  const questions = { open: async () => [], undelivered: async () => [], readdress: async () => {} }
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what callbacks never touch is left out
  return { callbacks, messages, sessions, questions, tasks: unused, plans: unused } as unknown as Rows
}
