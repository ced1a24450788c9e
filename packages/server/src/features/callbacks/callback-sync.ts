// Runs the callbacks of this process: after each change of the database, by any process, reloads callbacks, session leases
// and pending messages and passes them to scheduler, job watcher and message delivery; claims, renews and releases the
// leases. Used by callback-service. Reads and writes the database and flag files, sets timers, and triggers the side
// effects of fired callbacks.

import { setTimeout as sleep } from 'node:timers/promises'

import { type Caller, statelessCaller } from '@scorpiox/mcp/definitions/caller'
import type { ChangeEvents } from '@scorpiox/mcp/definitions/change-events'
import type { MessageQueue } from '@scorpiox/mcp/definitions/message-queue'
import { errorMessage } from '@scorpiox/mcp/errors'
import { withTimeout } from '@scorpiox/mcp/promises'
import type { Clock } from '../../process/clock.js'
import type { PatternMatcher } from '../../patterns/pattern-matcher.js'
import { createMessageDelivery } from '../../sessions/message-delivery.js'
import { createSessionLeases, type QueueLateAnswers, type SessionLease } from '../../sessions/session-leases.js'
import type { FlagFiles } from '../../storage/flag-files.js'
import type { Scope, ScopedDatabase } from '../../storage/scoped-database.js'
import { createKeyedMutex } from '../../async/concurrency.js'
import type { JobService } from '../shell/index.js'
import { createCallbackScheduler, createWakeTimer, type WakeTimer } from './callback-scheduler.js'
import type { CallbackRow, CallbackTables } from './callback-table.js'
import { fireCallback, type JobEvent } from './fire-callback.js'
import { createJobEventWatcher } from './job-event-watcher.js'
import { createSessionStarts } from './session-starts.js'
import { hasOrphanedWork, rebaseCallbacks, sessionsWithWork, takeOverSessions } from './session-takeover.js'
import { CALLBACKS_URI } from './set-callback-tool.js'
import type { CallbackSideEffects } from './side-effects.js'

const RENEW_MS = 60_000
/** Time for deliveries in progress when the server stops. */
const FINAL_DELIVERY_MS = 500
/** How long a result waits for due callbacks to be written; later ones come with a later result. */
const PREPARE_MS = 5000

export interface CallbackSync extends MessageQueue {
  /** Claims the lease, takes over the work of dead sessions, and runs `work` in the same transaction. */
  writeWithLease<T>(caller: Caller, work: (rows: CallbackTables) => Promise<T>): Promise<T>
  /** From now on leases dead sessions of every user that have work. */
  adoptOrphans(): Promise<void>
  /** This machine owns the workspace of a user now: leases the sessions that have work. */
  adopt(user: string): Promise<void>
  /** Records the messages that were delivered. */
  recordDeliveries(): Promise<void>
  /** Another machine goes on with the workspace of a user. */
  forget(user: string): void
  /** Registers a session that may have pending work. Has an effect once per session. */
  sessionStarted(caller: Caller): Promise<void>
  /** A call of the session begins. */
  sessionPresent(caller: Caller): void
  /** The session will not return. */
  sessionClosed(caller: Caller): void
  /** Reloads from the database and updates all parts. */
  reload(user: string): Promise<void>
  /** A session has become idle. */
  sessionIdle(): void
  /** Milliseconds until it fires; Infinity if it waits for an event. */
  msUntilFire(user: string, callback: CallbackRow): number
  /** Whether callbacks or messages of any user wait here. */
  hasWork(): boolean
  close(): Promise<void>
}

export interface CallbackSyncDeps {
  readonly state: ScopedDatabase<CallbackTables>
  readonly project: string
  readonly changeEvents: ChangeEvents
  readonly clock: Clock
  /** This process, in the form stored in session leases. */
  readonly leaseOwner: string
  readonly isOwnerGone: (session: SessionLease) => boolean
  /** Whether this process may act on its leases; by default if they were renewed in time. */
  readonly mayAct?: (() => boolean) | undefined
  /** Whether a message counts as delivered before it is sent, so that no other machine delivers it again. */
  readonly claimsMessages?: boolean
  /** The sessions of a user that go on here after another machine had them; by default none. */
  readonly findContinued?: ((user: string) => Promise<ReadonlySet<string>>) | undefined
  /** Flag files; undefined: always ask the database. */
  readonly flags: FlagFiles | undefined
  readonly jobs: () => Promise<JobService>
  readonly patterns: () => Promise<PatternMatcher>
  readonly isBusy: (user: string, session: string) => boolean
  readonly sideEffects: CallbackSideEffects
  readonly inbox: {
    readonly directoryOf: (caller: Caller, isAbandoned: boolean) => string | undefined
    readonly fileStemOf: (user: string, id: number) => string
  }
  readonly queueLateAnswers: QueueLateAnswers<CallbackTables>
  /** Creates the timer; by default a real one. */
  readonly createWakeTimer?: (work: () => Promise<number | undefined>) => WakeTimer
  readonly warn: (message: string) => void
}

export function createCallbackSync(settings: CallbackSyncDeps): CallbackSync {
  const { state, project, changeEvents, clock, leaseOwner, isOwnerGone } = settings
  const { flags, jobs, patterns, isBusy, sideEffects, inbox, warn } = settings
  const leases = createSessionLeases({ ...settings, takeOver: takeOverSessions, sessionsWithWork })
  const inTurn = createKeyedMutex()
  const starts = createSessionStarts({ startSession, adoptUser: adoptIfOrphaned })
  /** The state last published to subscribers, by user. */
  const lastPublished = new Map<string, string>()
  /** Users that are reloaded in a moment, after a write of this process. */
  const reloadedAfterWrite = new Set<string>()
  let renewedAt = clock().uptimeMs
  let adoptsOrphans = false
  let closing: Promise<void> | undefined
  const scopeOf = (user: string): Scope => ({ project, user })
  const write = <T>(user: string, work: (rows: CallbackTables) => Promise<T>): Promise<T> =>
    state.write(scopeOf(user), work)
  const onError = (error: unknown): void => warn(`callbacks: ${errorMessage(error)}`)

  const delivery = createMessageDelivery({
    changeEvents,
    fileStemOf: inbox.fileStemOf,
    canReceive: ({ user, session }, to) =>
      to === session || to === statelessCaller(user).session || leases.isAbandoned(user, to),
    inboxDirectoryOf: ({ session }, user) => inbox.directoryOf({ user, session }, leases.isAbandoned(user, session)),
    write,
    reload,
    claimsFirst: settings.claimsMessages,
    now: () => clock().wallMs,
    warn,
  })
  const scheduler = createCallbackScheduler({ clock, isBusy, fire: fireOne, onError })
  const jobWatcher = createJobEventWatcher({ jobs, patterns, onEvent: onJobEvent, onError })
  const wakeTimer = (settings.createWakeTimer ?? createWakeTimer)(tick)
  const unsubscribe = state.onChange(({ project: changedProject, user }) => {
    if (changedProject !== project || reloadedAfterWrite.has(user)) return
    const isRelevant = leases.hasUser(user) || lastPublished.has(user)
    if (isRelevant) void reload(user).catch((error: unknown) => closing ?? onError(error))
  })

  function onJobEvent(user: string, callback: CallbackRow, jobEvent: JobEvent): void {
    scheduler.eventOccurred(user, callback, jobEvent)
    wakeTimer.wake()
  }

  async function fireOne(user: string, callback: CallbackRow, jobEvent: JobEvent | undefined): Promise<void> {
    // Its own change needs no further reload.
    reloadedAfterWrite.add(user)
    try {
      const fired = await write(user, (rows) => fireCallback(rows, callback, { now: clock(), leaseOwner, jobEvent }))
      if (fired) sideEffects.run(fired)
      // The listeners of the change are called in microtasks that are queued by now.
      await Promise.resolve()
    } finally {
      reloadedAfterWrite.delete(user)
      await reload(user)
    }
  }

  async function tick(): Promise<number | undefined> {
    const waits = [await scheduler.tick(), delivery.checkInboxFiles(), await renewIfDue()].filter(
      (wait) => wait !== undefined,
    )
    return waits.length > 0 ? Math.min(...waits) : undefined
  }

  /** Serialized per user, so that an older read never replaces a newer one. */
  function reload(user: string): Promise<void> {
    return inTurn(user, async () => {
      const loaded = await state.read(scopeOf(user), async ({ sessions, callbacks, messages }) => ({
        sessions: await sessions.list(),
        callbacks: await callbacks.list(),
        messages: await messages.listPending(),
      }))
      leases.reconcile(user, loaded.sessions)
      const isLeasedHere = ({ session }: { readonly session: string }): boolean => leases.isLeased(user, session)
      const callbacks = loaded.callbacks.filter(isLeasedHere)
      scheduler.setCallbacks(user, callbacks)
      jobWatcher.setCallbacks(
        user,
        callbacks.filter(({ job }) => job !== null),
      )
      delivery.setPending(user, loaded.messages.filter(isLeasedHere))
      publishIfChanged(user, JSON.stringify([loaded.callbacks, loaded.messages]))
      wakeTimer.wake()
      if (callbacks.some(({ fireAt, boot }) => fireAt !== null && boot !== clock().boot)) {
        await write(user, (rows) => rebaseCallbacks(rows, { leaseOwner, now: clock() }))
      }
    })
  }

  /** The database also reports other changes. */
  function publishIfChanged(user: string, snapshot: string): void {
    if (lastPublished.get(user) === snapshot) return
    lastPublished.set(user, snapshot)
    changeEvents.notifyResourceUpdated(CALLBACKS_URI, user)
  }

  /** Serialized with reloads: leases must not be compared with an earlier read. */
  async function claimAndWrite<T>(
    user: string,
    session: string | undefined,
    work: (rows: CallbackTables) => Promise<T>,
  ): Promise<T> {
    const value = await inTurn(user, async () => {
      // Before the transaction, which must not wait for another connection.
      const continued = await settings.findContinued?.(user)
      const written = await write(user, async (rows) => {
        const commit = await leases.claim(user, session, rows, continued)
        return { commit, done: await work(rows) }
      })
      written.commit()
      return written.done
    })
    await reload(user)
    return value
  }

  /** Milliseconds until the leases must be renewed. */
  async function renewIfDue(): Promise<number | undefined> {
    if (clock().uptimeMs - renewedAt >= RENEW_MS) await renewAll()
    return adoptsOrphans || leases.users.length > 0 ? renewedAt + RENEW_MS - clock().uptimeMs : undefined
  }

  async function renewAll(): Promise<void> {
    renewedAt = clock().uptimeMs
    try {
      await delivery.recordDeliveries()
      for (const user of leases.users) await renewUser(user)
      if (adoptsOrphans) await adoptAll()
    } catch (error) {
      onError(error)
    }
  }

  /** The leases of the other users are renewed whatever happens to these. */
  async function renewUser(user: string): Promise<void> {
    try {
      await inTurn(user, async () => (await write(user, (rows) => leases.renew(user, rows)))())
      if (!leases.hasUser(user)) await clearFlagIfIdle(user)
    } catch (error) {
      onError(error)
    }
  }

  /** In a write transaction without changes, so that the flag is cleared only if there is no work. */
  async function clearFlagIfIdle(user: string): Promise<void> {
    if (!flags?.isSet(user)) return
    await write(user, async (rows) => {
      if ((await sessionsWithWork(rows)).size === 0) flags.clear(user)
    })
  }

  async function adoptAll(): Promise<void> {
    for (const user of await state.listUsersWithPendingItems(project)) await adoptIfOrphaned(user)
  }

  async function adoptIfOrphaned(user: string): Promise<void> {
    const isLive = (session: SessionLease): boolean =>
      session.owner === leaseOwner ? leases.isLeased(user, session.name) : !isOwnerGone(session)
    const hasOrphans = await state.read(scopeOf(user), (rows) => hasOrphanedWork(rows, isLive))
    if (hasOrphans) await claimAndWrite(user, undefined, () => Promise.resolve())
  }

  /** Asks the database, because the flag file may have been deleted. */
  async function startSession({ user, session }: Caller): Promise<void> {
    const has = (await state.read(scopeOf(user), sessionsWithWork)).size > 0
    if (has) await claimAndWrite(user, session, () => Promise.resolve(setFlag(user)))
    await clearFlagIfIdle(user)
  }

  /** Called inside a transaction, so that no other process clears it meanwhile. */
  function setFlag(user: string): void {
    if (flags && !flags.isSet(user)) flags.set(user)
  }

  async function closeNow(): Promise<void> {
    unsubscribe()
    jobWatcher.close()
    await Promise.all([wakeTimer.close(), sideEffects.close(), starts.settle()])
    const startedAt = performance.now()
    while (delivery.isDelivering && performance.now() - startedAt < FINAL_DELIVERY_MS) await sleep(10)
    await delivery.recordDeliveries()
    for (const user of leases.users) {
      await write(user, (rows) => leases.release(user, rows))
      await clearFlagIfIdle(user)
    }
  }

  function prepareMessages(caller: Caller): Promise<void> | undefined {
    const { user, session } = caller
    if (!scheduler.isDue(user, session)) return delivery.claim(caller)
    return scheduler.fireDue(user, session).then(() => delivery.claim(caller))
  }

  return {
    takeBatch(caller) {
      // Checked first, because reading the clock is a system call.
      if (!delivery.hasMessages(caller.user)) return undefined
      if (leases.isFresh(caller.user)) return delivery.takeBatch(caller)
      if (leases.hasUser(caller.user)) void renewAll()
      return undefined
    },
    prepare(caller) {
      // The first result of a user whose workspace was just claimed has the messages that waited in it.
      const adoption = starts.adoptionOf(caller.user)
      const prepared = adoption ? adoption.then(() => prepareMessages(caller)) : prepareMessages(caller)
      return prepared && withTimeout(PREPARE_MS, prepared)
    },
    async writeWithLease(caller, work) {
      const value = await claimAndWrite(caller.user, caller.session, (rows) => {
        setFlag(caller.user)
        return work(rows)
      })
      starts.markStarted(caller)
      return value
    },
    async adoptOrphans() {
      adoptsOrphans = true
      wakeTimer.wake()
      await adoptAll()
    },
    adopt: (user) => starts.adopt(user),
    forget(user) {
      starts.forgetUser(user)
      leases.forget(user)
      lastPublished.delete(user)
      scheduler.setCallbacks(user, [])
      jobWatcher.setCallbacks(user, [])
      delivery.forget(user)
    },
    recordDeliveries: () => delivery.recordDeliveries(),
    sessionStarted: (caller) => starts.start(caller),
    sessionPresent: (caller) => leases.markPresent(caller.user, caller.session),
    sessionClosed(caller) {
      starts.forget(caller)
      leases.markAbandoned(caller.user, caller.session)
      delivery.writeInboxFiles(caller.user)
    },
    reload,
    sessionIdle() {
      if (scheduler.isWaitingForIdleSession) wakeTimer.wake()
    },
    msUntilFire: (user, callback) => scheduler.msUntilFire(user, callback),
    hasWork: () => leases.users.length > 0,
    close: () => (closing ??= closeNow()),
  }
}
