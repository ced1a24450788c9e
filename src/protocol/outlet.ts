// Where a transport accepts messages that are not answers to a request.

/** Where what the client did not ask for goes. */
export interface Outlet {
  /** May leave it out, while the client does not read. */
  notify(text: string): void
  /** Must arrive. Absent where nothing but the answer fits. */
  readonly send?: ((text: string) => void) | undefined
  /** Ends the connection of a client that can come back for the rest. */
  hangUp?(): void
  /** Calls back when everything given so far has been written; absent where nobody can tell. */
  written?(done: () => void): void
}
