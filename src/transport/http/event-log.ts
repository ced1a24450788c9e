// What a legacy session has sent, so that a client whose connection broke can ask for the rest. Bounded: the oldest
// goes first, and the newest stays whatever its size.

const MAX_BYTES = 1024 * 1024
const MAX_EVENTS = 1000

export interface LoggedEvent {
  readonly track: string
  readonly sequence: number
  readonly text: string
  readonly isAnswer: boolean
}

export class EventLog {
  readonly #events: LoggedEvent[] = []
  #bytes = 0
  #last = 0

  append(track: string, text: string, isAnswer: boolean): LoggedEvent {
    const event = { track, sequence: ++this.#last, text, isAnswer }
    this.#events.push(event)
    this.#bytes += text.length
    while (this.#events.length > 1 && (this.#bytes > MAX_BYTES || this.#events.length > MAX_EVENTS)) this.#drop()
    return event
  }

  /** Answers are dropped last: the progress of one call must not cost another its answer. */
  #drop(): void {
    const older = this.#events.slice(0, -1)
    const at = Math.max(
      0,
      older.findIndex(({ isAnswer }) => !isAnswer),
    )
    const [dropped] = this.#events.splice(at, 1)
    this.#bytes -= dropped?.text.length ?? 0
  }

  /** The events of a track after a sequence number, oldest first. */
  after(track: string, sequence: number): readonly LoggedEvent[] {
    return this.#events.filter((event) => event.track === track && event.sequence > sequence)
  }
}

export function idOf(track: string, sequence: number): string {
  return `${track}.${sequence}`
}

/** The track and sequence an id names; undefined: it is none of ours. */
export function readId(id: string): { readonly track: string; readonly sequence: number } | undefined {
  const [, track, digits] = /^(\w{1,20})\.(\d{1,15})$/.exec(id) ?? []
  return track === undefined ? undefined : { track, sequence: Number(digits) }
}
