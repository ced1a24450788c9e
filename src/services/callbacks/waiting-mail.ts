// What waits for the sessions held here, in memory, so that every call can be asked whether there is something without
// waiting. A message is on its way by one way at a time, and goes by none once it has arrived.

import type { MessageRow } from '../../store/state/message-rows.js'
import type { Who } from '../who.js'
import type { Mail } from '../mail.js'

/** What fits in front of one result; one that is longer goes alone. */
const MAX_CHARACTERS = 8000

export interface WaitingMail extends Mail {
  /** What waits for one user, all of it. Gives those that were not known. */
  know(user: string, messages: readonly MessageRow[]): readonly MessageRow[]
  /** False: it is on its way already, or is none that waits. */
  send(user: string, id: number): boolean
  /** It has arrived, or may be sent again. */
  settle(user: string, id: number, hasArrived: boolean): void
  /** Whether it is neither on its way nor there. */
  isWaiting(user: string, id: number): boolean
  /** Whether anything is known of that was for this user. */
  isAny(user: string): boolean
  /** Whether anything is on its way. */
  readonly isMoving: boolean
}

export interface WaitingMailSettings {
  /** Whether what is addressed to a session may be told to this one. */
  readonly mayRead: (who: Who, session: string) => boolean
  /** Called before one is told. False: it has been read elsewhere at this moment. */
  readonly claim: (user: string, message: MessageRow) => boolean
  /** To be remembered: they were told in front of a result. */
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
