// The answer to one POST that has no session to come back to: JSON, unless something is said before the answer, then a
// stream that ends with it. When the client closes it, the call is over.

import { answerText, Rejection, type Answer } from '../../protocol/message.js'
import type { Outlet } from '../../protocol/exchange.js'
import {
  HEADER_MISMATCH,
  METHOD_NOT_FOUND,
  MISSING_CAPABILITY,
  UNSUPPORTED_VERSION,
} from '../../protocol/protocol-error.js'
import type { Due, Session } from '../../protocol/session.js'
import type { EventStream } from './event-stream.js'
import type { House } from './house.js'
import { settleWith } from './settle-with.js'
import type { Visit } from './visit.js'

export class LiveAnswer implements Outlet {
  readonly send: ((text: string) => void) | undefined
  #stream: EventStream | undefined

  constructor(
    private readonly house: House,
    private readonly visit: Visit,
    /** Whether refusals have a status of their own; older clients read an error only from a 200. */
    private readonly mapsErrors = true,
  ) {
    this.send = visit.accepts('text/event-stream') ? (text) => this.#open().send(text) : undefined
  }

  notify(text: string): void {
    if (this.#stream?.congested) return
    this.send?.(text)
  }

  /** Gives the answer when it is there; ends the work when the client has gone. */
  give(due: Due, session: Session): void {
    if (!(due instanceof Promise)) return this.#finish(due)
    const { house, visit } = this
    house.passing.add(session)
    visit.response.on('close', () => {
      house.passing.delete(session)
      session.leave('the client is gone')
      visit.lost()
    })
    void due.then((answer) => this.#finish(answer))
  }

  #open(): EventStream {
    if (this.#stream) return this.#stream
    const stream = this.visit.stream()
    const { streams } = this.house
    streams.add(stream)
    stream.response.on('close', () => streams.delete(stream))
    return (this.#stream = stream)
  }

  #finish(answer: Answer): void {
    const { visit } = this
    settleWith(answer, visit.response)
    if (visit.response.destroyed) return
    const text = answerText(answer)
    if (this.#stream) {
      if (text !== undefined) this.#stream.send(text)
      return this.#stream.end()
    }
    if (text === undefined) visit.empty(202)
    else visit.json(this.mapsErrors ? statusOf(answer) : 200, text)
  }
}

/** What was refused before any work was begun has a status of its own; work that came to an error was still served. */
export function statusOf(answer: Answer): number {
  if (!(answer instanceof Rejection)) return 200
  if (answer.code === METHOD_NOT_FOUND) return answer.early ? 404 : 200
  return answer.early || STATUS_400.has(answer.code) ? 400 : 200
}

const STATUS_400: ReadonlySet<number> = new Set([HEADER_MISMATCH, MISSING_CAPABILITY, UNSUPPORTED_VERSION])
