// Takes over the work of dead sessions: callbacks move to free slots of a live session, messages and questions to that
// session. What finds no slot, or no live session yet, keeps its session, which this process leases, so that it still
// fires. Runs inside a transaction, so that one process takes over everything.

import type { CallbackRow } from '../../store/state/callback-rows.js'
import type { Rows } from '../../store/state/state.js'
import { hold, type LeaseStamp, type TakingOver } from './attendance.js'
import { rebased } from './schedule.js'
import { freeSlots } from './slots.js'

/** Returns the names of the sessions that could not be moved and are now leased. */
export async function takeOver(rows: Rows, request: TakingOver): Promise<readonly string[]> {
  const dead = await findDeadSessions(rows, request)
  await request.lateAnswers(rows, dead)
  const unmoved: string[] = []
  for (const name of dead) if (!(await moveSession(rows, name, request))) unmoved.push(name)
  for (const name of unmoved) await hold(rows, name, request)
  await rebaseAll(rows, request)
  return unmoved
}

/** Sessions with callbacks, pending messages or questions. */
export async function ownersOf({ callbacks, messages, questions }: Rows): Promise<ReadonlySet<string>> {
  const asked = [await questions.open(), await questions.undelivered()].flat()
  const owners = [await callbacks.all(), await messages.waiting(), asked].flat()
  return new Set(owners.map(({ session }) => session))
}

/** Whether dead sessions of other processes have work left. */
export async function isAnythingLeft(rows: Rows, holder: string, isGone: TakingOver['isGone']): Promise<boolean> {
  const live = (await rows.sessions.all()).filter((session) => session.holder === holder || !isGone(session))
  const names = new Set(live.map(({ name }) => name))
  return [...(await ownersOf(rows))].some((name) => !names.has(name))
}

/** Dead sessions with work; leases of dead sessions without work are released. */
async function findDeadSessions(
  rows: Rows,
  { into, holder, isGone, isAbandoned }: TakingOver,
): Promise<ReadonlySet<string>> {
  const sessions = new Map((await rows.sessions.all()).map((session) => [session.name, session]))
  const isDead = (name: string): boolean => {
    const session = sessions.get(name)
    if (name === into || !session) return name !== into
    return session.holder === holder ? isAbandoned(name) : isGone(session)
  }
  const dead = new Set([...(await ownersOf(rows))].filter(isDead))
  for (const name of sessions.keys()) if (isDead(name) && !dead.has(name)) await rows.sessions.release(name)
  return dead
}

/** Returns whether everything was moved. */
async function moveSession(rows: Rows, name: string, { into }: TakingOver): Promise<boolean> {
  if (into === undefined) return false
  const all = await rows.callbacks.all()
  const ownCallbacks = all.filter(({ session }) => session === name)
  const slots = freeSlots(all, into)
  for (const [index, slot] of slots.slice(0, ownCallbacks.length).entries()) {
    const row = ownCallbacks[index]
    if (row) await moveCallback(rows, row, into, slot)
  }
  await rows.messages.readdress(name, into)
  await rows.questions.readdress(name, into)
  if (slots.length < ownCallbacks.length) return false
  await rows.sessions.release(name)
  return true
}

async function moveCallback(rows: Rows, row: CallbackRow, session: string, slot: number): Promise<void> {
  await rows.callbacks.remove(row.session, row.slot)
  await rows.callbacks.put({ ...row, session, slot })
}

/** Rebases callbacks of leased sessions from an earlier boot. */
export async function rebaseAll(rows: Rows, { holder, moment }: LeaseStamp): Promise<void> {
  const sessions = await rows.sessions.all()
  const ours = new Set(sessions.filter((session) => session.holder === holder).map(({ name }) => name))
  for (const row of await rows.callbacks.all()) {
    const next = ours.has(row.session) ? rebased(row, moment) : undefined
    if (next) await rows.callbacks.put(next)
  }
}
