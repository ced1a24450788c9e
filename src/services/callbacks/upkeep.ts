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
import { createAttendance } from './attendance.js'
import type { Besides } from './besides.js'
import { createDelivery, type DeliverySettings } from './delivery.js'
import { fire, type Happening } from './fire.js'
import { createJobWatch } from './job-watch.js'
import { isAnythingLeft, ownersOf, rebaseAll, type LateAnswers } from './take-over.js'
import { createTimekeeper } from './timekeeper.js'
import { CALLBACKS_URI } from './uri.js'

const RENEW_MS = 60_000
/** Time for deliveries in progress when the server stops. */
const LAST_MS = 500
/** How long a result waits for due callbacks to be written; later ones come with a later result. */
const PREPARE_MS = 5000

export interface Upkeep extends Mail {
  /** Claims the lease, takes over the work of dead sessions, and runs `work` in the same transaction. */
  within<T>(who: Who, work: (rows: Rows) => Promise<T>): Promise<T>
  /** From now on leases dead sessions of every user that have work. */
  adoptAll(): Promise<void>
  /** Registers a session that may have pending work. Has an effect once per session. */
  arrive(who: Who): Promise<void>
  /** The session will not return. */
  leave(who: Who): void
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
  readonly inbox: Pick<DeliverySettings, 'stemOf'> & {
    readonly folderOf: (who: Who, isAbandoned: boolean) => string | undefined
  }
  readonly lateAnswers: LateAnswers
  /** Creates the timer; by default a real one. */
  readonly alarm?: (work: () => Promise<number | undefined>) => Alarm
  readonly warn: (message: string) => void
}

export function createUpkeep(settings: UpkeepSettings): Upkeep {
  const { state, project, notices, clock, holder, isGone, marks, jobs, isBusy, besides, inbox, warn } = settings
  const attendance = createAttendance(settings)
  const inTurn = createInTurn()
  const arrivals = new Map<string, Promise<void>>()
  /** The state last published to subscribers, by user. */
  const told = new Map<string, string>()
  let renewedAt = clock().uptime
  let keepsAll = false
  let closing: Promise<void> | undefined
  const scopeOf = (user: string): Scope => ({ project, user })
  const write = <T>(user: string, work: (rows: Rows) => Promise<T>): Promise<T> => state.write(scopeOf(user), work)
  const onError = (error: unknown): void => warn(`callbacks: ${reasonOf(error)}`)

  const delivery = createDelivery({
    notices,
    stemOf: inbox.stemOf,
    mayRead: ({ user, session }, to) => to === session || to === `user:${user}` || attendance.isAbandoned(user, to),
    inboxOf: ({ session }, user) => inbox.folderOf({ user, session }, attendance.isAbandoned(user, session)),
    async write(user, work) {
      await write(user, work)
      await reload(user)
    },
    now: () => clock().calendar,
    warn,
  })
  const timekeeper = createTimekeeper({ clock, isBusy, fire: fireOne, onError })
  const jobWatch = createJobWatch({ jobs, happened, onError })
  const alarm = (settings.alarm ?? createAlarm)(tick)
  const stopListening = state.onChange(({ project: where, user }) => {
    const concernsUs = attendance.users.includes(user) || told.has(user)
    if (where === project && concernsUs) void reload(user).catch((error: unknown) => closing ?? onError(error))
  })

  function happened(user: string, callback: CallbackRow, happening: Happening): void {
    timekeeper.happened(user, callback, happening)
    alarm.poke()
  }

  async function fireOne(user: string, callback: CallbackRow, happening: Happening | undefined): Promise<void> {
    const fired = await write(user, (rows) => fire(rows, callback, { moment: clock(), holder, happening }))
    if (fired) besides.tell(fired)
    await reload(user)
  }

  async function tick(): Promise<number | undefined> {
    const waits = [await timekeeper.tick(), delivery.look(), await renewInTime()].filter((wait) => wait !== undefined)
    return waits.length > 0 ? Math.min(...waits) : undefined
  }

  /** Serialized per user, so that an older read never replaces a newer one. */
  function reload(user: string): Promise<void> {
    return inTurn(user, async () => {
      const seen = await state.read(scopeOf(user), async ({ sessions, callbacks, messages }) => ({
        sessions: await sessions.all(),
        callbacks: await callbacks.all(),
        messages: await messages.waiting(),
      }))
      attendance.compare(user, seen.sessions)
      const isOurs = ({ session }: { readonly session: string }): boolean => attendance.isHeld(user, session)
      const callbacks = seen.callbacks.filter(isOurs)
      timekeeper.know(user, callbacks)
      jobWatch.know(
        user,
        callbacks.filter(({ job }) => job !== null),
      )
      delivery.know(user, seen.messages.filter(isOurs))
      tellChange(user, JSON.stringify([seen.callbacks, seen.messages]))
      alarm.poke()
      if (callbacks.some(({ fireAt, boot }) => fireAt !== null && boot !== clock().boot)) {
        await write(user, (rows) => rebaseAll(rows, { holder, moment: clock() }))
      }
    })
  }

  /** The database also reports other changes. */
  function tellChange(user: string, look: string): void {
    if (told.get(user) === look) return
    told.set(user, look)
    notices.updated(CALLBACKS_URI, user)
  }

  /** Serialized with reloads: leases must not be compared with an earlier read. */
  async function begin<T>(user: string, session: string | undefined, work: (rows: Rows) => Promise<T>): Promise<T> {
    const value = await inTurn(user, async () => {
      const written = await write(user, async (rows) => {
        const begun = await attendance.begin(user, session, rows)
        return { begun, done: await work(rows) }
      })
      written.begun()
      return written.done
    })
    await reload(user)
    return value
  }

  /** Milliseconds until the leases must be renewed. */
  async function renewInTime(): Promise<number | undefined> {
    if (clock().uptime - renewedAt >= RENEW_MS) await renewAll()
    return keepsAll || attendance.users.length > 0 ? renewedAt + RENEW_MS - clock().uptime : undefined
  }

  async function renewAll(): Promise<void> {
    renewedAt = clock().uptime
    try {
      await delivery.remember()
      for (const user of attendance.users) {
        await inTurn(user, async () => (await write(user, (rows) => attendance.renew(user, rows)))())
        if (!attendance.users.includes(user)) await tidy(user)
      }
      if (keepsAll) await adoptLeft()
    } catch (error) {
      onError(error)
    }
  }

  /** In a write transaction without changes, so that the flag is cleared only if there is no work. */
  async function tidy(user: string): Promise<void> {
    if (!marks?.isThere(user)) return
    await write(user, async (rows) => {
      if ((await ownersOf(rows)).size === 0) marks.remove(user)
    })
  }

  async function adoptLeft(): Promise<void> {
    for (const user of await state.waitingUsers(project)) {
      const isLeft = await state.read(scopeOf(user), (rows) => isAnythingLeft(rows, { holder, isGone }))
      if (isLeft) await begin(user, undefined, () => Promise.resolve())
    }
  }

  /** Asks the database, because the flag file may have been deleted. */
  async function arrive({ user, session }: Who): Promise<void> {
    const has = (await state.read(scopeOf(user), ownersOf)).size > 0
    if (has) await begin(user, session, () => Promise.resolve(mark(user)))
    await tidy(user)
  }

  /** Called inside a transaction, so that no other process clears it meanwhile. */
  function mark(user: string): void {
    if (marks && !marks.isThere(user)) marks.put(user)
  }

  async function closeNow(): Promise<void> {
    stopListening()
    jobWatch.close()
    await Promise.all([alarm.close(), besides.close(), Promise.allSettled(arrivals.values())])
    const startedAt = performance.now()
    while (delivery.isMoving && performance.now() - startedAt < LAST_MS) await sleep(10)
    await delivery.remember()
    for (const user of attendance.users) {
      await write(user, (rows) => attendance.release(user, rows))
      await tidy(user)
    }
  }

  return {
    take(who) {
      // Checked first, because reading the clock is a system call.
      if (!delivery.isAny(who.user)) return undefined
      if (attendance.isTrusted(who.user)) return delivery.take(who)
      if (attendance.users.includes(who.user)) void renewAll()
      return undefined
    },
    prepare({ user, session }) {
      if (!timekeeper.isDue(user, session)) return undefined
      return within(PREPARE_MS, timekeeper.fireDue(user, session))
    },
    async within(who, work) {
      const value = await begin(who.user, who.session, (rows) => {
        mark(who.user)
        return work(rows)
      })
      arrivals.set(keyOf(who), Promise.resolve())
      return value
    },
    async adoptAll() {
      keepsAll = true
      alarm.poke()
      await adoptLeft()
    },
    arrive(who) {
      const key = keyOf(who)
      const arriving = arrivals.get(key) ?? arrive(who)
      arrivals.set(key, arriving)
      arriving.catch(() => arrivals.delete(key))
      return arriving
    },
    leave(who) {
      arrivals.delete(keyOf(who))
      attendance.abandon(who.user, who.session)
      delivery.offer(who.user)
    },
    reload,
    poke() {
      if (timekeeper.isHeldUp) alarm.poke()
    },
    msLeft: (user, callback) => timekeeper.msLeft(user, callback),
    close: () => (closing ??= closeNow()),
  }
}

function keyOf({ user, session }: Who): string {
  return `${user}\0${session}`
}
