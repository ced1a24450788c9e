// Serves the feed to consoles in other processes: a socket in a private directory and its registry entry. A connection
// is closed if it is silent for 20 s, sends invalid data or does not read.

import { Failure } from '../../lib/failure.js'
import { listenLocally, type LineListener, type LineSocket, type LocalServer } from '../../platform/local-socket.js'
import { enterDesk, leaveDesk, lodge, renewDesk, tidyDesks } from '../../store/desk-entries.js'
import type { Desk, DeskVisit } from './desk.js'
import { readFromBoard, type FromBoard, type FromDesk } from './desk-news.js'
import { toWirePassage } from './output-passage.js'

/** Consoles send a heartbeat every 5 s. */
const SILENCE_MS = 20_000
const MAX_LINE = 64 * 1024
const RENEW_MS = 6 * 60 * 60 * 1000
/** Concurrent requests per console. */
const MAX_CONCURRENT_REQUESTS = 10

export interface DeskSocket {
  close(): Promise<void>
}

type ConsoleRequest = FromBoard & { readonly kind: 'ask' }

/** Rejects if the socket cannot be opened, and leaves nothing behind. */
export async function openDeskSocket(feed: Desk, directory: string, silenceMs = SILENCE_MS): Promise<DeskSocket> {
  const address = lodge(directory, feed.id)
  const unregister = (): void => leaveDesk(directory, feed.id, address)
  // Also if the process exits without closing it.
  process.once('exit', unregister)
  const renew = (): void => renewDesk(directory, feed.id, address)
  let server: LocalServer | undefined
  let renewTimer: NodeJS.Timeout | undefined
  try {
    server = await listenLocally(address, { maxLine: MAX_LINE }, (socket) => handleConnection(feed, socket, silenceMs))
    enterDesk(directory, feed.id, address)
    renewTimer = setInterval(() => ignoreErrors(renew), RENEW_MS).unref()
    await tidyDesks(directory)
    return { close }
  } catch (error) {
    await close()
    throw error
  }

  async function close(): Promise<void> {
    clearInterval(renewTimer)
    process.off('exit', unregister)
    unregister()
    await server?.close()
  }
}

/** The disk may be writable again later. */
function ignoreErrors(work: () => void): void {
  try {
    work()
  } catch {}
}

function handleConnection(feed: Desk, socket: LineSocket, silenceMs: number): LineListener {
  let subscription: DeskVisit | undefined
  let activeRequests = 0
  const silenceTimer = setTimeout(() => socket.close(), silenceMs).unref()
  const send = (message: FromDesk): void => socket.send(JSON.stringify(message))

  async function handleRequest(request: ConsoleRequest): Promise<void> {
    if (!subscription) return
    const { id: to } = request
    try {
      if (activeRequests++ >= MAX_CONCURRENT_REQUESTS) throw new Failure('Too many requests from this console.')
      send({ kind: 'reply', to, ...(await runRequest(subscription, request)) })
    } catch (error) {
      const failure = error instanceof Failure ? error.message : 'The action failed.'
      send({ kind: 'reply', to, failure })
    } finally {
      activeRequests--
    }
  }

  return {
    line(text) {
      const message = readFromBoard(text)
      if (!message) return socket.close()
      silenceTimer.refresh()
      if (message.kind === 'presence') {
        subscription ??= feed.visit(message.user, (update) => send({ kind: 'news', news: update }))
        subscription.watching(message.watching)
      }
      if (message.kind === 'stirred') subscription?.stirred()
      if (message.kind === 'ask') void handleRequest(message)
    },
    closed() {
      clearTimeout(silenceTimer)
      subscription?.leave()
    },
  }
}

async function runRequest(
  subscription: DeskVisit,
  request: ConsoleRequest,
): Promise<Pick<FromDesk & { kind: 'reply' }, 'passage'>> {
  if (request.verb === 'output')
    return { passage: toWirePassage(await subscription.output(request.job, request.from, request.maxBytes)) }
  await subscription.kill(request.job)
  return {}
}
