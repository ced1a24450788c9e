// Where a transport accepts messages that are not answers to a request.

/** Accepts notifications and requests for one client. */
export interface MessageSink {
  /** Sends a notification; may drop it while the client is not reading. */
  notify(text: string): void
  /** Sends a message that must arrive. Absent if the connection can carry only the answer. */
  readonly send?: ((text: string) => void) | undefined
  /** Closes the connection of a client that can reconnect and resume. */
  closeConnection?(): void
  /** Calls back when everything sent so far has been written; absent if the transport cannot tell. */
  onWritten?(done: () => void): void
}
