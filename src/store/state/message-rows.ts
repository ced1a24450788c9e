// The rows of what is to be told to a session and was not asked for: callbacks that fired, answers that came late. One
// waits until it has been written to a client that took it.

export interface MessageRow {
  readonly id: number
  readonly session: string
  readonly kind: 'callback' | 'answer'
  readonly text: string
  readonly createdAt: number
  /** Where it lies in the inbox of a session, until whoever reads there has taken it. */
  readonly file: string | null
}

export interface MessageRows {
  insert(message: Omit<MessageRow, 'id' | 'file'>): Promise<MessageRow>
  /** Not delivered yet, oldest first. */
  waiting(): Promise<readonly MessageRow[]>
  /** False: it was delivered before. */
  deliver(id: number, by: { readonly at: number; readonly via: string }): Promise<boolean>
  place(id: number, file: string | null): Promise<void>
  /** Addresses what waits for one session to another. */
  readdress(from: string, to: string): Promise<void>
  /** Drops what was delivered before then. */
  forget(before: number): Promise<void>
}
