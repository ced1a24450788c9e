// Messages for a session that it did not request: callbacks that fired, late answers. A message stays pending until it
// was written to a client that accepted it.

export interface MessageRow {
  readonly id: number
  readonly session: string
  readonly kind: 'callback' | 'answer'
  readonly text: string
  readonly createdAt: number
  /** The file in the session's inbox folder, until its reader has taken it. */
  readonly file: string | null
}

export interface MessageRows {
  insert(message: Omit<MessageRow, 'id' | 'file'>): Promise<MessageRow>
  /** The undelivered messages, oldest first. */
  waiting(): Promise<readonly MessageRow[]>
  /** Returns false if it was already delivered. */
  deliver(id: number, by: { readonly at: number; readonly via: string }): Promise<boolean>
  place(id: number, file: string | null): Promise<void>
  /** Moves the pending messages of one session to another. */
  readdress(from: string, to: string): Promise<void>
  /** Deletes messages that were delivered before this time. */
  forget(before: number): Promise<void>
}
