// Delivers pending messages over the first channel that works: pushed to a client that shows them to its model, in
// front of the next tool result, or as a file in the session's inbox directory. Deliveries are recorded in the
// database, later if it is not available now. Created by the callback service. Writes and removes inbox files.

import { lstatSync, mkdirSync, realpathSync, unlinkSync } from 'node:fs'
import { dirname, join } from 'node:path'

import type { Caller } from '@scorpiox/mcp/definitions/caller'
import type { ChangeEvents } from '@scorpiox/mcp/definitions/change-events'
import type { MessageQueue } from '@scorpiox/mcp/definitions/message-queue'
import { errorMessage, Failure } from '@scorpiox/mcp/errors'
import { hasErrorCode } from '@scorpiox/mcp/os'
import { replaceFile } from '@scorpiox/mcp/atomic-file'
import { createClaimedMessages } from './claimed-messages.js'
import type { PendingMessage } from './message-table.js'
import { createPendingMessageQueue } from './pending-message-queue.js'
import type { SessionTables } from './session-leases.js'

/** Interval for checking whether inbox files were read. */
const CHECK_INTERVAL_MS = 2000

export type DeliveryChannel = 'channel' | 'result' | 'inbox'

export interface MessageDelivery extends MessageQueue {
  /** Replaces the pending messages of one user, in the sessions leased by this process. */
  setPending(user: string, messages: readonly PendingMessage[]): void
  /** Writes pending messages to inbox files, for programs other than the client. */
  writeInboxFiles(user: string): void
  /** Checks which inbox files were read; returns the milliseconds until the next check. */
  checkInboxFiles(): number | undefined
  /** If messages are marked before they are sent: marks those of this caller. Undefined if there is nothing to wait for. */
  claim(caller: Caller): Promise<void> | undefined
  /** Records deliveries that could not be recorded before. */
  recordDeliveries(): Promise<void>
  /** Whether messages may be pending for this user. */
  hasMessages(user: string): boolean
  /** Whether a delivery is in progress. */
  readonly isDelivering: boolean
  /** Another machine delivers the messages of this user; inbox files stay. */
  forget(user: string): void
}

export interface MessageDeliveryDeps {
  readonly changeEvents: ChangeEvents
  readonly canReceive: (caller: Caller, session: string) => boolean
  /** The session directory whose inbox receives the message; undefined: none. */
  readonly inboxDirectoryOf: (message: Pick<PendingMessage, 'session'>, user: string) => string | undefined
  readonly fileStemOf: (user: string, id: number) => string
  readonly write: (user: string, work: (rows: SessionTables) => Promise<void>) => Promise<void>
  /** Called after each write. */
  readonly reload: (user: string) => Promise<void>
  readonly now: () => number
  readonly warn: (message: string) => void
  /** Messages are marked as delivered before a result contains them: then no other machine delivers them again. */
  readonly claimsFirst?: boolean | undefined
}

interface UnrecordedDelivery {
  readonly user: string
  readonly ids: readonly number[]
  readonly via: DeliveryChannel
  readonly at: number
}

export function createMessageDelivery(settings: MessageDeliveryDeps): MessageDelivery {
  const { changeEvents, canReceive, inboxDirectoryOf, fileStemOf, write, reload, now, warn } = settings
  const files = new Map<string, { readonly user: string; readonly message: PendingMessage; readonly path: string }>()
  const unrecorded = new Set<UnrecordedDelivery>()
  const queue = createPendingMessageQueue({
    canReceive,
    claim(user, message) {
      const key = messageKey(user, message.id)
      const file = files.get(key)
      files.delete(key)
      if (!file || removeInboxFile(file.path)) return true
      recordArrival(user, [message], 'inbox')
      return false
    },
    onDelivered: (user, messages) => claimed || recordArrival(user, messages, 'result'),
    onReturned: (user) => writeInboxFiles(user),
  })
  const claimed =
    settings.claimsFirst && createClaimedMessages({ ...settings, take: (caller) => queue.takeBatch(caller) })
  const pending = new Map<string, readonly PendingMessage[]>()

  function recordArrival(user: string, messages: readonly PendingMessage[], via: DeliveryChannel): void {
    unrecorded.add({ user, ids: messages.map(({ id }) => id), via, at: now() })
    void recordDeliveries()
  }

  async function recordDeliveries(): Promise<void> {
    if (claimed) await claimed.returnUnsent()
    for (const entry of unrecorded) {
      const { user, ids, via, at } = entry
      try {
        await write(user, async ({ messages }) => {
          for (const id of ids) await messages.markDelivered(id, { at, via })
        })
        unrecorded.delete(entry)
        await reload(user)
      } catch (error) {
        warn(`could not record a message delivery; will retry: ${errorMessage(error)}`)
      }
    }
  }

  function pushMessage(user: string, message: PendingMessage): void {
    const { id, session, kind, text } = message
    changeEvents.publish({
      kind: 'message',
      user,
      session,
      content: text,
      meta: { kind, message_id: String(id) },
      claim: () => queue.markInFlight(user, id),
      onWritten() {
        queue.settleDelivery(user, id, true)
        recordArrival(user, [message], 'channel')
      },
    })
  }

  function writeInboxFiles(user: string): void {
    for (const message of pending.get(user) ?? []) void writeToInbox(user, message)
  }

  async function writeToInbox(user: string, message: PendingMessage): Promise<void> {
    const key = messageKey(user, message.id)
    try {
      const directory =
        files.has(key) || !queue.isPending(user, message.id) ? undefined : inboxDirectoryOf(message, user)
      if (directory === undefined) return
      const path = writeInboxFile(directory, fileStemOf(user, message.id), message.text)
      files.set(key, { user, message, path })
      await write(user, ({ messages }) => messages.setInboxFile(message.id, path))
      await reload(user)
    } catch (error) {
      warn(`cannot write an inbox file: ${errorMessage(error)}`)
    }
  }

  function deliverNew(user: string, message: PendingMessage): void {
    if (files.get(messageKey(user, message.id))?.path !== message.file && wasReadBefore(message)) {
      queue.settleDelivery(user, message.id, true)
      return recordArrival(user, [message], 'inbox')
    }
    pushMessage(user, message)
    void writeToInbox(user, message)
  }

  return {
    claim: (caller) => (claimed && queue.hasMessages(caller.user) ? claimed.claim(caller) : undefined),
    takeBatch: (caller) => (claimed || queue).takeBatch(caller),
    hasMessages: (user) => queue.hasMessages(user) || (claimed ? claimed.hasMessages() : false),
    setPending(user, messages) {
      const remaining = new Set(messages.map(({ id }) => messageKey(user, id)))
      for (const [key, file] of files) {
        if (file.user !== user || remaining.has(key)) continue
        files.delete(key)
        removeInboxFile(file.path)
      }
      if (messages.length === 0) pending.delete(user)
      else pending.set(user, messages)
      for (const message of queue.setPending(user, messages)) deliverNew(user, message)
    },
    writeInboxFiles,
    checkInboxFiles() {
      for (const [key, { user, message, path }] of files) {
        if (!wasInboxFileRead(path)) continue
        files.delete(key)
        queue.settleDelivery(user, message.id, true)
        recordArrival(user, [message], 'inbox')
      }
      return files.size > 0 ? CHECK_INTERVAL_MS : undefined
    },
    recordDeliveries,
    get isDelivering() {
      return queue.isDelivering
    },
    forget(user) {
      for (const [key, file] of files) if (file.user === user) files.delete(key)
      for (const entry of unrecorded) if (entry.user === user) unrecorded.delete(entry)
      if (claimed) claimed.forget(user)
      pending.delete(user)
      queue.setPending(user, [])
    },
  }
}

/**
 * Whether an inbox file of an earlier server was read; otherwise it is removed. A directory that is not here may be on
 * another machine.
 */
function wasReadBefore({ file }: PendingMessage): boolean {
  return file !== null && (wasInboxFileRead(file) || (hasDirectory(file) && !removeInboxFile(file)))
}

function hasDirectory(path: string): boolean {
  try {
    return exists(dirname(path))
  } catch {
    return false
  }
}

function messageKey(user: string, id: number): string {
  return `${user}\0${id}`
}

/** Readers move larger files away without reading them. */
const MAX_BYTES = 64 * 1024

/**
 * Writes `inbox/<stem>.json` in the existing session directory, for programs that read messages there. A file counts as
 * read when it no longer exists. Links are not followed. Synchronous, so that the file is known before a program can
 * read it.
 */
export function writeInboxFile(directory: string, stem: string, text: string): string {
  const json = `${JSON.stringify({ mode: 'queue', text })}\n`
  if (Buffer.byteLength(json) > MAX_BYTES) throw new Failure('the message is too long for an inbox file')
  const path = join(ensureInboxDirectory(directory), `${stem}.json`)
  replaceFile(path, json, () => true)
  return path
}

/** Returns whether the file still existed; then it was not read. */
function removeInboxFile(path: string): boolean {
  try {
    unlinkSync(path)
    return true
  } catch (error) {
    return !hasErrorCode(error, 'ENOENT', 'ENOTDIR')
  }
}

/** Whether the file was read. If the whole inbox directory is gone, it was not. */
function wasInboxFileRead(path: string): boolean {
  try {
    return exists(dirname(path)) && !exists(path)
  } catch {
    return false
  }
}

function exists(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false }) !== undefined
}

function ensureInboxDirectory(directory: string): string {
  const inbox = join(directory, 'inbox')
  try {
    mkdirSync(inbox, { mode: 0o700 })
  } catch (error) {
    if (!hasErrorCode(error, 'EEXIST')) throw error
  }
  if (lstatSync(inbox).isDirectory() && realpathSync.native(inbox) === join(realpathSync.native(directory), 'inbox')) {
    return inbox
  }
  throw new Failure(`${inbox} must be a directory, not a link: nothing was written. Move it away.`)
}
