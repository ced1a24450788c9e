// Takes over the work of dead sessions: callbacks move to free slots of a live session, messages, questions and requests
// for approval to that session. What finds no slot, or no live session yet, keeps its session, which this process leases,
// so that it still fires. Used by callback-sync, which passes it to the session leases. Changes the database in the
// transaction of its caller, so that one process takes over everything.

import { type LeaseStamp, type SessionLease, type TakeoverRequest, writeLease } from '../../sessions/session-leases.js'
import { rebaseToCurrentBoot } from './callback-schedule.js'
import { type CallbackRow, type CallbackTables, freeCallbackSlots } from './callback-table.js'

/** Returns the names of the sessions that could not be moved and are now leased. */
export async function takeOverSessions(
  rows: CallbackTables,
  request: TakeoverRequest<CallbackTables>,
): Promise<readonly string[]> {
  const dead = await findDeadSessions(rows, request)
  await request.queueLateAnswers(rows, dead)
  const unmoved: string[] = []
  for (const name of dead) {
    if (request.isContinued(name) || !(await moveSession(rows, name, request))) unmoved.push(name)
  }
  for (const name of unmoved) await writeLease(rows, name, request)
  await rebaseCallbacks(rows, request)
  return unmoved
}

/** Sessions with callbacks, pending messages, questions or requests for the approval of a plan. */
export async function sessionsWithWork({
  callbacks,
  messages,
  questions,
  approvals,
}: CallbackTables): Promise<ReadonlySet<string>> {
  const asked = [await questions.listOpen(), await questions.listUndelivered()].flat()
  const owners = [await callbacks.list(), await messages.listPending(), asked, await approvals.listUnsettled()].flat()
  return new Set(owners.map(({ session }) => session))
}

/** Whether dead sessions have work left. */
export async function hasOrphanedWork(
  rows: CallbackTables,
  isLive: (session: SessionLease) => boolean,
): Promise<boolean> {
  const live = (await rows.sessions.list()).filter(isLive)
  const names = new Set(live.map(({ name }) => name))
  return [...(await sessionsWithWork(rows))].some((name) => !names.has(name))
}

/** Dead sessions with work; leases of dead sessions without work are released. */
async function findDeadSessions(
  rows: CallbackTables,
  { target, leaseOwner, isOwnerGone, isAbandoned }: TakeoverRequest<CallbackTables>,
): Promise<ReadonlySet<string>> {
  const sessions = new Map((await rows.sessions.list()).map((session) => [session.name, session]))
  const isDead = (name: string): boolean => {
    const session = sessions.get(name)
    if (name === target || !session) return name !== target
    return session.owner === leaseOwner ? isAbandoned(name) : isOwnerGone(session)
  }
  const dead = new Set([...(await sessionsWithWork(rows))].filter(isDead))
  for (const name of sessions.keys()) if (isDead(name) && !dead.has(name)) await rows.sessions.release(name)
  return dead
}

/** Returns whether everything was moved. */
async function moveSession(
  rows: CallbackTables,
  name: string,
  { target }: TakeoverRequest<CallbackTables>,
): Promise<boolean> {
  if (target === undefined) return false
  const all = await rows.callbacks.list()
  const ownCallbacks = all.filter(({ session }) => session === name)
  const slots = freeCallbackSlots(all, target)
  for (const [index, slot] of slots.slice(0, ownCallbacks.length).entries()) {
    const row = ownCallbacks[index]
    if (row) await moveCallback(rows, row, target, slot)
  }
  await rows.messages.moveToSession(name, target)
  await rows.questions.moveToSession(name, target)
  await rows.approvals.moveToSession(name, target)
  if (slots.length < ownCallbacks.length) return false
  await rows.sessions.release(name)
  return true
}

async function moveCallback(rows: CallbackTables, row: CallbackRow, session: string, slot: number): Promise<void> {
  await rows.callbacks.remove(row.session, row.slot)
  await rows.callbacks.upsert({ ...row, session, slot })
}

/** Rebases callbacks of leased sessions from an earlier boot. */
export async function rebaseCallbacks(rows: CallbackTables, { leaseOwner, now }: LeaseStamp): Promise<void> {
  const sessions = await rows.sessions.list()
  const ours = new Set(sessions.filter((session) => session.owner === leaseOwner).map(({ name }) => name))
  for (const row of await rows.callbacks.list()) {
    const next = ours.has(row.session) ? rebaseToCurrentBoot(row, now) : undefined
    if (next) await rows.callbacks.upsert(next)
  }
}
