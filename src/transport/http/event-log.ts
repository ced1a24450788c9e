// What a legacy session has sent, so that a client whose connection broke can ask for the rest. Bounded: the oldest
// goes first, and the newest stays whatever its size. Answers and the rest have a bound each: neither the progress of
// one call nor the answers of a long session may cost another what it is still owed.

const MAX_BYTES = 512 * 1024
const MAX_EVENTS = 500

export interface LoggedEvent {
  readonly track: string
  readonly sequence: number
  readonly text: string
  readonly isAnswer: boolean
}

export class EventLog {
  readonly #events: LoggedEvent[] = []
  readonly #answers = { count: 0, bytes: 0 }
  readonly #others = { count: 0, bytes: 0 }
  #last = 0

  append(track: string, text: string, isAnswer: boolean): LoggedEvent {
    const event = { track, sequence: ++this.#last, text, isAnswer }
    const kept = isAnswer ? this.#answers : this.#others
    this.#events.push(event)
    kept.count++
    kept.bytes += text.length
    while (kept.count > 1 && (kept.bytes > MAX_BYTES || kept.count > MAX_EVENTS)) {
      const at = this.#events.findIndex((old) => old.isAnswer === isAnswer)
      const [dropped] = this.#events.splice(at, 1)
      kept.count--
      kept.bytes -= dropped?.text.length ?? 0
    }
    return event
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
