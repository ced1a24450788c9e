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
const LOOK_MS = 2000

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
  readonly mayRead: (who: Who, session: string) => boolean
  /** The session directory whose inbox receives the message; undefined: none. */
  readonly inboxOf: (message: Pick<MessageRow, 'session'>, user: string) => string | undefined
  readonly stemOf: (user: string, id: number) => string
  readonly write: (user: string, work: (rows: Rows) => Promise<void>) => Promise<void>
  readonly now: () => number
  readonly warn: (message: string) => void
}

interface Owed {
  readonly user: string
  readonly ids: readonly number[]
  readonly via: Way
  readonly at: number
}

export function createDelivery(settings: DeliverySettings): Delivery {
  const { notices, mayRead, inboxOf, stemOf, write, now, warn } = settings
  const files = new Map<string, { readonly user: string; readonly message: MessageRow; readonly path: string }>()
  const owed = new Set<Owed>()
  const mail = createWaitingMail({
    mayRead,
    claim(user, message) {
      const key = keyOf(user, message.id)
      const file = files.get(key)
      files.delete(key)
      if (!file || takeBack(file.path)) return true
      arrived(user, [message], 'inbox')
      return false
    },
    onDelivered: (user, messages) => arrived(user, messages, 'result'),
    onReturned: (user) => offer(user),
  })
  const waiting = new Map<string, readonly MessageRow[]>()

  function arrived(user: string, messages: readonly MessageRow[], via: Way): void {
    owed.add({ user, ids: messages.map(({ id }) => id), via, at: now() })
    void remember()
  }

  async function remember(): Promise<void> {
    for (const debt of owed) {
      const { user, ids, via, at } = debt
      try {
        await write(user, async ({ messages }) => {
          for (const id of ids) await messages.deliver(id, { at, via })
        })
        owed.delete(debt)
      } catch (error) {
        warn(`that a message was delivered could not be remembered yet: ${reasonOf(error)}`)
      }
    }
  }

  function push(user: string, message: MessageRow): void {
    const { id, session, kind, text } = message
    notices.publish({
      kind: 'message',
      user,
      session,
      content: text,
      meta: { kind, message_id: String(id) },
      mayLeave: () => mail.send(user, id),
      taken() {
        mail.settle(user, id, true)
        arrived(user, [message], 'channel')
      },
    })
  }

  function offer(user: string): void {
    for (const message of waiting.get(user) ?? []) void putInto(user, message)
  }

  async function putInto(user: string, message: MessageRow): Promise<void> {
    const key = keyOf(user, message.id)
    try {
      const folder = files.has(key) || !mail.isWaiting(user, message.id) ? undefined : inboxOf(message, user)
      if (folder === undefined) return
      const path = putIntoInbox(folder, stemOf(user, message.id), message.text)
      files.set(key, { user, message, path })
      await write(user, ({ messages }) => messages.place(message.id, path))
    } catch (error) {
      warn(`a message could not be put into the inbox of its session: ${reasonOf(error)}`)
    }
  }

  function meet(user: string, message: MessageRow): void {
    if (files.get(keyOf(user, message.id))?.path !== message.file && wasRead(message)) {
      mail.settle(user, message.id, true)
      return arrived(user, [message], 'inbox')
    }
    push(user, message)
    void putInto(user, message)
  }

  return {
    take: (who) => mail.take(who),
    isAny: (user) => mail.isAny(user),
    know(user, messages) {
      const left = new Set(messages.map(({ id }) => keyOf(user, id)))
      for (const [key, file] of files) {
        if (file.user !== user || left.has(key)) continue
        files.delete(key)
        takeBack(file.path)
      }
      if (messages.length === 0) waiting.delete(user)
      else waiting.set(user, messages)
      for (const message of mail.know(user, messages)) meet(user, message)
    },
    offer,
    look() {
      for (const [key, { user, message, path }] of files) {
        if (!isTaken(path)) continue
        files.delete(key)
        mail.settle(user, message.id, true)
        arrived(user, [message], 'inbox')
      }
      return files.size > 0 ? LOOK_MS : undefined
    },
    remember,
    get isMoving() {
      return mail.isMoving
    },
  }
}

/** Whether an inbox file of an earlier server was read; otherwise it is removed. */
function wasRead({ file }: MessageRow): boolean {
  return file !== null && (isTaken(file) || !takeBack(file))
}

function keyOf(user: string, id: number): string {
  return `${user}\0${id}`
}
