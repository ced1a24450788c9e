// In-memory queue of the pending messages of leased sessions, so that every call can check it synchronously. A message
// is in flight on one channel at a time, and on none after its delivery.

import type { MessageRow } from '../../store/state/message-rows.js'
import type { Who } from '../who.js'
import type { Mail } from '../mail.js'

/** Limit per result; a longer message is sent alone. */
const MAX_CHARACTERS = 8000

export interface WaitingMail extends Mail {
  /** Replaces the pending messages of one user. Returns the new ones. */
  know(user: string, messages: readonly MessageRow[]): readonly MessageRow[]
  /** False: already in flight, or not pending. */
  send(user: string, id: number): boolean
  /** The delivery succeeded, or the message may be sent again. */
  settle(user: string, id: number, hasArrived: boolean): void
  /** Whether it is neither in flight nor delivered. */
  isWaiting(user: string, id: number): boolean
  /** Whether the queue has messages of this user. */
  isAny(user: string): boolean
  /** Whether any message is in flight. */
  readonly isMoving: boolean
}

export interface WaitingMailSettings {
  /** Whether this caller may receive messages addressed to that session. */
  readonly mayRead: (who: Who, session: string) => boolean
  /** Called before a message is taken. False: it was read elsewhere just now. */
  readonly claim: (user: string, message: MessageRow) => boolean
  /** To be recorded: delivered in front of a result. */
  readonly onDelivered: (user: string, messages: readonly MessageRow[]) => void
  readonly onReturned: (user: string, messages: readonly MessageRow[]) => void
}

interface Letter {
  readonly message: MessageRow
  readonly state: 'waiting' | 'moving' | 'arrived'
}

export function createWaitingMail(settings: WaitingMailSettings): WaitingMail {
  const { mayRead, claim, onDelivered, onReturned } = settings
  const letters = new Map<string, Map<number, Letter>>()

  function put(user: string, message: MessageRow, state: Letter['state']): void {
    letters.get(user)?.set(message.id, { message, state })
  }

  function send(user: string, id: number): boolean {
    const letter = letters.get(user)?.get(id)
    if (letter?.state !== 'waiting') return false
    put(user, letter.message, 'moving')
    return true
  }

  function settle(user: string, id: number, hasArrived: boolean): void {
    const letter = letters.get(user)?.get(id)
    if (letter && letter.state !== 'arrived') put(user, letter.message, hasArrived ? 'arrived' : 'waiting')
  }

  function pick(who: Who, theirs: ReadonlyMap<number, Letter>): readonly MessageRow[] {
    const picked: MessageRow[] = []
    let size = 0
    for (const { message, state } of theirs.values()) {
      if (state !== 'waiting' || !mayRead(who, message.session)) continue
      size += message.text.length
      if (picked.length > 0 && size > MAX_CHARACTERS) break
      if (claim(who.user, message)) picked.push(message)
      else put(who.user, message, 'arrived')
    }
    return picked
  }

  return {
    know(user, messages) {
      const before = letters.get(user)
      if (messages.length === 0) letters.delete(user)
      else {
        letters.set(
          user,
          new Map(
            messages.map((message) => [message.id, { message, state: before?.get(message.id)?.state ?? 'waiting' }]),
          ),
        )
      }
      return messages.filter(({ id }) => before?.has(id) !== true)
    },
    send,
    settle,
    isAny: (user) => letters.has(user),
    isWaiting: (user, id) => letters.get(user)?.get(id)?.state === 'waiting',
    get isMoving() {
      return [...letters.values()].some((theirs) => [...theirs.values()].some(({ state }) => state === 'moving'))
    },
    take(who) {
      const theirs = letters.size === 0 ? undefined : letters.get(who.user)
      const picked = theirs ? pick(who, theirs) : []
      if (picked.length === 0) return undefined
      for (const { id } of picked) send(who.user, id)
      return {
        text: picked.map(({ text }) => text).join('\n\n'),
        delivered() {
          for (const { id } of picked) settle(who.user, id, true)
          onDelivered(who.user, picked)
        },
        returned() {
          for (const { id } of picked) settle(who.user, id, false)
          onReturned(who.user, picked)
        },
      }
    },
  }
}
