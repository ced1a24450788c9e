// Connection to the feed of another process over its socket. Requests time out.

import { Failure } from '../../lib/failure.js'
import { connectLocally, type LineSocket } from '../../platform/local-socket.js'
import type { DeskVisit } from './desk.js'
import { readFromDesk, type DeskNews, type FromBoard, type FromDesk } from './desk-news.js'
import { fromWirePassage } from './output-passage.js'

const HEARTBEAT_MS = 5000
const REPLY_TIMEOUT_MS = 5000
const MAX_LINE = 4 * 1024 * 1024
/** Maximum unrequested characters between two heartbeats; ten times what a busy server sends. */
const MAX_UNREQUESTED = 32 * 1024 * 1024

export interface LinkListener {
  news(news: DeskNews): void
  /** `isMad`: the connection was closed because of invalid data. */
  gone(sentInvalidData: boolean): void
}

type FeedReply = Pick<FromDesk & { readonly kind: 'reply' }, 'passage' | 'failure'>

type FeedRequest =
  | { readonly verb: 'kill'; readonly job: number }
  | { readonly verb: 'output'; readonly job: number; readonly from: number; readonly maxBytes: number }

/** Rejects if the connection is refused. */
export async function linkToDesk(address: string, user: string, listener: LinkListener): Promise<DeskVisit> {
  const pendingReplies = new Map<number, (reply: FeedReply) => void>()
  let isWatching = false
  let lastId = 0
  let unrequested = 0
  let sentInvalidData = false

  function onLine(socket: LineSocket, line: string): void {
    const message = readFromDesk(line)
    const resolveReply = message?.kind === 'reply' ? pendingReplies.get(message.to) : undefined
    // Requested data does not count, so that long output can be read.
    if (!resolveReply) unrequested += line.length
    if (!message || unrequested > MAX_UNREQUESTED) {
      sentInvalidData = true
      return socket.close()
    }
    if (message.kind === 'news') return listener.news(message.news)
    pendingReplies.delete(message.to)
    resolveReply?.(message)
  }

  function onClosed(): void {
    clearInterval(heartbeat)
    for (const resolveReply of pendingReplies.values()) resolveReply({ failure: 'The server has exited.' })
    pendingReplies.clear()
    listener.gone(sentInvalidData)
  }

  const socket = await connectLocally(address, { maxLine: MAX_LINE }, (opened) => ({
    line: (text) => onLine(opened, text),
    closed: onClosed,
  }))
  const send = (message: FromBoard): void => socket.send(JSON.stringify(message))
  const sendPresence = (): void => send({ kind: 'presence', user, watching: isWatching })
  const heartbeat = setInterval(() => {
    unrequested = 0
    sendPresence()
  }, HEARTBEAT_MS).unref()
  sendPresence()

  function sendRequest(request: FeedRequest): Promise<FeedReply> {
    const id = ++lastId
    return new Promise((resolve, reject) => {
      const resolveReply = (reply: FeedReply): void => {
        clearTimeout(timer)
        if (reply.failure === undefined) resolve(reply)
        else reject(new Failure(reply.failure))
      }
      const onTimeout = (): void => {
        pendingReplies.delete(id)
        resolveReply({ failure: `The server did not answer within ${REPLY_TIMEOUT_MS / 1000} s; try again.` })
      }
      const timer = setTimeout(onTimeout, REPLY_TIMEOUT_MS)
      pendingReplies.set(id, resolveReply)
      send({ kind: 'ask', id, ...request })
    })
  }

  return {
    watching(value) {
      isWatching = value
      sendPresence()
    },
    kill: async (job) => void (await sendRequest({ verb: 'kill', job })),
    async output(job, from, maxBytes) {
      const { passage } = await sendRequest({ verb: 'output', job, from, maxBytes })
      if (passage) return fromWirePassage(passage)
      throw new Failure('The server of this job runs another version of scorpiox-code: restart its client to read it.')
    },
    stirred: () => send({ kind: 'stirred' }),
    leave: () => socket.close(),
  }
}
