// The events of one POST, or those that belong to no request, of a session of a legacy revision. Its connection may
// break and be replaced; events sent meanwhile are in the log (event-log.ts) and are sent then. Used by
// http-sessions.ts. Writes to connections; keeps events in memory.

import type { MessageSink } from '../jsonrpc/message.js'
import { type EventLog, formatEventId } from './event-log.js'
import type { EventStream } from './event-stream.js'

// Reconnect delay: short for one client, long enough to spread reconnects after a restart.
const RETRY_MS = 1000

export interface ResumableStreamOptions {
  /** Whether the client accepts an initial event without data, which gives it an id to resume from. */
  sendsInitialId(): boolean
  /** Called with the change of the size of the log. */
  onLogGrowth(characters: number): void
}

export class ResumableStream implements MessageSink {
  #stream: EventStream | undefined
  #lastWritten: number
  #hasEnded = false
  #hasSent = false
  #isCloseRequested = false

  constructor(
    readonly name: string,
    private readonly log: EventLog,
    private readonly options: ResumableStreamOptions,
    lastWritten = 0,
  ) {
    this.#lastWritten = lastWritten
  }

  /** The number of the last event that was written to a connection. */
  get lastWritten(): number {
    return this.#lastWritten
  }

  /** Whether anything was sent. */
  get hasSent(): boolean {
    return this.#hasSent
  }

  /** The current connection. */
  get connection(): EventStream | undefined {
    return this.#stream
  }

  /** Whether no further event will follow this one. */
  isCompleteAfter(sequence: number): boolean {
    return this.#hasEnded && this.log.after(this.name, sequence).length === 0
  }

  /** Continues on this connection with the events after `from`, or after the last one written. */
  attach(stream: EventStream, from?: number): void {
    this.#stream?.end()
    this.#stream = stream
    stream.response.once('close', () => {
      if (this.#stream === stream) this.#stream = undefined
    })
    const start = from ?? this.#lastWritten
    // Not a later id: a client that disconnects now must get all of the following events.
    if (this.options.sendsInitialId()) stream.sendInitialId(formatEventId(this.name, start), RETRY_MS)
    else stream.open()
    for (const { sequence, text } of this.log.after(this.name, start)) this.#write(sequence, text)
    if (this.#hasEnded || this.#isCloseRequested) this.#endConnection()
    this.#isCloseRequested = false
  }

  readonly send = (text: string): void => this.#append(text, false)

  notify(text: string): void {
    if (!this.#stream?.isBackedUp) this.send(text)
  }

  /** Closes the connection; the client reconnects for the rest. */
  closeConnection(): void {
    if (!this.options.sendsInitialId()) return
    // May be called before the stream is attached.
    this.#isCloseRequested = this.#stream === undefined
    this.#endConnection()
  }

  /** Sends the last event and ends the stream. */
  end(text: string | undefined): void {
    if (text !== undefined) this.#append(text, true)
    this.#hasEnded = true
    this.#endConnection()
  }

  #append(text: string, isAnswer: boolean): void {
    this.#hasSent = true
    const sizeBefore = this.log.size
    const { sequence } = this.log.append(this.name, text, isAnswer)
    this.#write(sequence, text)
    this.options.onLogGrowth(this.log.size - sizeBefore)
  }

  #write(sequence: number, text: string): void {
    if (!this.#stream) return
    this.#stream.send(text, formatEventId(this.name, sequence))
    this.#lastWritten = sequence
  }

  #endConnection(): void {
    const stream = this.#stream
    this.#stream = undefined
    stream?.end()
  }
}
