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
  arrive(who: Who): Promise<void>
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
  const met = new Set<string>()
  let callbacks: Callbacks | undefined

  async function openedFor(user: string | undefined, work: (callbacks: Callbacks) => Promise<void>): Promise<void> {
    try {
      if (!(await mayWait(user))) return
      await open()
      if (callbacks) await work(callbacks)
    } catch (error) {
      onError(error)
    }
  }

  const arrive = (who: Who): Promise<void> => openedFor(who.user, (service) => service.arrive(who))

  return {
    prepare: (who) => callbacks?.prepare?.(who),
    take: (who) => callbacks?.take(who),
    isBusy: (user, session) => busy.has(keyOf({ user, session })),
    began(who) {
      const key = keyOf(who)
      busy.set(key, (busy.get(key) ?? 0) + 1)
      if (!hasMany || met.has(key)) return
      met.add(key)
      void arrive(who)
    },
    ended(who) {
      const key = keyOf(who)
      const left = (busy.get(key) ?? 1) - 1
      if (left > 0) busy.set(key, left)
      else {
        busy.delete(key)
        callbacks?.idle()
      }
    },
    left(who) {
      met.delete(keyOf(who))
      callbacks?.left(who)
    },
    opened: (service) => void (callbacks = service),
    arrive,
    adoptAll: () => openedFor(undefined, (service) => service.adoptAll()),
    async close() {
      await callbacks?.close()
    },
  }
}

function keyOf({ user, session }: Who): string {
  return `${user}\0${session}`
}
