// Stands in for the callback service on the path of every call until the service is needed. Counts running calls per
// session; opens the service on first use or if work may be pending. Nothing else of the feature is loaded before that.

import type { Who } from '../who.js'
import type { Mail } from '../mail.js'
import type { Observer } from '../observer.js'
import type { Callbacks } from './callbacks.js'

export interface LateCallbacks extends Mail, Observer {
  readonly isBusy: (user: string, session: string) => boolean
  /** The service is open; later calls go to it. */
  opened(callbacks: Callbacks): void
  /** Registers a session; it takes over the work of dead sessions. */
  arrive(caller: Who): Promise<void>
  /** Takes over the work of dead sessions of every user in this project. */
  adoptAll(): Promise<void>
  /** Closes the service before its dependencies are closed. */
  close(): Promise<void>
}

export interface LateSettings {
  /** Whether work may be pending for a user, or for any user. */
  readonly mayWait: (user?: string) => Promise<boolean>
  readonly open: () => Promise<unknown>
  /** The server has many sessions; each is registered with its first call. */
  readonly hasMany: boolean
  readonly onError: (error: unknown) => void
}

export function lateCallbacks({ mayWait, open, hasMany, onError }: LateSettings): LateCallbacks {
  const busy = new Map<string, number>()
  const seenSessions = new Set<string>()
  let callbacks: Callbacks | undefined

  async function withService(user: string | undefined, work: (callbacks: Callbacks) => Promise<void>): Promise<void> {
    try {
      if (!(await mayWait(user))) return
      await open()
      if (callbacks) await work(callbacks)
    } catch (error) {
      onError(error)
    }
  }

  const arrive = (caller: Who): Promise<void> => withService(caller.user, (service) => service.arrive(caller))

  return {
    prepare: (caller) => callbacks?.prepare?.(caller),
    take: (caller) => callbacks?.take(caller),
    isBusy: (user, session) => busy.has(callerKey({ user, session })),
    began(caller) {
      const key = callerKey(caller)
      busy.set(key, (busy.get(key) ?? 0) + 1)
      if (!hasMany || seenSessions.has(key)) return
      seenSessions.add(key)
      void arrive(caller)
    },
    ended(caller) {
      const key = callerKey(caller)
      const remaining = (busy.get(key) ?? 1) - 1
      if (remaining > 0) busy.set(key, remaining)
      else {
        busy.delete(key)
        callbacks?.idle()
      }
    },
    left(caller) {
      seenSessions.delete(callerKey(caller))
      callbacks?.left(caller)
    },
    opened: (service) => void (callbacks = service),
    arrive,
    adoptAll: () => withService(undefined, (service) => service.adoptAll()),
    async close() {
      await callbacks?.close()
    },
  }
}

function callerKey({ user, session }: Who): string {
  return `${user}\0${session}`
}
