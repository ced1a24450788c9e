// Work that is done once for each session, when it starts, and once for each user whose workspace this machine claims:
// remembers what is done or in progress, so that others can wait for it. Used by callback-sync. No I/O of its own.

import type { Caller } from '@scorpiox/mcp/definitions/caller'

export interface SessionStarts {
  /** Registers a session; has an effect once, unless it fails. */
  start(caller: Caller): Promise<void>
  /** The session is registered. */
  markStarted(caller: Caller): void
  /** The next start of this session has an effect again. */
  forget(caller: Caller): void
  forgetUser(user: string): void
  /** Takes over what waits in the workspace of a user. */
  adopt(user: string): Promise<void>
  /** The adoption in progress, which does not reject; undefined if there is none. */
  adoptionOf(user: string): Promise<void> | undefined
  /** Waits for the starts in progress. */
  settle(): Promise<unknown>
}

export interface SessionStartsDeps {
  readonly startSession: (caller: Caller) => Promise<void>
  readonly adoptUser: (user: string) => Promise<void>
}

export function createSessionStarts({ startSession, adoptUser }: SessionStartsDeps): SessionStarts {
  const started = new Map<string, Promise<void>>()
  const adoptions = new Map<string, Promise<void>>()
  return {
    start(caller) {
      const key = callerKey(caller)
      const starting = started.get(key) ?? startSession(caller)
      started.set(key, starting)
      starting.catch(() => started.delete(key))
      return starting
    },
    markStarted: (caller) => void started.set(callerKey(caller), Promise.resolve()),
    forget: (caller) => void started.delete(callerKey(caller)),
    forgetUser(user) {
      for (const key of started.keys()) if (key.startsWith(`${user}\0`)) started.delete(key)
    },
    adopt(user) {
      const adopted = adoptUser(user)
      const settled = adopted
        .catch(() => {})
        .finally(() => {
          if (adoptions.get(user) === settled) adoptions.delete(user)
        })
      adoptions.set(user, settled)
      return adopted
    },
    adoptionOf: (user) => adoptions.get(user),
    settle: () => Promise.allSettled(started.values()),
  }
}

function callerKey({ user, session }: Caller): string {
  return `${user}\0${session}`
}
