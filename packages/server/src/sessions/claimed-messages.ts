// Marks messages as delivered in the database before a result contains them. On one of several machines the next owner of
// a workspace could otherwise deliver them again, if this machine loses the database after it has sent them. Created by
// message-delivery.ts. Writes the database.

import type { Caller } from '@scorpiox/mcp/definitions/caller'
import type { MessageBatch } from '@scorpiox/mcp/definitions/message-queue'
import { errorMessage } from '@scorpiox/mcp/errors'
import type { MessageTable } from './message-table.js'
import type { PendingBatch } from './pending-message-queue.js'

export interface ClaimedMessages {
  /** Marks the messages that wait for this caller, for the result that is about to be written. */
  claim(caller: Caller): Promise<void>
  /** The messages that were marked for this caller. */
  takeBatch(caller: Caller): MessageBatch | undefined
  /** Whether messages were marked for a result that has not taken them yet. */
  hasMessages(): boolean
  /** Marks what was not sent as pending again, if that failed before. */
  returnUnsent(): Promise<void>
  /** Another machine delivers the messages of this user. */
  forget(user: string): void
}

export interface ClaimedMessagesDeps {
  /** Takes what waits for the caller. */
  readonly take: (caller: Caller) => PendingBatch | undefined
  readonly write: (user: string, work: (rows: { readonly messages: MessageTable }) => Promise<void>) => Promise<void>
  /** Called after each write. */
  readonly reload: (user: string) => Promise<void>
  readonly now: () => number
  readonly warn: (message: string) => void
}

interface Claimed {
  readonly caller: Caller
  readonly batch: PendingBatch
  /** Distinguishes this delivery from a later one. */
  readonly at: number
}

export function createClaimedMessages({ take, write, reload, now, warn }: ClaimedMessagesDeps): ClaimedMessages {
  const claimed = new Set<Claimed>()
  /** Marked or perhaps marked, and not sent. */
  const unsent = new Set<Claimed>()

  async function returnUnsent(): Promise<void> {
    for (const entry of unsent) {
      const { caller, batch, at } = entry
      try {
        await write(caller.user, async ({ messages }) => {
          for (const { id } of batch.messages) await messages.markPending(id, at)
        })
        // Before anything else can take them again.
        if (unsent.delete(entry)) batch.release()
        await reload(caller.user)
      } catch (error) {
        warn(`could not return a message that was not sent; will retry: ${errorMessage(error)}`)
      }
    }
  }

  function giveBack(entry: Claimed): void {
    unsent.add(entry)
    void returnUnsent()
  }

  return {
    async claim(caller) {
      // What could not be returned without the database.
      if (unsent.size > 0) await returnUnsent()
      const batch = take(caller)
      if (!batch) return
      const entry = { caller, batch, at: now() }
      try {
        await write(caller.user, async ({ messages }) => {
          for (const { id } of batch.messages) await messages.markDelivered(id, { at: entry.at, via: 'result' })
        })
      } catch (error) {
        warn(`messages come with a later result: ${errorMessage(error)}`)
        return giveBack(entry)
      }
      void reload(caller.user).catch((error: unknown) => warn(errorMessage(error)))
      claimed.add(entry)
      // The result takes them at once, unless it was cancelled or did not wait for so long.
      setImmediate(() => claimed.delete(entry) && giveBack(entry))
    },
    takeBatch({ user, session }) {
      const entry = [...claimed].find(({ caller }) => caller.user === user && caller.session === session)
      if (!entry) return undefined
      claimed.delete(entry)
      const { batch } = entry
      return { text: batch.text, confirm: () => batch.confirm(), release: () => giveBack(entry) }
    },
    hasMessages: () => claimed.size > 0,
    returnUnsent,
    forget(user) {
      for (const entries of [claimed, unsent])
        for (const entry of entries) if (entry.caller.user === user) entries.delete(entry)
    },
  }
}
