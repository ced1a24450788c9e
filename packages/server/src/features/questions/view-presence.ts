// Which sessions have a view of MCP Apps that shows questions: a view reads them again and again while it is shown. Used by
// question-service. In memory only; sets timers.

import type { Caller } from '@scorpiox/mcp/definitions/caller'

/** A view reads more often, unless its client delays it. */
const SHOWN_MS = 5000
const MAX_SESSIONS = 1000

export interface ViewPresence {
  /** A view of this session has read its questions. */
  note(caller: Caller): void
  isPresent(caller: Caller): boolean
  /** Calls the listener when a view appears or disappears. Returns a function that unsubscribes. */
  onChange(listener: () => void): () => void
  close(): void
}

export function createViewPresence(shownMs = SHOWN_MS): ViewPresence {
  const timers = new Map<string, NodeJS.Timeout>()
  const listeners = new Set<() => void>()
  const notify = (): void => listeners.forEach((listener) => listener())

  function forget(key: string): void {
    clearTimeout(timers.get(key))
    if (timers.delete(key)) notify()
  }

  return {
    note(caller) {
      const key = keyOf(caller)
      const isNew = !timers.has(key)
      clearTimeout(timers.get(key))
      const [oldest] = timers.keys()
      if (isNew && oldest !== undefined && timers.size >= MAX_SESSIONS) forget(oldest)
      timers.set(key, setTimeout(() => forget(key), shownMs).unref())
      if (isNew) notify()
    },
    isPresent: (caller) => timers.has(keyOf(caller)),
    onChange(listener) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    close() {
      for (const key of timers.keys()) clearTimeout(timers.get(key))
      timers.clear()
    },
  }
}

function keyOf({ user, session }: Caller): string {
  return `${user}\0${session}`
}
