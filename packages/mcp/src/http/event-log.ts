// Replay log of one session of a legacy revision (before 2026-07-28), in memory: a client whose connection broke can
// request the missed events. Bounded: the oldest are dropped first, and the newest is always kept. Answers and other
// events have separate limits, so that neither displaces the other. Used by http-sessions.ts, where the logs of one
// user share a further limit, and by resumable-stream.ts.

const MAX_BYTES = 512 * 1024
const MAX_EVENTS = 500

export interface LoggedEvent {
  readonly streamId: string
  readonly sequence: number
  readonly text: string
  readonly isAnswer: boolean
}

export class EventLog {
  readonly #events: LoggedEvent[] = []
  readonly #answers = { count: 0, bytes: 0 }
  readonly #others = { count: 0, bytes: 0 }
  #last: number

  /** `last`: the number before that of the first event. */
  constructor(last = 0) {
    this.#last = last
  }

  /** Characters of all events. */
  get size(): number {
    return this.#answers.bytes + this.#others.bytes
  }

  /** The number of the newest event so far. */
  get last(): number {
    return this.#last
  }

  /** Drops all events, or all but the newest. */
  clear(keepsNewest: boolean): void {
    const newest = keepsNewest ? this.#events.at(-1) : undefined
    this.#events.length = 0
    for (const totals of [this.#answers, this.#others]) Object.assign(totals, { count: 0, bytes: 0 })
    if (!newest) return
    this.#events.push(newest)
    Object.assign(newest.isAnswer ? this.#answers : this.#others, { count: 1, bytes: newest.text.length })
  }

  append(streamId: string, text: string, isAnswer: boolean): LoggedEvent {
    const event: LoggedEvent = { streamId, sequence: ++this.#last, text, isAnswer }
    const totals = isAnswer ? this.#answers : this.#others
    this.#events.push(event)
    totals.count++
    totals.bytes += text.length
    while (totals.count > 1 && (totals.bytes > MAX_BYTES || totals.count > MAX_EVENTS)) {
      const at = this.#events.findIndex((logged) => logged.isAnswer === isAnswer)
      const [removed] = this.#events.splice(at, 1)
      totals.count--
      totals.bytes -= removed?.text.length ?? 0
    }
    return event
  }

  /** The events of a stream after a sequence number, oldest first. */
  after(track: string, sequence: number): readonly LoggedEvent[] {
    return this.#events.filter((event) => event.streamId === track && event.sequence > sequence)
  }
}

export function formatEventId(track: string, sequence: number): string {
  return `${track}.${sequence}`
}

/** Parses an event id; undefined if it is not valid. */
export function parseEventId(id: string): { readonly track: string; readonly sequence: number } | undefined {
  const [, track, digits] = /^(\w{1,20})\.(\d{1,15})$/.exec(id) ?? []
  return track === undefined ? undefined : { track, sequence: Number(digits) }
}
