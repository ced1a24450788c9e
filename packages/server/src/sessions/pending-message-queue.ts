// In-memory queue of the pending messages of leased sessions, so that every call can check it synchronously. A message
// is in flight on one channel at a time, and on none after its delivery. Used by message-delivery.ts.

import type { Caller } from '@scorpiox/mcp/definitions/caller'
import type { MessageBatch, MessageQueue } from '@scorpiox/mcp/definitions/message-queue'
import type { PendingMessage } from './message-table.js'

/** Limit per result; a longer message is sent alone. */
const MAX_CHARACTERS = 8000

export interface PendingMessageQueue extends MessageQueue {
  takeBatch(caller: Caller): PendingBatch | undefined
  /** Replaces the pending messages of one user. Returns the new ones. */
  setPending(user: string, messages: readonly PendingMessage[]): readonly PendingMessage[]
  /** False: already in flight, or not pending. */
  markInFlight(user: string, id: number): boolean
  /** The delivery succeeded, or the message may be sent again. */
  settleDelivery(user: string, id: number, isDelivered: boolean): void
  /** Whether it is neither in flight nor delivered. */
  isPending(user: string, id: number): boolean
  /** Whether the queue has messages of this user. */
  hasMessages(user: string): boolean
  /** Whether any message is in flight. */
  readonly isDelivering: boolean
}

export interface PendingBatch extends MessageBatch {
  readonly messages: readonly PendingMessage[]
}

export interface PendingMessageQueueDeps {
  /** Whether this caller may receive messages addressed to that session. */
  readonly canReceive: (caller: Caller, session: string) => boolean
  /** Called before a message is taken. False: it was read elsewhere just now. */
  readonly claim: (user: string, message: PendingMessage) => boolean
  /** To be recorded: delivered in front of a result. */
  readonly onDelivered: (user: string, messages: readonly PendingMessage[]) => void
  readonly onReturned: (user: string, messages: readonly PendingMessage[]) => void
}

interface QueuedMessage {
  readonly message: PendingMessage
  readonly state: 'waiting' | 'in-flight' | 'delivered'
}

export function createPendingMessageQueue(settings: PendingMessageQueueDeps): PendingMessageQueue {
  const { canReceive, claim, onDelivered, onReturned } = settings
  const messagesByUser = new Map<string, Map<number, QueuedMessage>>()

  function setState(user: string, message: PendingMessage, state: QueuedMessage['state']): void {
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

  function pickBatch(caller: Caller, queue: ReadonlyMap<number, QueuedMessage>): readonly PendingMessage[] {
    const picked: PendingMessage[] = []
    let size = 0
    for (const { message, state } of queue.values()) {
      if (state !== 'waiting' || !canReceive(caller, message.session)) continue
      size += message.text.length
      if (picked.length > 0 && size > MAX_CHARACTERS) break
      if (claim(caller.user, message)) picked.push(message)
      else setState(caller.user, message, 'delivered')
    }
    return picked
  }

  return {
    setPending(user, messages) {
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
    markInFlight,
    settleDelivery,
    hasMessages: (user) => messagesByUser.has(user),
    isPending: (user, id) => messagesByUser.get(user)?.get(id)?.state === 'waiting',
    get isDelivering() {
      return [...messagesByUser.values()].some((queue) =>
        [...queue.values()].some(({ state }) => state === 'in-flight'),
      )
    },
    takeBatch(caller) {
      const queue = messagesByUser.size === 0 ? undefined : messagesByUser.get(caller.user)
      const picked = queue ? pickBatch(caller, queue) : []
      if (picked.length === 0) return undefined
      for (const { id } of picked) markInFlight(caller.user, id)
      return {
        messages: picked,
        text: picked.map(({ text }) => text).join('\n\n'),
        confirm() {
          for (const { id } of picked) settleDelivery(caller.user, id, true)
          onDelivered(caller.user, picked)
        },
        release() {
          for (const { id } of picked) settleDelivery(caller.user, id, false)
          onReturned(caller.user, picked)
        },
      }
    },
  }
}
