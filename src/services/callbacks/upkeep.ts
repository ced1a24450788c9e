// Keeps the in-memory state in sync with the database: after each change, by any process, reloads callbacks, leases and
// messages and passes them to scheduler, job watcher and delivery.

import { setTimeout as sleep } from 'node:timers/promises'

import { createInTurn } from '../../lib/in-turn.js'
import { reasonOf } from '../../lib/reason-of.js'
import { within } from '../../lib/within.js'
import type { Clock } from '../../platform/clock.js'
import type { CallbackRow } from '../../store/state/callback-rows.js'
import type { SessionRow } from '../../store/state/session-rows.js'
import type { Rows, Scope, State } from '../../store/state/state.js'
import type { Who } from '../who.js'
import type { Jobs } from '../jobs/jobs.js'
import type { Mail } from '../mail.js'
import type { Marks } from '../marks.js'
import type { Notices } from '../notices.js'
import { createAlarm, type Alarm } from './alarm.js'
import { createAttendance, type LateAnswers } from './attendance.js'
import type { Besides } from './besides.js'
import { createDelivery } from './delivery.js'
import { fire, type Happening } from './fire.js'
import { createJobWatch } from './job-watch.js'
import { isAnythingLeft, ownersOf, rebaseAll, takeOver } from './take-over.js'
import { createTimekeeper } from './timekeeper.js'
import { CALLBACKS_URI } from './uri.js'

const RENEW_MS = 60_000
/** Time for deliveries in progress when the server stops. */
const FINAL_DELIVERY_MS = 500
/** How long a result waits for due callbacks to be written; later ones come with a later result. */
const PREPARE_MS = 5000

export interface Upkeep extends Mail {
  /** Claims the lease, takes over the work of dead sessions, and runs `work` in the same transaction. */
  within<T>(caller: Who, work: (rows: Rows) => Promise<T>): Promise<T>
  /** From now on leases dead sessions of every user that have work. */
  adoptAll(): Promise<void>
  /** Registers a session that may have pending work. Has an effect once per session. */
  arrive(caller: Who): Promise<void>
  /** The session will not return. */
  leave(caller: Who): void
  /** Reloads from the database and updates all parts. */
  reload(user: string): Promise<void>
  /** A session has become idle. */
  poke(): void
  /** Milliseconds until it fires; Infinity if it waits for an event. */
  msLeft(user: string, callback: CallbackRow): number
  close(): Promise<void>
}

export interface UpkeepSettings {
  readonly state: State
  readonly project: string
  readonly notices: Notices
  readonly clock: Clock
  /** This process, in the form stored in session leases. */
  readonly holder: string
  readonly isGone: (session: SessionRow) => boolean
  /** Flag files; undefined: always ask the database. */
  readonly marks: Marks | undefined
  readonly jobs: () => Promise<Jobs>
  readonly isBusy: (user: string, session: string) => boolean
  readonly besides: Besides
  readonly inbox: {
    readonly folderOf: (caller: Who, isAbandoned: boolean) => string | undefined
    readonly stemOf: (user: string, id: number) => string
  }
  readonly lateAnswers: LateAnswers
  /** Creates the timer; by default a real one. */
  readonly alarm?: (work: () => Promise<number | undefined>) => Alarm
  readonly warn: (message: string) => void
}

export function createUpkeep(settings: UpkeepSettings): Upkeep {
  const { state, project, notices, clock, holder, isGone, marks, jobs, isBusy, besides, inbox, warn } = settings
  const leases = createAttendance({ ...settings, takeOver, sessionsWithWork: ownersOf })
  const inTurn = createInTurn()
  const startedSessions = new Map<string, Promise<void>>()
  /** The state last published to subscribers, by user. */
  const lastPublished = new Map<string, string>()
  let renewedAt = clock().uptime
  let adoptsOrphans = false
  let closing: Promise<void> | undefined
  const scopeOf = (user: string): Scope => ({ project, user })
  const write = <T>(user: string, work: (rows: Rows) => Promise<T>): Promise<T> => state.write(scopeOf(user), work)
  const onError = (error: unknown): void => warn(`callbacks: ${reasonOf(error)}`)

  const delivery = createDelivery({
    notices,
    stemOf: inbox.stemOf,
    mayRead: ({ user, session }, to) => to === session || to === `user:${user}` || leases.isAbandoned(user, to),
    inboxOf: ({ session }, user) => inbox.folderOf({ user, session }, leases.isAbandoned(user, session)),
    async write(user, work) {
      await write(user, work)
      await reload(user)
    },
    now: () => clock().calendar,
    warn,
  })
  const scheduler = createTimekeeper({ clock, isBusy, fire: fireOne, onError })
  const jobWatcher = createJobWatch({ jobs, happened: onJobEvent, onError })
  const wakeTimer = (settings.alarm ?? createAlarm)(tick)
  const unsubscribe = state.onChange(({ project: changedProject, user }) => {
    const isRelevant = leases.users.includes(user) || lastPublished.has(user)
    if (changedProject === project && isRelevant) void reload(user).catch((error: unknown) => closing ?? onError(error))
  })

  function onJobEvent(user: string, callback: CallbackRow, jobEvent: Happening): void {
    scheduler.happened(user, callback, jobEvent)
    wakeTimer.poke()
  }

  async function fireOne(user: string, callback: CallbackRow, jobEvent: Happening | undefined): Promise<void> {
    const fired = await write(user, (rows) => fire(rows, callback, { moment: clock(), holder, happening: jobEvent }))
    if (fired) besides.tell(fired)
    await reload(user)
  }

  async function tick(): Promise<number | undefined> {
    const waits = [await scheduler.tick(), delivery.look(), await renewIfDue()].filter((wait) => wait !== undefined)
    return waits.length > 0 ? Math.min(...waits) : undefined
  }

  /** Serialized per user, so that an older read never replaces a newer one. */
  function reload(user: string): Promise<void> {
    return inTurn(user, async () => {
      const loaded = await state.read(scopeOf(user), async ({ sessions, callbacks, messages }) => ({
        sessions: await sessions.all(),
        callbacks: await callbacks.all(),
        messages: await messages.waiting(),
      }))
      leases.compare(user, loaded.sessions)
      const isLeasedHere = ({ session }: { readonly session: string }): boolean => leases.isHeld(user, session)
      const callbacks = loaded.callbacks.filter(isLeasedHere)
      scheduler.know(user, callbacks)
      jobWatcher.know(
        user,
        callbacks.filter(({ job }) => job !== null),
      )
      delivery.know(user, loaded.messages.filter(isLeasedHere))
      publishIfChanged(user, JSON.stringify([loaded.callbacks, loaded.messages]))
      wakeTimer.poke()
      if (callbacks.some(({ fireAt, boot }) => fireAt !== null && boot !== clock().boot)) {
        await write(user, (rows) => rebaseAll(rows, { holder, moment: clock() }))
      }
    })
  }

  /** The database also reports other changes. */
  function publishIfChanged(user: string, snapshot: string): void {
    if (lastPublished.get(user) === snapshot) return
    lastPublished.set(user, snapshot)
    notices.updated(CALLBACKS_URI, user)
  }

  /** Serialized with reloads: leases must not be compared with an earlier read. */
  async function claimAndWrite<T>(
    user: string,
    session: string | undefined,
    work: (rows: Rows) => Promise<T>,
  ): Promise<T> {
    const value = await inTurn(user, async () => {
      const written = await write(user, async (rows) => {
        const commit = await leases.begin(user, session, rows)
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
    if (clock().uptime - renewedAt >= RENEW_MS) await renewAll()
    return adoptsOrphans || leases.users.length > 0 ? renewedAt + RENEW_MS - clock().uptime : undefined
  }

  async function renewAll(): Promise<void> {
    renewedAt = clock().uptime
    try {
      await delivery.remember()
      for (const user of leases.users) {
        await inTurn(user, async () => (await write(user, (rows) => leases.renew(user, rows)))())
        if (!leases.users.includes(user)) await clearFlagIfIdle(user)
      }
      if (adoptsOrphans) await adoptOrphanedSessions()
    } catch (error) {
      onError(error)
    }
  }

  /** In a write transaction without changes, so that the flag is cleared only if there is no work. */
  async function clearFlagIfIdle(user: string): Promise<void> {
    if (!marks?.isThere(user)) return
    await write(user, async (rows) => {
      if ((await ownersOf(rows)).size === 0) marks.remove(user)
    })
  }

  async function adoptOrphanedSessions(): Promise<void> {
    for (const user of await state.waitingUsers(project)) {
      const hasOrphans = await state.read(scopeOf(user), (rows) => isAnythingLeft(rows, holder, isGone))
      if (hasOrphans) await claimAndWrite(user, undefined, () => Promise.resolve())
    }
  }

  /** Asks the database, because the flag file may have been deleted. */
  async function startSession({ user, session }: Who): Promise<void> {
    const has = (await state.read(scopeOf(user), ownersOf)).size > 0
    if (has) await claimAndWrite(user, session, () => Promise.resolve(setFlag(user)))
    await clearFlagIfIdle(user)
  }

  /** Called inside a transaction, so that no other process clears it meanwhile. */
  function setFlag(user: string): void {
    if (marks && !marks.isThere(user)) marks.put(user)
  }

  async function closeNow(): Promise<void> {
    unsubscribe()
    jobWatcher.close()
    await Promise.all([wakeTimer.close(), besides.close(), Promise.allSettled(startedSessions.values())])
    const startedAt = performance.now()
    while (delivery.isMoving && performance.now() - startedAt < FINAL_DELIVERY_MS) await sleep(10)
    await delivery.remember()
    for (const user of leases.users) {
      await write(user, (rows) => leases.release(user, rows))
      await clearFlagIfIdle(user)
    }
  }

  return {
    take(caller) {
      // Checked first, because reading the clock is a system call.
      if (!delivery.isAny(caller.user)) return undefined
      if (leases.isTrusted(caller.user)) return delivery.take(caller)
      if (leases.users.includes(caller.user)) void renewAll()
      return undefined
    },
    prepare({ user, session }) {
      if (!scheduler.isDue(user, session)) return undefined
      return within(PREPARE_MS, scheduler.fireDue(user, session))
    },
    async within(caller, work) {
      const value = await claimAndWrite(caller.user, caller.session, (rows) => {
        setFlag(caller.user)
        return work(rows)
      })
      startedSessions.set(callerKey(caller), Promise.resolve())
      return value
    },
    async adoptAll() {
      adoptsOrphans = true
      wakeTimer.poke()
      await adoptOrphanedSessions()
    },
    arrive(caller) {
      const key = callerKey(caller)
      const starting = startedSessions.get(key) ?? startSession(caller)
      startedSessions.set(key, starting)
      starting.catch(() => startedSessions.delete(key))
      return starting
    },
    leave(caller) {
      startedSessions.delete(callerKey(caller))
      leases.abandon(caller.user, caller.session)
      delivery.offer(caller.user)
    },
    reload,
    poke() {
      if (scheduler.isHeldUp) wakeTimer.poke()
    },
    msLeft: (user, callback) => scheduler.msLeft(user, callback),
    close: () => (closing ??= closeNow()),
  }
}

function callerKey({ user, session }: Who): string {
  return `${user}\0${session}`
}
