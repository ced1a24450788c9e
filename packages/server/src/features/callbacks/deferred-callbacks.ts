// Stands in for the callback service until it is needed: when a session starts, opens the service only if work of its user
// may be pending; once open, forwards the ends of calls and of connections to it. Created by services.ts of the app, so
// that nothing else of the feature is loaded at the start. No I/O of its own: the check and the opening are given
// functions.

import type { Caller } from '@scorpiox/mcp/definitions/caller'
import type { MessageQueue } from '@scorpiox/mcp/definitions/message-queue'
import { CONSOLE_SESSION } from '../../sessions/console-session.js'
import type { CallbackService } from './callback-service.js'

export interface DeferredCallbacks {
  /** The service is open: from now on it has the pending messages. */
  attach(callbacks: CallbackService): void
  /** Calls the listener with the messages of sessions once the service is open. */
  onAttach(listener: (messageQueue: MessageQueue) => void): void
  /** Registers a session; it takes over the work of dead sessions. */
  sessionStarted(caller: Caller): Promise<void>
  /** Takes over the work of dead sessions of every user in this project. */
  adoptOrphans(): Promise<void>
  /** Whether callbacks or messages of any user wait here. */
  hasWork(): boolean
  /** Closes the service before its dependencies are closed. */
  close(): Promise<void>
}

/** What callbacks need of the log of calls. */
export interface CallActivity {
  /** Whether a call of this session runs. */
  readonly isBusy: (user: string, session: string) => boolean
  subscribe(
    listener: (event: { readonly kind: 'start' | 'end' | 'disconnect'; readonly caller: Caller }) => void,
  ): () => void
}

export interface DeferredCallbacksDeps {
  /** Whether work may be pending for a user, or for any user. */
  readonly mayHavePending: (user?: string) => Promise<boolean>
  readonly open: () => Promise<unknown>
  readonly callLog: CallActivity
  /** The server has many sessions; each is registered with its first call. */
  readonly hasManySessions: boolean
  readonly onError: (error: unknown) => void
}

export function createDeferredCallbacks({
  mayHavePending,
  open,
  callLog,
  hasManySessions,
  onError,
}: DeferredCallbacksDeps): DeferredCallbacks {
  let callbacks: CallbackService | undefined
  let notifyAttached: ((messageQueue: MessageQueue) => void) | undefined

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

  if (hasManySessions) registerSessions(callLog, sessionStarted)

  return {
    attach(service) {
      callbacks = service
      callLog.subscribe(({ kind, caller }) => {
        if (caller.session === CONSOLE_SESSION) return
        if (kind === 'end' && !callLog.isBusy(caller.user, caller.session)) service.sessionIdle()
        else if (kind === 'start') service.sessionPresent(caller)
        else if (kind === 'disconnect') service.sessionClosed(caller)
      })
      notifyAttached?.(service)
    },
    onAttach: (listener) => void (notifyAttached = listener),
    sessionStarted,
    adoptOrphans: () => withService(undefined, (service) => service.adoptOrphans()),
    hasWork: () => callbacks?.hasWork() ?? false,
    async close() {
      await callbacks?.close()
    },
  }
}

/** Registers each session with its first call. */
function registerSessions(callLog: CallActivity, sessionStarted: (caller: Caller) => Promise<void>): void {
  const seenSessions = new Set<string>()
  callLog.subscribe(({ kind, caller }) => {
    const key = `${caller.user}\0${caller.session}`
    if (caller.session === CONSOLE_SESSION) return
    if (kind === 'disconnect') seenSessions.delete(key)
    else if (kind === 'start' && !seenSessions.has(key)) {
      seenSessions.add(key)
      void sessionStarted(caller)
    }
  })
}
