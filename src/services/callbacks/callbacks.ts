// Messages that come back later: at a time, again and again, or when a job does something. This file has the verbs and
// keeps the parts in step: whatever changes in the state, by whichever process, is read anew, and the parts are told.

import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

import { Failure } from '../../lib/failure.js'
import { createInTurn } from '../../lib/in-turn.js'
import { compilePattern } from '../../lib/line-pattern.js'
import type { Clock } from '../../platform/clock.js'
import type { CallbackRow } from '../../store/state/callback-rows.js'
import type { MessageRow } from '../../store/state/message-rows.js'
import type { SessionRow } from '../../store/state/session-rows.js'
import type { Rows, Scope, State } from '../../store/state/state.js'
import type { Who } from '../jobs/book.js'
import type { Jobs } from '../jobs/jobs.js'
import type { Mail } from '../mail.js'
import type { Marks } from '../marks.js'
import type { Notices } from '../notices.js'
import { createAlarm, type Alarm } from './alarm.js'
import { createAttendance } from './attendance.js'
import type { Besides } from './besides.js'
import { cancelCallback } from './cancel-callback.js'
import { createDelivery, type DeliverySettings } from './delivery.js'
import { fire, type Happening } from './fire.js'
import { createJobWatch } from './job-watch.js'
import { armedFor } from './schedule.js'
import { freeSlots, MAX_SLOTS } from './slots.js'
import { rebaseAll, type LateAnswers } from './take-over.js'
import { createTimekeeper } from './timekeeper.js'
import { CALLBACKS_URI } from './uri.js'
import { readWish, type Given } from './wish.js'

const RENEW_MS = 60_000
/** What is on its way to the client when the server ends has so long to arrive. */
const LAST_MS = 500

export interface Callbacks extends Mail {
  set(who: Who, given: Given): Promise<Entry>
  list(who: Who): Promise<readonly Entry[]>
  /** Without a slot, all of the session. Gives those that were cancelled. */
  cancel(who: Who, slot: number | undefined): Promise<readonly CallbackRow[]>
  /** What this session has not been told yet. */
  waiting(who: Who): Promise<readonly MessageRow[]>
  /** Where a program finds the messages of this session besides; undefined: nowhere. */
  inboxOf(who: Who): string | undefined
  /** This session is there: what others left goes to it. Done once for a session. */
  arrive(who: Who): Promise<void>
  /** Something will come for this session: it is held from now on, so that nobody takes it for gone. */
  attend(who: Who): Promise<void>
  /** What sessions of any user left in this project is held from now on. */
  adoptAll(): Promise<void>
  /** A call has ended, and none of its session is in flight. */
  idle(): void
  /** Its client will not come back. */
  left(who: Who): void
  /** Changes of this user's callbacks are told from now on, also those by other processes. */
  watch(user: string): Promise<void>
  close(): Promise<void>
}

export interface Entry {
  readonly callback: CallbackRow
  /** Infinity where it waits for an event. */
  readonly msLeft: number
}

export interface CallbacksSettings {
  readonly state: State
  readonly project: string
  readonly notices: Notices
  readonly clock: Clock
  /** Who we are, as those who hold sessions say it. */
  readonly holder: string
  readonly isGone: (session: SessionRow) => boolean
  /** What tells that something may wait; undefined: it is always looked. */
  readonly marks: Marks | undefined
  readonly jobs: () => Promise<Jobs>
  readonly isBusy: (user: string, session: string) => boolean
  readonly besides: Besides
  readonly inbox: Pick<DeliverySettings, 'stemOf'> & {
    readonly folderOf: (who: Who, isAbandoned: boolean) => string | undefined
  }
  readonly lateAnswers: LateAnswers
  /** What wakes it; the clock of this process unless told. */
  readonly alarm?: (work: () => Promise<number | undefined>) => Alarm
  readonly warn: (message: string) => void
}

export function createCallbacks(settings: CallbacksSettings): Callbacks {
  const { state, project, notices, clock, holder, marks, jobs, isBusy, besides, inbox, warn } = settings
  const attendance = createAttendance(settings)
  const inTurn = createInTurn()
  const arrived = new Set<string>()
  let closing: Promise<void> | undefined
  let renewedAt = clock().uptime
  const scopeOf = (user: string): Scope => ({ project, user })
  const write = <T>(user: string, work: (rows: Rows) => Promise<T>): Promise<T> => state.write(scopeOf(user), work)
  const onError = (error: unknown): void => warn(`callbacks: ${error instanceof Error ? error.message : String(error)}`)

  const delivery = createDelivery({
    notices,
    stemOf: inbox.stemOf,
    mayRead: ({ user, session }, to) => to === session || to === `user:${user}` || attendance.isAbandoned(user, to),
    inboxOf: ({ session }, user) => inbox.folderOf({ user, session }, attendance.isAbandoned(user, session)),
    write: async (user, work) => {
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
    if (where !== project) return
    if (attendance.users.includes(user)) void reload(user).catch(onError)
    else notices.updated(CALLBACKS_URI, user)
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

  /** One at a time, so that what was read earlier is never believed later. */
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
      notices.updated(CALLBACKS_URI, user)
      alarm.poke()
      if (callbacks.some(({ fireAt, boot }) => fireAt !== null && boot !== clock().boot)) {
        await write(user, (rows) => rebaseAll(rows, { holder, moment: clock() }))
      }
    })
  }

  async function begin(user: string, session: string | undefined, isMarked = false): Promise<void> {
    const begun = await write(user, async (rows) => {
      if (isMarked && marks && !marks.isThere(user)) marks.put(user)
      return attendance.begin(user, session, rows)
    })
    begun()
    await reload(user)
  }

  /** Milliseconds until it must be said again that we are there. */
  async function renewInTime(): Promise<number | undefined> {
    if (clock().uptime - renewedAt >= RENEW_MS) await renewAll()
    return attendance.users.length > 0 ? renewedAt + RENEW_MS - clock().uptime : undefined
  }

  async function renewAll(): Promise<void> {
    renewedAt = clock().uptime
    try {
      await delivery.remember()
      for (const user of attendance.users) {
        const renewed = await write(user, (rows) => attendance.renew(user, rows))
        renewed()
        if (!attendance.users.includes(user)) await tidy(user)
      }
    } catch (error) {
      onError(error)
    }
  }

  /** By a writer who changes nothing: it is gone only where nothing was left before. */
  async function tidy(user: string): Promise<void> {
    if (!marks?.isThere(user)) return
    await write(user, async (rows) => {
      if ((await everything(rows)).length === 0) marks.remove(user)
    })
  }

  async function closeNow(): Promise<void> {
    stopListening()
    jobWatch.close()
    await Promise.all([alarm.close(), besides.close()])
    const startedAt = performance.now()
    while (delivery.isMoving && performance.now() - startedAt < LAST_MS) await sleep(10)
    await delivery.remember()
    for (const user of attendance.users) {
      await write(user, (rows) => attendance.release(user, rows))
      await tidy(user)
    }
  }

  async function arrive({ user, session }: Who): Promise<void> {
    const key = `${user}\0${session}`
    if (arrived.has(key)) return
    arrived.add(key)
    try {
      if (!(await mayHave(user))) return
      await begin(user, session)
      await tidy(user)
    } catch (error) {
      arrived.delete(key)
      throw error
    }
  }

  /** Where a mark cannot tell, the state can. */
  async function mayHave(user: string): Promise<boolean> {
    return marks ? marks.isThere(user) : (await state.read(scopeOf(user), everything)).length > 0
  }

  async function rowOf(who: Who, given: Given): Promise<Omit<CallbackRow, 'slot'>> {
    const { message, repeats: repeatsLeft, delayMs, job, pattern } = readWish(given)
    const moment = clock()
    const { session } = who
    const common = { session, message, repeatsLeft, delayMs, job, pattern, setAt: moment.calendar }
    if (job === null) return { ...common, ...armedFor(delayMs, moment), position: null }
    if (pattern !== null) compilePattern(pattern)
    const found = await (await jobs()).find(job, who)
    const position = pattern === null ? null : (found.positions.get(session) ?? 0)
    return { ...common, fireAt: null, fireUptime: null, boot: '', position }
  }

  return {
    take: (who) => {
      if (attendance.isTrusted(who.user)) return delivery.take(who)
      if (attendance.users.includes(who.user)) void renewAll()
      return undefined
    },
    async set(who, given) {
      const { user, session } = who
      const row = await rowOf(who, given)
      const { callback, begun } = await orNoSlots(() =>
        write(user, async (rows) => {
          if (marks && !marks.isThere(user)) marks.put(user)
          const noted = await attendance.begin(user, session, rows)
          const [slot] = freeSlots(await rows.callbacks.all(), session)
          if (slot === undefined) throw new Failure(`Error: all callback slots full (max ${MAX_SLOTS})`)
          await rows.callbacks.put({ ...row, slot })
          return { callback: { ...row, slot }, begun: noted }
        }),
      )
      begun()
      arrived.add(`${user}\0${session}`)
      await reload(user)
      return { callback, msLeft: timekeeper.msLeft(user, callback) }
    },
    async list(who) {
      const all = await orNoSlots(async () => {
        await arrive(who)
        return state.read(scopeOf(who.user), ({ callbacks }) => callbacks.all())
      })
      return all
        .filter(({ session }) => session === who.session)
        .map((callback) => ({ callback, msLeft: timekeeper.msLeft(who.user, callback) }))
    },
    async cancel(who, slot) {
      if (slot !== undefined && (slot < 0 || slot >= MAX_SLOTS)) {
        throw new Failure(`Error: callback_id ${slot} out of range (max ${MAX_SLOTS - 1})`)
      }
      const { user, session } = who
      await orNoSlots(() => arrive(who))
      const cancelled = await orNoSlots(() =>
        write(user, async (rows) => {
          if (slot !== undefined) return [await cancelCallback(rows, session, slot)]
          const theirs = (await rows.callbacks.all()).filter((row) => row.session === session)
          for (const row of theirs) await rows.callbacks.remove(session, row.slot)
          return theirs
        }),
      )
      await reload(user)
      return cancelled
    },
    async waiting(who) {
      const all = await state.read(scopeOf(who.user), ({ messages }) => messages.waiting())
      return all.filter(({ session }) => session === who.session)
    },
    inboxOf(who) {
      try {
        const folder = inbox.folderOf(who, false)
        return folder === undefined ? undefined : join(folder, 'inbox')
      } catch (error) {
        onError(error)
        return undefined
      }
    },
    arrive,
    attend: ({ user, session }) => begin(user, session, true),
    async adoptAll() {
      for (const user of await state.waitingUsers(project)) await begin(user, undefined)
    },
    idle() {
      if (attendance.users.length > 0) alarm.poke()
    },
    left(who) {
      const { user, session } = who
      arrived.delete(`${user}\0${session}`)
      attendance.abandon(user, session)
      delivery.offer(user)
    },
    watch: (user) => reload(user),
    close: () => (closing ??= closeNow()),
  }
}

/** What there is that must not be lost. */
async function everything({ callbacks, messages, questions }: Rows): Promise<readonly object[]> {
  return [await callbacks.all(), await messages.waiting(), await questions.open(), await questions.undelivered()].flat()
}

/** What is wrong with the place where they are kept, in the words that are documented and in ours. */
export async function orNoSlots<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof Failure) || error.message.startsWith('Error: ')) throw error
    throw new Failure(`Error: callback slots not available\n${error.message}`)
  }
}
