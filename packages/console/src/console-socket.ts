// Serves the feed of this server to consoles in other processes: opens a socket in a private directory and writes its
// registry entry. A connection is closed if it is silent for 20 s, sends invalid data or does not read. Opened by
// open-server-feed.ts. Sets timers.

import { randomBytes } from 'node:crypto'

import { Failure } from '@scorpiox/mcp/errors'
import { isSameSecret } from '@scorpiox/mcp/is-same-secret'
import {
  type LineListener,
  type LineSocket,
  listenOnLocalSocket,
  type LocalSocketServer,
} from '@scorpiox/server/process/local-socket'
import {
  chooseSocketAddress,
  registerSocket,
  removeDeadSocketsIfMany,
  renewSocketRegistration,
  unregisterSocket,
} from './console-socket-registry.js'
import { answerCallRequest } from './feed-calls.js'
import { answerJobRequest } from './feed-jobs.js'
import { answerTerminalRequest } from './feed-terminals.js'
import { encodeOutputChunk } from './output-chunk.js'
import type { FeedSubscription, ServerFeed } from './server-feed.js'
import { type ConsoleMessage, type FeedMessage, parseConsoleMessage } from './socket-messages.js'

/** Consoles send a heartbeat every 5 s. */
const SILENCE_MS = 20_000
const MAX_LINE = 64 * 1024
const RENEW_MS = 6 * 60 * 60 * 1000
/** Concurrent requests per console. */
const MAX_CONCURRENT_REQUESTS = 10
/** Terminals that a console shows at the same time: each has a request that waits. */
const MAX_CONCURRENT_TERMINALS = 20

const UNKNOWN_REQUEST = 'The server of this job runs another version of scorpiox-code: restart its client.'

export interface ConsoleSocket {
  close(): Promise<void>
}

type ConsoleRequest = ConsoleMessage & { readonly kind: 'ask' }

/** Rejects if the socket cannot be opened, and leaves nothing behind. */
export async function openConsoleSocket(
  feed: ServerFeed,
  directory: string,
  silenceMs = SILENCE_MS,
  platform = process.platform,
): Promise<ConsoleSocket> {
  const address = chooseSocketAddress(directory, feed.id)
  // Every user of the machine can connect to a named pipe. Only its owner reads the registry.
  const key = platform === 'win32' ? randomBytes(32).toString('hex') : undefined
  const unregister = (): void => unregisterSocket(directory, feed.id, address)
  // Also if the process exits without closing it.
  process.once('exit', unregister)
  const renew = (): void => renewSocketRegistration(directory, feed.id, address, key)
  let server: LocalSocketServer | undefined
  let renewTimer: NodeJS.Timeout | undefined
  try {
    server = await listenOnLocalSocket(address, { maxLineLength: MAX_LINE }, (socket) =>
      requireKey(key, socket, handleConnection(feed, socket, silenceMs)),
    )
    registerSocket(directory, feed.id, address, key)
    renewTimer = setInterval(() => ignoreErrors(renew), RENEW_MS).unref()
    await removeDeadSocketsIfMany(directory)
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

/** Nothing is answered before the first line, which must be the key. */
function requireKey(key: string | undefined, socket: LineSocket, listener: LineListener): LineListener {
  if (key === undefined) return listener
  let isAdmitted = false
  return {
    onLine(text) {
      if (isAdmitted) return listener.onLine(text)
      isAdmitted = isSameSecret(text, key)
      if (!isAdmitted) socket.close()
    },
    onClose: () => listener.onClose(),
  }
}

function handleConnection(feed: ServerFeed, socket: LineSocket, silenceMs: number): LineListener {
  let subscription: FeedSubscription | undefined
  let activeRequests = 0
  let activeTerminals = 0
  const silenceTimer = setTimeout(() => socket.close(), silenceMs).unref()
  const send = (message: FeedMessage): void => socket.send(JSON.stringify(message))

  async function handleRequest(request: ConsoleRequest): Promise<void> {
    // A console names its user first.
    if (!subscription) return socket.close()
    const { id: to } = request
    const isTerminal = request.verb === 'terminal'
    try {
      if (isTerminal ? activeTerminals++ >= MAX_CONCURRENT_TERMINALS : activeRequests++ >= MAX_CONCURRENT_REQUESTS)
        throw new Failure('Too many requests from this console.')
      send({ kind: 'reply', to, ...(await runRequest(subscription, request)) })
    } catch (error) {
      const failure = error instanceof Failure ? error.message : 'The action failed.'
      send({ kind: 'reply', to, failure })
    } finally {
      if (isTerminal) activeTerminals--
      else activeRequests--
    }
  }

  return {
    onLine(text) {
      const message = parseConsoleMessage(text)
      if (!message) return socket.close()
      silenceTimer.refresh()
      if (message.kind === 'presence') {
        subscription ??= feed.subscribe(message.user, (update) => send({ kind: 'update', update }))
        subscription.setWatching(message.watching)
      }
      if (message.kind === 'database-changed') subscription?.databaseChanged()
      if (message.kind === 'ask') void handleRequest(message)
      if (message.kind === 'unknown') send({ kind: 'reply', to: message.id, failure: UNKNOWN_REQUEST })
    },
    onClose() {
      clearTimeout(silenceTimer)
      subscription?.close()
    },
  }
}

async function runRequest(
  subscription: FeedSubscription,
  request: ConsoleRequest,
): Promise<Omit<FeedMessage & { kind: 'reply' }, 'kind' | 'to' | 'failure'>> {
  if (request.verb === 'find-call' || request.verb === 'rerun' || request.verb === 'search-calls')
    return answerCallRequest(subscription.calls, request)
  if (request.verb === 'output')
    return { chunk: encodeOutputChunk(await subscription.readOutput(request.job, request.from, request.maxBytes)) }
  if (request.verb === 'secret') await subscription.answerSecret(request.question, request.value)
  else if (request.verb === 'kill' || request.verb === 'restart' || request.verb === 'job')
    return answerJobRequest(subscription.jobs, request)
  else return answerTerminalRequest(subscription.terminals, request)
  return {}
}
