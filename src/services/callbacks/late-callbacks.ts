// Callbacks as every call meets them, before anybody needs them: who is busy is counted, and they are opened by the
// first use, or where something may wait. Until then nothing of them is loaded, not even what tells that.

import type { Who } from '../who.js'
import type { Mail } from '../mail.js'
import type { Observer } from '../observer.js'
import type { Callbacks } from './callbacks.js'

export interface LateCallbacks extends Mail, Observer {
  readonly isBusy: (user: string, session: string) => boolean
  /** They are open, and belong to whoever asks from now on. */
  opened(callbacks: Callbacks): void
  /** This session is there: what others left goes to it. */
  arrive(who: Who): Promise<void>
  /** What is left in this project is held, whoever it belongs to. */
  adoptAll(): Promise<void>
  /** Closes them before what they need is closed. */
  close(): Promise<void>
}

export interface LateSettings {
  /** Whether something may wait for a user, or for anybody. */
  readonly mayWait: (user?: string) => Promise<boolean>
  readonly open: () => Promise<unknown>
  /** Sessions come and go: each is looked after when its first call comes. */
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
