// Takes over the work of dead sessions: callbacks move to free slots of a live session, messages and questions to that
// session. What finds no slot, or no live session yet, keeps its session, which this process leases, so that it still
// fires. Runs inside a transaction, so that one process takes over everything.

import type { Moment } from '../../platform/clock.js'
import type { CallbackRow } from '../../store/state/callback-rows.js'
import type { Rows } from '../../store/state/state.js'
import type { SessionRow } from '../../store/state/session-rows.js'
import { rebased } from './schedule.js'
import { freeSlots } from './slots.js'

export interface TakingOver {
  /** The live session; undefined if there is none yet. */
  readonly into: string | undefined
  readonly holder: string
  readonly moment: Moment
  readonly isGone: (session: SessionRow) => boolean
  /** Whether a session leased by this process has lost its client. */
  readonly isAbandoned: (name: string) => boolean
  /** Queues answers to questions of these sessions as messages. */
  readonly lateAnswers: LateAnswers
}

export type LateAnswers = (rows: Rows, sessions: ReadonlySet<string>) => Promise<void>

/** Returns the names of the sessions that could not be moved and are now leased. */
export async function takeOver(rows: Rows, terms: TakingOver): Promise<readonly string[]> {
  const left = await leftBehind(rows, terms)
  await terms.lateAnswers(rows, left)
  const kept: string[] = []
  for (const name of left) if (!(await moveAll(rows, name, terms))) kept.push(name)
  for (const name of kept) await hold(rows, name, terms)
  await rebaseAll(rows, terms)
  return kept
}

export function hold(rows: Rows, name: string, { holder, moment }: Pick<TakingOver, 'holder' | 'moment'>) {
  return rows.sessions.hold({ name, holder, renewedAt: moment.calendar })
}

/** Sessions with callbacks, pending messages or questions. */
export async function ownersOf({ callbacks, messages, questions }: Rows): Promise<ReadonlySet<string>> {
  const asked = [await questions.open(), await questions.undelivered()].flat()
  const owners = [await callbacks.all(), await messages.waiting(), asked].flat()
  return new Set(owners.map(({ session }) => session))
}

/** Whether dead sessions of other processes have work left. */
export async function isAnythingLeft(
  rows: Rows,
  { holder, isGone }: Pick<TakingOver, 'holder' | 'isGone'>,
): Promise<boolean> {
  const there = (await rows.sessions.all()).filter((session) => session.holder === holder || !isGone(session))
  const names = new Set(there.map(({ name }) => name))
  return [...(await ownersOf(rows))].some((name) => !names.has(name))
}

/** Dead sessions with work; leases of dead sessions without work are released. */
async function leftBehind(rows: Rows, { into, holder, isGone, isAbandoned }: TakingOver): Promise<ReadonlySet<string>> {
  const sessions = new Map((await rows.sessions.all()).map((session) => [session.name, session]))
  const isLeft = (name: string): boolean => {
    const session = sessions.get(name)
    if (name === into || !session) return name !== into
    return session.holder === holder ? isAbandoned(name) : isGone(session)
  }
  const left = new Set([...(await ownersOf(rows))].filter(isLeft))
  for (const name of sessions.keys()) if (isLeft(name) && !left.has(name)) await rows.sessions.release(name)
  return left
}

/** Returns whether everything was moved. */
async function moveAll(rows: Rows, name: string, { into }: TakingOver): Promise<boolean> {
  if (into === undefined) return false
  const all = await rows.callbacks.all()
  const theirs = all.filter(({ session }) => session === name)
  const slots = freeSlots(all, into)
  for (const [index, slot] of slots.slice(0, theirs.length).entries()) {
    const row = theirs[index]
    if (row) await move(rows, row, into, slot)
  }
  await rows.messages.readdress(name, into)
  await rows.questions.readdress(name, into)
  if (slots.length < theirs.length) return false
  await rows.sessions.release(name)
  return true
}

async function move(rows: Rows, row: CallbackRow, session: string, slot: number): Promise<void> {
  await rows.callbacks.remove(row.session, row.slot)
  await rows.callbacks.put({ ...row, session, slot })
}

/** Rebases callbacks of leased sessions from an earlier boot. */
export async function rebaseAll(rows: Rows, { holder, moment }: Pick<TakingOver, 'holder' | 'moment'>): Promise<void> {
  const sessions = await rows.sessions.all()
  const ours = new Set(sessions.filter((session) => session.holder === holder).map(({ name }) => name))
  for (const row of await rows.callbacks.all()) {
    const next = ours.has(row.session) ? rebased(row, moment) : undefined
    if (next) await rows.callbacks.put(next)
  }
}
