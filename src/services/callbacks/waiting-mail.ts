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
  settle(user: string, id: number, isDelivered: boolean): void
  /** Whether it is neither in flight nor delivered. */
  isWaiting(user: string, id: number): boolean
  /** Whether the queue has messages of this user. */
  isAny(user: string): boolean
  /** Whether any message is in flight. */
  readonly isMoving: boolean
}

export interface WaitingMailSettings {
  /** Whether this caller may receive messages addressed to that session. */
  readonly mayRead: (caller: Who, session: string) => boolean
  /** Called before a message is taken. False: it was read elsewhere just now. */
  readonly claim: (user: string, message: MessageRow) => boolean
  /** To be recorded: delivered in front of a result. */
  readonly onDelivered: (user: string, messages: readonly MessageRow[]) => void
  readonly onReturned: (user: string, messages: readonly MessageRow[]) => void
}

interface QueuedMessage {
  readonly message: MessageRow
  readonly state: 'waiting' | 'in-flight' | 'delivered'
}

export function createWaitingMail(settings: WaitingMailSettings): WaitingMail {
  const { mayRead, claim, onDelivered, onReturned } = settings
  const messagesByUser = new Map<string, Map<number, QueuedMessage>>()

  function setState(user: string, message: MessageRow, state: QueuedMessage['state']): void {
    messagesByUser.get(user)?.set(message.id, { message, state })
  }

  function markInFlight(user: string, id: number): boolean {
    const queued = messagesByUser.get(user)?.get(id)
    if (queued?.state !== 'waiting') return false
    setState(user, queued.message, 'in-flight')
    return true
  }

  function settleDelivery(user: string, id: number, isDelivered: boolean): void {
    const queued = messagesByUser.get(user)?.get(id)
    if (queued && queued.state !== 'delivered') setState(user, queued.message, isDelivered ? 'delivered' : 'waiting')
  }

  function pickBatch(caller: Who, queue: ReadonlyMap<number, QueuedMessage>): readonly MessageRow[] {
    const picked: MessageRow[] = []
    let size = 0
    for (const { message, state } of queue.values()) {
      if (state !== 'waiting' || !mayRead(caller, message.session)) continue
      size += message.text.length
      if (picked.length > 0 && size > MAX_CHARACTERS) break
      if (claim(caller.user, message)) picked.push(message)
      else setState(caller.user, message, 'delivered')
    }
    return picked
  }

  return {
    know(user, messages) {
      const before = messagesByUser.get(user)
      if (messages.length === 0) messagesByUser.delete(user)
      else {
        messagesByUser.set(
          user,
          new Map(
            messages.map((message) => [message.id, { message, state: before?.get(message.id)?.state ?? 'waiting' }]),
          ),
        )
      }
      return messages.filter(({ id }) => before?.has(id) !== true)
    },
    send: markInFlight,
    settle: settleDelivery,
    isAny: (user) => messagesByUser.has(user),
    isWaiting: (user, id) => messagesByUser.get(user)?.get(id)?.state === 'waiting',
    get isMoving() {
      return [...messagesByUser.values()].some((queue) =>
        [...queue.values()].some(({ state }) => state === 'in-flight'),
      )
    },
    take(caller) {
      const queue = messagesByUser.size === 0 ? undefined : messagesByUser.get(caller.user)
      const picked = queue ? pickBatch(caller, queue) : []
      if (picked.length === 0) return undefined
      for (const { id } of picked) markInFlight(caller.user, id)
      return {
        text: picked.map(({ text }) => text).join('\n\n'),
        delivered() {
          for (const { id } of picked) settleDelivery(caller.user, id, true)
          onDelivered(caller.user, picked)
        },
        returned() {
          for (const { id } of picked) settleDelivery(caller.user, id, false)
          onReturned(caller.user, picked)
        },
      }
    },
  }
}
