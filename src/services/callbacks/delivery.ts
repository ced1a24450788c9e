// Delivers pending messages over the first channel that works: pushed to a client that shows them to its model, in
// front of the next tool result, or as a file in the session's inbox directory. Deliveries are recorded in the
// database, later if it is not available now.

import { reasonOf } from '../../lib/reason-of.js'
import type { MessageRow } from '../../store/state/message-rows.js'
import type { Rows } from '../../store/state/state.js'
import type { Who } from '../who.js'
import type { Mail } from '../mail.js'
import type { Notices } from '../notices.js'
import { isTaken, putIntoInbox, takeBack } from './inbox-file.js'
import { createWaitingMail } from './waiting-mail.js'

/** Interval for checking whether inbox files were read. */
const CHECK_INTERVAL_MS = 2000

export type Way = 'channel' | 'result' | 'inbox'

export interface Delivery extends Mail {
  /** Replaces the pending messages of one user, in the sessions leased by this process. */
  know(user: string, messages: readonly MessageRow[]): void
  /** Writes pending messages to inbox files, for programs other than the client. */
  offer(user: string): void
  /** Checks which inbox files were read; returns the milliseconds until the next check. */
  look(): number | undefined
  /** Records deliveries that could not be recorded before. */
  remember(): Promise<void>
  /** Whether messages may be pending for this user. */
  isAny(user: string): boolean
  /** Whether a delivery is in progress. */
  readonly isMoving: boolean
}

export interface DeliverySettings {
  readonly notices: Notices
  readonly mayRead: (caller: Who, session: string) => boolean
  /** The session directory whose inbox receives the message; undefined: none. */
  readonly inboxOf: (message: Pick<MessageRow, 'session'>, user: string) => string | undefined
  readonly stemOf: (user: string, id: number) => string
  readonly write: (user: string, work: (rows: Rows) => Promise<void>) => Promise<void>
  readonly now: () => number
  readonly warn: (message: string) => void
}

interface UnrecordedDelivery {
  readonly user: string
  readonly ids: readonly number[]
  readonly via: Way
  readonly at: number
}

export function createDelivery(settings: DeliverySettings): Delivery {
  const { notices, mayRead, inboxOf, stemOf, write, now, warn } = settings
  const files = new Map<string, { readonly user: string; readonly message: MessageRow; readonly path: string }>()
  const unrecorded = new Set<UnrecordedDelivery>()
  const queue = createWaitingMail({
    mayRead,
    claim(user, message) {
      const key = messageKey(user, message.id)
      const file = files.get(key)
      files.delete(key)
      if (!file || takeBack(file.path)) return true
      recordArrival(user, [message], 'inbox')
      return false
    },
    onDelivered: (user, messages) => recordArrival(user, messages, 'result'),
    onReturned: (user) => writeInboxFiles(user),
  })
  const pending = new Map<string, readonly MessageRow[]>()

  function recordArrival(user: string, messages: readonly MessageRow[], via: Way): void {
    unrecorded.add({ user, ids: messages.map(({ id }) => id), via, at: now() })
    void recordDeliveries()
  }

  async function recordDeliveries(): Promise<void> {
    for (const entry of unrecorded) {
      const { user, ids, via, at } = entry
      try {
        await write(user, async ({ messages }) => {
          for (const id of ids) await messages.deliver(id, { at, via })
        })
        unrecorded.delete(entry)
      } catch (error) {
        warn(`could not record a message delivery; will retry: ${reasonOf(error)}`)
      }
    }
  }

  function pushMessage(user: string, message: MessageRow): void {
    const { id, session, kind, text } = message
    notices.publish({
      kind: 'message',
      user,
      session,
      content: text,
      meta: { kind, message_id: String(id) },
      mayLeave: () => queue.send(user, id),
      taken() {
        queue.settle(user, id, true)
        recordArrival(user, [message], 'channel')
      },
    })
  }

  function writeInboxFiles(user: string): void {
    for (const message of pending.get(user) ?? []) void writeToInbox(user, message)
  }

  async function writeToInbox(user: string, message: MessageRow): Promise<void> {
    const key = messageKey(user, message.id)
    try {
      const directory = files.has(key) || !queue.isWaiting(user, message.id) ? undefined : inboxOf(message, user)
      if (directory === undefined) return
      const path = putIntoInbox(directory, stemOf(user, message.id), message.text)
      files.set(key, { user, message, path })
      await write(user, ({ messages }) => messages.place(message.id, path))
    } catch (error) {
      warn(`cannot write an inbox file: ${reasonOf(error)}`)
    }
  }

  function deliverNew(user: string, message: MessageRow): void {
    if (files.get(messageKey(user, message.id))?.path !== message.file && wasReadBefore(message)) {
      queue.settle(user, message.id, true)
      return recordArrival(user, [message], 'inbox')
    }
    pushMessage(user, message)
    void writeToInbox(user, message)
  }

  return {
    take: (caller) => queue.take(caller),
    isAny: (user) => queue.isAny(user),
    know(user, messages) {
      const remaining = new Set(messages.map(({ id }) => messageKey(user, id)))
      for (const [key, file] of files) {
        if (file.user !== user || remaining.has(key)) continue
        files.delete(key)
        takeBack(file.path)
      }
      if (messages.length === 0) pending.delete(user)
      else pending.set(user, messages)
      for (const message of queue.know(user, messages)) deliverNew(user, message)
    },
    offer: writeInboxFiles,
    look() {
      for (const [key, { user, message, path }] of files) {
        if (!isTaken(path)) continue
        files.delete(key)
        queue.settle(user, message.id, true)
        recordArrival(user, [message], 'inbox')
      }
      return files.size > 0 ? CHECK_INTERVAL_MS : undefined
    },
    remember: recordDeliveries,
    get isMoving() {
      return queue.isMoving
    },
  }
}

/** Whether an inbox file of an earlier server was read; otherwise it is removed. */
function wasReadBefore({ file }: MessageRow): boolean {
  return file !== null && (isTaken(file) || !takeBack(file))
}

function messageKey(user: string, id: number): string {
  return `${user}\0${id}`
}
