// Callback service: messages delivered later, at a time, repeatedly, or after an event of a job. This file implements
// set, list and cancel; callback-sync.ts keeps them running.

import { join } from 'node:path'

import { Failure } from '../../lib/failure.js'
import { compilePattern } from '../../lib/line-pattern.js'
import { reasonOf } from '../../lib/reason-of.js'
import type { CallbackRow } from '../../store/state/callback-rows.js'
import type { MessageRow } from '../../store/state/message-rows.js'
import type { Scope } from '../../store/state/state.js'
import type { Who } from '../who.js'
import type { Mail } from '../mail.js'
import { cancelCallback } from './cancel-callback.js'
import { armedFor } from './schedule.js'
import { freeSlots, MAX_SLOTS } from './slots.js'
import { createUpkeep, type UpkeepSettings } from './upkeep.js'
import { readWish, type Given } from './wish.js'

export interface Callbacks extends Mail {
  set(caller: Who, input: Given): Promise<Entry>
  list(caller: Who): Promise<readonly Entry[]>
  /** Without a slot cancels all callbacks of the session. Returns the cancelled ones. */
  cancel(caller: Who, slot: number | undefined): Promise<readonly CallbackRow[]>
  /** Messages not yet delivered to this session. */
  waiting(caller: Who): Promise<readonly MessageRow[]>
  /** Directory where a program can read the messages of this session; undefined if there is none. */
  inboxOf(caller: Who): string | undefined
  /** Registers a session; it takes over the work of dead sessions. Has an effect once per session. */
  arrive(caller: Who): Promise<void>
  /** Claims the lease of a session that will receive a message, so that it is not taken for dead. */
  attend(caller: Who): Promise<void>
  /** From now on takes over the work of dead sessions of every user in this project. */
  adoptAll(): Promise<void>
  /** A call ended, and no call of its session is in progress. */
  idle(): void
  /** The client of this session will not return. */
  left(caller: Who): void
  /** From now on publishes changes of this user's callbacks, including those made by other processes. */
  watch(user: string): Promise<void>
  close(): Promise<void>
}

export interface Entry {
  readonly callback: CallbackRow
  /** Infinity if it waits for an event. */
  readonly msLeft: number
}

export function createCallbacks(settings: UpkeepSettings): Callbacks {
  const { state, project, clock, jobs, inbox, warn } = settings
  const sync = createUpkeep(settings)
  const scopeOf = ({ user }: Who): Scope => ({ project, user })

  async function toRow(caller: Who, input: Given): Promise<Omit<CallbackRow, 'slot'>> {
    const { message, repeats: repeatsLeft, delayMs, job, pattern } = readWish(input)
    const { session } = caller
    const common = { session, message, repeatsLeft, delayMs, job, pattern }
    if (job === null) {
      const now = clock()
      return { ...common, ...armedFor(delayMs, now), setAt: now.calendar, position: null }
    }
    if (pattern !== null) compilePattern(pattern)
    const found = await (await jobs()).find(job, caller)
    const position = pattern === null ? null : (found.positions.get(session) ?? 0)
    return { ...common, fireAt: null, fireUptime: null, boot: '', setAt: clock().calendar, position }
  }

  function insert(caller: Who, row: Omit<CallbackRow, 'slot'>): Promise<CallbackRow> {
    return sync.within(caller, async ({ callbacks }) => {
      const [slot] = freeSlots(await callbacks.all(), caller.session)
      if (slot === undefined) throw new Failure(`Error: all callback slots full (max ${MAX_SLOTS})`)
      await callbacks.put({ ...row, slot })
      return { ...row, slot }
    })
  }

  function removeCallbacks({ user, session }: Who, slot: number | undefined): Promise<readonly CallbackRow[]> {
    return state.write({ project, user }, async (rows) => {
      if (slot !== undefined) return [await cancelCallback(rows, session, slot)]
      const own = (await rows.callbacks.all()).filter((row) => row.session === session)
      for (const row of own) await rows.callbacks.remove(session, row.slot)
      return own
    })
  }

  return {
    prepare: (caller) => sync.prepare?.(caller),
    take: (caller) => sync.take(caller),
    async set(caller, input) {
      const row = await toRow(caller, input)
      const callback = await orNoSlots(() => insert(caller, row))
      return { callback, msLeft: sync.msLeft(caller.user, callback) }
    },
    async list(caller) {
      const all = await orNoSlots(async () => {
        await sync.arrive(caller)
        return state.read(scopeOf(caller), ({ callbacks }) => callbacks.all())
      })
      return all
        .filter(({ session }) => session === caller.session)
        .map((callback): Entry => ({ callback, msLeft: sync.msLeft(caller.user, callback) }))
    },
    async cancel(caller, slot) {
      if (slot !== undefined && (slot < 0 || slot >= MAX_SLOTS)) {
        throw new Failure(`Error: callback_id ${slot} out of range (max ${MAX_SLOTS - 1})`)
      }
      const cancelled = await orNoSlots(async () => {
        await sync.arrive(caller)
        return removeCallbacks(caller, slot)
      })
      await sync.reload(caller.user)
      return cancelled
    },
    async waiting(caller) {
      const all = await state.read(scopeOf(caller), ({ messages }) => messages.waiting())
      return all.filter(({ session }) => session === caller.session)
    },
    inboxOf(caller) {
      try {
        const directory = inbox.folderOf(caller, false)
        return directory === undefined ? undefined : join(directory, 'inbox')
      } catch (error) {
        warn(`cannot determine the inbox directory of the session: ${reasonOf(error)}`)
        return undefined
      }
    },
    arrive: (caller) => sync.arrive(caller),
    attend: (caller) => sync.within(caller, () => Promise.resolve()),
    adoptAll: () => sync.adoptAll(),
    idle: () => sync.poke(),
    left: (caller) => sync.leave(caller),
    watch: (user) => sync.reload(user),
    close: () => sync.close(),
  }
}

/** Prefixes database failures with the documented sentence. */
export async function orNoSlots<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof Failure) || error.message.startsWith('Error: ')) throw error
    throw new Failure(`Error: callback slots not available\n${error.message}`)
  }
}
