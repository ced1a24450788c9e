// Stands in for the callback service on the path of every call until the service is needed. Counts running calls per
// session; opens the service on first use or if work may be pending. Nothing else of the feature is loaded before that.

import type { CallObserver } from '@scorpiox/mcp/definitions/call-observer'
import type { Caller } from '@scorpiox/mcp/definitions/caller'
import type { MessageQueue } from '@scorpiox/mcp/definitions/message-queue'
import type { CallbackService } from './callback-service.js'

export interface DeferredCallbacks extends MessageQueue, CallObserver {
  readonly isBusy: (user: string, session: string) => boolean
  /** The service is open; later calls go to it. */
  attach(callbacks: CallbackService): void
  /** Registers a session; it takes over the work of dead sessions. */
  sessionStarted(caller: Caller): Promise<void>
  /** Takes over the work of dead sessions of every user in this project. */
  adoptOrphans(): Promise<void>
  /** Closes the service before its dependencies are closed. */
  close(): Promise<void>
}

export interface DeferredCallbacksDeps {
  /** Whether work may be pending for a user, or for any user. */
  readonly mayHavePending: (user?: string) => Promise<boolean>
  readonly open: () => Promise<unknown>
  /** The server has many sessions; each is registered with its first call. */
  readonly hasManySessions: boolean
  readonly onError: (error: unknown) => void
}

export function createDeferredCallbacks({
  mayHavePending,
  open,
  hasManySessions,
  onError,
}: DeferredCallbacksDeps): DeferredCallbacks {
  const busy = new Map<string, number>()
  const seenSessions = new Set<string>()
  let callbacks: CallbackService | undefined

  async function withService(
    user: string | undefined,
    work: (callbacks: CallbackService) => Promise<void>,
  ): Promise<void> {
    try {
      if (!(await mayHavePending(user))) return
      await open()
      if (callbacks) await work(callbacks)
    } catch (error) {
      onError(error)
    }
  }

  const sessionStarted = (caller: Caller): Promise<void> =>
    withService(caller.user, (service) => service.sessionStarted(caller))

  return {
    prepare: (caller) => callbacks?.prepare?.(caller),
    takeBatch: (caller) => callbacks?.takeBatch(caller),
    isBusy: (user, session) => busy.has(callerKey({ user, session })),
    onStart(caller) {
      const key = callerKey(caller)
      busy.set(key, (busy.get(key) ?? 0) + 1)
      if (!hasManySessions || seenSessions.has(key)) return
      seenSessions.add(key)
      void sessionStarted(caller)
    },
    onEnd(caller) {
      const key = callerKey(caller)
      const remaining = (busy.get(key) ?? 1) - 1
      if (remaining > 0) busy.set(key, remaining)
      else {
        busy.delete(key)
        callbacks?.sessionIdle()
      }
    },
    onDisconnect(caller) {
      seenSessions.delete(callerKey(caller))
      callbacks?.sessionClosed(caller)
    },
    attach: (service) => void (callbacks = service),
    sessionStarted,
    adoptOrphans: () => withService(undefined, (service) => service.adoptOrphans()),
    async close() {
      await callbacks?.close()
    },
  }
}

function callerKey({ user, session }: Caller): string {
  return `${user}\0${session}`
}
