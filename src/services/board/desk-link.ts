// Connection to the feed of another process over its socket. Requests time out.

import { Failure } from '../../lib/failure.js'
import { connectLocally, type LineSocket } from '../../platform/local-socket.js'
import type { DeskVisit } from './desk.js'
import { readFromDesk, type DeskNews, type FromBoard, type FromDesk } from './desk-news.js'
import { fromWirePassage } from './output-passage.js'

const ALIVE_EVERY_MS = 5000
const PATIENCE_MS = 5000
const MAX_LINE = 4 * 1024 * 1024
/** Maximum unrequested characters between two heartbeats; ten times what a busy server sends. */
const MAX_HEARD = 32 * 1024 * 1024

export interface LinkListener {
  news(news: DeskNews): void
  /** `isMad`: the connection was closed because of invalid data. */
  gone(isMad: boolean): void
}

type Reply = Pick<FromDesk & { readonly kind: 'reply' }, 'passage' | 'failure'>

type Order =
  | { readonly verb: 'kill'; readonly job: number }
  | { readonly verb: 'output'; readonly job: number; readonly from: number; readonly maxBytes: number }

/** Rejects if the connection is refused. */
export async function linkToDesk(address: string, user: string, listener: LinkListener): Promise<DeskVisit> {
  const waiting = new Map<number, (reply: Reply) => void>()
  let isWatching = false
  let lastId = 0
  let heard = 0
  let isMad = false

  function hear(socket: LineSocket, line: string): void {
    const message = readFromDesk(line)
    const settle = message?.kind === 'reply' ? waiting.get(message.to) : undefined
    // Requested data does not count, so that long output can be read.
    if (!settle) heard += line.length
    if (!message || heard > MAX_HEARD) {
      isMad = true
      return socket.close()
    }
    if (message.kind === 'news') return listener.news(message.news)
    waiting.delete(message.to)
    settle?.(message)
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

  function ask(order: Order): Promise<Reply> {
    const id = ++lastId
    return new Promise((resolve, reject) => {
      const settle = (reply: Reply): void => {
        clearTimeout(timer)
        if (reply.failure === undefined) resolve(reply)
        else reject(new Failure(reply.failure))
      }
      const giveUp = (): void => {
        waiting.delete(id)
        settle({ failure: `The server did not answer within ${PATIENCE_MS / 1000} s; try again.` })
      }
      const timer = setTimeout(giveUp, PATIENCE_MS)
      waiting.set(id, settle)
      send({ kind: 'ask', id, ...order })
    })
  }

  return {
    watching(is) {
      isWatching = is
      present()
    },
    kill: async (job) => void (await ask({ verb: 'kill', job })),
    async output(job, from, maxBytes) {
      const { passage } = await ask({ verb: 'output', job, from, maxBytes })
      if (passage) return fromWirePassage(passage)
      throw new Failure('The server of this job runs another version of scorpiox-code: restart its client to read it.')
    },
    stirred: () => send({ kind: 'stirred' }),
    leave: () => socket.close(),
  }
}
