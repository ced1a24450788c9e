// One line of events of a legacy session: those that belong to one POST, or those that belong to none. Its connection
// may break and another take its place; what was said meanwhile is in the log and follows.

import type { Outlet } from '../../protocol/exchange.js'
import { idOf, type EventLog } from './event-log.js'
import type { EventStream } from './event-stream.js'

// Soon enough that nobody waits, late enough that a crowd does not come back at once.
const RETRY_MS = 1000

export class Track implements Outlet {
  #stream: EventStream | undefined
  #sent = 0
  #over = false
  #spoken = false
  #toldToHangUp = false

  constructor(
    readonly name: string,
    private readonly log: EventLog,
    /** Whether the client takes an event without data, to have an id from the start. */
    private readonly primes: () => boolean,
  ) {}

  /** Whether anything was said on it. */
  get spoken(): boolean {
    return this.#spoken
  }

  /** The connection it goes over now. */
  get stream(): EventStream | undefined {
    return this.#stream
  }

  /** Whether everything there will ever be was before this event. */
  isSpentAfter(sequence: number): boolean {
    return this.#over && this.log.after(this.name, sequence).length === 0
  }

  /** Goes on over this connection, with what came after `from`, or after what was last written. */
  attach(stream: EventStream, from?: number): void {
    this.#stream?.end()
    this.#stream = stream
    stream.response.once('close', () => {
      if (this.#stream === stream) this.#stream = undefined
    })
    const start = from ?? this.#sent
    // Not beyond what follows: whoever gets no further must come back for all of it.
    if (this.primes()) stream.prime(idOf(this.name, start), RETRY_MS)
    else stream.open()
    for (const { sequence, text } of this.log.after(this.name, start)) this.#write(sequence, text)
    if (this.#over || this.#toldToHangUp) this.#close()
    this.#toldToHangUp = false
  }

  readonly send = (text: string): void => this.#say(text, false)

  notify(text: string): void {
    if (!this.#stream?.congested) this.send(text)
  }

  /** Lets the connection go; the client comes back for the rest. */
  hangUp(): void {
    if (!this.primes()) return
    // A call may say so before its stream has begun.
    this.#toldToHangUp = this.#stream === undefined
    this.#close()
  }

  /** The last word of this track. */
  end(text: string | undefined): void {
    if (text !== undefined) this.#say(text, true)
    this.#over = true
    this.#close()
  }

  #say(text: string, isAnswer: boolean): void {
    this.#spoken = true
    const { sequence } = this.log.append(this.name, text, isAnswer)
    this.#write(sequence, text)
  }

  #write(sequence: number, text: string): void {
    if (!this.#stream) return
    this.#stream.send(text, idOf(this.name, sequence))
    this.#sent = sequence
  }

  #close(): void {
    const stream = this.#stream
    this.#stream = undefined
    stream?.end()
  }
}
