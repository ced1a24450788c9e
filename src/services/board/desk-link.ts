// The desk of another process, as a board has it: what is asked of it is asked through its socket. One that does not answer
// is not waited for.

import { Failure } from '../../lib/failure.js'
import { connectLocally, type LineSocket } from '../../platform/local-socket.js'
import type { DeskVisit } from './desk.js'
import { readFromDesk, type DeskNews, type FromBoard, type Verb } from './desk-news.js'

const ALIVE_EVERY_MS = 5000
const PATIENCE_MS = 5000
/** An output as large as any is shown, in JSON. */
const MAX_LINE = 4 * 1024 * 1024
/** Between two signs of life; the busiest honest desk says a tenth of it. */
const MAX_HEARD = 32 * 1024 * 1024

export interface LinkListener {
  news(news: DeskNews): void
  /** `isMad`: it was let go for what it said. */
  gone(isMad: boolean): void
}

/** Rejects where nobody listens. */
export async function linkToDesk(address: string, user: string, listener: LinkListener): Promise<DeskVisit> {
  const waiting = new Map<number, (reply: { readonly text?: string; readonly failure?: string }) => void>()
  let isWatching = false
  let lastId = 0
  let heard = 0
  let isMad = false

  function hear(socket: LineSocket, line: string): void {
    heard += line.length
    const message = heard > MAX_HEARD ? undefined : readFromDesk(line)
    if (!message) {
      isMad = true
      return socket.close()
    }
    if (message.kind === 'news') return listener.news(message.news)
    waiting.get(message.to)?.(message)
    waiting.delete(message.to)
  }

  function closed(): void {
    clearInterval(beat)
    for (const settle of waiting.values()) settle({ failure: 'The server is gone.' })
    waiting.clear()
    listener.gone(isMad)
  }

  const socket = await connectLocally(address, { maxLine: MAX_LINE }, (own) => ({
    line: (text) => hear(own, text),
    closed,
  }))
  const send = (message: FromBoard): void => socket.send(JSON.stringify(message))
  const present = (): void => send({ kind: 'presence', user, watching: isWatching })
  const beat = setInterval(() => {
    heard = 0
    present()
  }, ALIVE_EVERY_MS).unref()
  present()

  function ask(verb: Verb, job: number): Promise<string> {
    const id = ++lastId
    return new Promise((resolve, reject) => {
      const settle = ({ text = '', failure }: { readonly text?: string; readonly failure?: string }): void => {
        clearTimeout(timer)
        if (failure === undefined) resolve(text)
        else reject(new Failure(failure))
      }
      const giveUp = (): void => {
        waiting.delete(id)
        settle({ failure: `The server did not answer within ${PATIENCE_MS / 1000} s; try again.` })
      }
      const timer = setTimeout(giveUp, PATIENCE_MS)
      waiting.set(id, settle)
      send({ kind: 'ask', id, verb, job })
    })
  }

  return {
    watching(is) {
      isWatching = is
      present()
    },
    kill: async (job) => void (await ask('kill', job)),
    output: (job) => ask('output', job),
    stirred: () => send({ kind: 'stirred' }),
    leave: () => socket.close(),
  }
}
