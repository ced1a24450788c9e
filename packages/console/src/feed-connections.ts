// Connections of a console to all server feeds: the one of this process and, over sockets, those of other servers that
// use the same state directory. Unreachable servers are retried; a server that exits disappears with everything it
// showed. Used by user-console.ts. Opens sockets, watches the folder of sockets and sets timers.

import { type FSWatcher, watch } from 'node:fs'

import { Failure } from '@scorpiox/mcp/errors'
import { hasErrorCode } from '@scorpiox/mcp/os'
import { connectToLocalSocket, type LineSocket } from '@scorpiox/server/process/local-socket'
import { createThrottle } from '@scorpiox/server/util/concurrency'
import {
  type ConsoleSocketEntry,
  describeSocketFolderProblem,
  listLiveSockets,
  removeUnreachableSocket,
} from './console-socket-registry.js'
import { requestTerminals, type TerminalRequest } from './feed-terminals.js'
import { decodeOutputChunk } from './output-chunk.js'
import type { FeedSubscription, ServerFeed } from './server-feed.js'
import { type ConsoleMessage, type FeedMessage, type FeedUpdate, parseFeedMessage } from './socket-messages.js'

const SCAN_INTERVAL_MS = 1000
const SCAN_SPACING_MS = 100
/** Delay after a refused connection. */
const RETRY_MS = 3000
/** Delay after invalid data. */
const INVALID_DATA_RETRY_MS = 60_000

export interface FeedConnections {
  /** The latest data of each feed. */
  all(): readonly ConnectedFeed[]
  find(id: string): ConnectedFeed | undefined
  setWatching(isWatching: boolean): void
  /** Resolves when each server found at the start is connected or did not answer. */
  readonly ready: Promise<void>
  /** Why other servers cannot be found. */
  readonly problem: string | undefined
  close(): void
}

export interface ConnectedFeed {
  readonly id: string
  readonly latest: FeedUpdate
  readonly subscription: FeedSubscription
}

export interface FeedConnectionsDeps {
  readonly user: string
  readonly localFeed: ServerFeed | undefined
  /** Directory of the sockets of other servers; undefined: this user may not see them. */
  readonly socketDirectory: string | undefined
  readonly onUpdate: (update: FeedUpdate) => void
}

interface FeedConnection extends ConnectedFeed {
  latest: FeedUpdate
}

export function openFeedConnections({
  user,
  localFeed,
  socketDirectory,
  onUpdate,
}: FeedConnectionsDeps): FeedConnections {
  const connections = new Map<string, FeedConnection>()
  /** Updates that arrived before their connection was registered. */
  const earlyUpdates = new Map<string, FeedUpdate>()
  const connecting = new Set<string>()
  const retryAt = new Map<string, number>()
  let isWatching = false
  let isClosed = false
  let problem: string | undefined

  function onFeedUpdate(id: string, update: FeedUpdate): void {
    if (!concernsServer(id, update)) return
    const { databaseChanged: _, ...parts } = update
    const connection = connections.get(id)
    if (connection) connection.latest = { ...connection.latest, ...parts }
    else earlyUpdates.set(id, { ...earlyUpdates.get(id), ...parts })
    onUpdate(update)
  }

  function register(id: string, subscription: FeedSubscription): void {
    connections.set(id, { id, subscription, latest: earlyUpdates.get(id) ?? {} })
    earlyUpdates.delete(id)
  }

  function connectLocal(feed: ServerFeed): void {
    const subscription = feed.subscribe(user, (update) => onFeedUpdate(feed.id, update))
    register(feed.id, subscription)
  }

  async function connect(entry: ConsoleSocketEntry): Promise<void> {
    const { id, address } = entry
    connecting.add(id)
    try {
      const subscription = await connectToFeed(address, user, {
        onUpdate: (update) => onFeedUpdate(id, update),
        onClose(sentInvalidData) {
          earlyUpdates.delete(id)
          if (sentInvalidData) retryAt.set(id, Date.now() + INVALID_DATA_RETRY_MS)
          if (connections.delete(id)) onUpdate({})
        },
      })
      if (isClosed) return subscription.close()
      register(id, subscription)
      subscription.setWatching(isWatching)
    } catch (error) {
      if (hasErrorCode(error, 'ECONNREFUSED', 'ENOENT')) removeUnreachableSocket(entry)
      retryAt.set(id, Date.now() + RETRY_MS)
    } finally {
      connecting.delete(id)
    }
  }

  function isNew({ id }: ConsoleSocketEntry): boolean {
    return id !== localFeed?.id && !connections.has(id) && !connecting.has(id) && (retryAt.get(id) ?? 0) <= Date.now()
  }

  function setProblem(newProblem: string | undefined): void {
    if (newProblem === problem) return
    problem = newProblem
    onUpdate({})
  }

  async function scan(): Promise<void> {
    if (socketDirectory === undefined || isClosed) return
    const entries = await listLiveSockets(socketDirectory).catch(() => [])
    setProblem(describeSocketFolderProblem(socketDirectory))
    for (const id of retryAt.keys()) if (!entries.some((entry) => entry.id === id)) retryAt.delete(id)
    await Promise.all(entries.filter(isNew).map(connect))
  }

  if (localFeed) connectLocal(localFeed)
  const ready = scan()
  const scanning = createThrottle(SCAN_SPACING_MS, scan)
  const timer =
    socketDirectory === undefined ? undefined : setInterval(() => scanning.request(), SCAN_INTERVAL_MS).unref()
  const watcher = socketDirectory === undefined ? undefined : watchDirectory(socketDirectory, () => scanning.request())
  return {
    ready,
    get problem() {
      return problem
    },
    all: () => [...connections.values()],
    find: (id) => connections.get(id),
    setWatching(value) {
      isWatching = value
      for (const { subscription } of connections.values()) subscription.setWatching(value)
    },
    close() {
      isClosed = true
      clearInterval(timer)
      watcher?.close()
      scanning.stop()
      const open = [...connections.values()]
      connections.clear()
      for (const { subscription } of open) subscription.close()
    },
  }
}

/** A server may only report its own jobs, calls and questions; otherwise an action could reach a job of another server. */
function concernsServer(id: string, { server, jobs = [], calls = [], secrets = [] }: FeedUpdate): boolean {
  const items = [...jobs, ...calls, ...secrets]
  return (server === undefined || server.id === id) && items.every((each) => each.server === id)
}

/** Reports changes faster than polling; if watching is not available, polling is enough. */
function watchDirectory(folder: string, onChange: () => void): FSWatcher | undefined {
  try {
    return watch(folder, { persistent: false }, onChange).on('error', () => {})
  } catch {
    return undefined
  }
}

const HEARTBEAT_MS = 5000
const REPLY_TIMEOUT_MS = 5000
const MAX_LINE = 4 * 1024 * 1024
/** Maximum unrequested characters between two heartbeats; ten times what a busy server sends. */
const MAX_UNREQUESTED = 32 * 1024 * 1024

export interface FeedListener {
  onUpdate(update: FeedUpdate): void
  /** `isMad`: the connection was closed because of invalid data. */
  onClose(sentInvalidData: boolean): void
}

type FeedReply = Pick<FeedMessage & { readonly kind: 'reply' }, 'chunk' | 'terminal' | 'failure'>

type FeedRequest =
  | { readonly verb: 'kill'; readonly job: number }
  | { readonly verb: 'secret'; readonly question: string; readonly value: string | null }
  | { readonly verb: 'output'; readonly job: number; readonly from: number; readonly maxBytes: number }
  | TerminalRequest

/**
 * Connection to the feed of another process over its socket. Requests time out. Rejects if the connection is refused.
 */
async function connectToFeed(address: string, user: string, listener: FeedListener): Promise<FeedSubscription> {
  const pendingReplies = new Map<number, (reply: FeedReply) => void>()
  let isWatching = false
  let lastId = 0
  let unrequested = 0
  let sentInvalidData = false

  function onLine(socket: LineSocket, line: string): void {
    const message = parseFeedMessage(line)
    const resolveReply = message?.kind === 'reply' ? pendingReplies.get(message.to) : undefined
    // Requested data does not count, so that long output can be read.
    if (!resolveReply) unrequested += line.length
    if (!message || unrequested > MAX_UNREQUESTED) {
      sentInvalidData = true
      return socket.close()
    }
    if (message.kind === 'update') return listener.onUpdate(message.update)
    pendingReplies.delete(message.to)
    resolveReply?.(message)
  }

  function onClosed(): void {
    clearInterval(heartbeat)
    for (const resolveReply of pendingReplies.values()) resolveReply({ failure: 'The server has exited.' })
    pendingReplies.clear()
    listener.onClose(sentInvalidData)
  }

  const socket = await connectToLocalSocket(address, { maxLineLength: MAX_LINE }, (opened) => ({
    onLine: (text) => onLine(opened, text),
    onClose: onClosed,
  }))
  const send = (message: ConsoleMessage): void => socket.send(JSON.stringify(message))
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
    setWatching(value) {
      isWatching = value
      sendPresence()
    },
    kill: async (job) => void (await sendRequest({ verb: 'kill', job })),
    answerSecret: async (question, value) => void (await sendRequest({ verb: 'secret', question, value })),
    async readOutput(job, from, maxBytes) {
      const { chunk } = await sendRequest({ verb: 'output', job, from, maxBytes })
      if (chunk) return decodeOutputChunk(chunk)
      throw new Failure('The server of this job runs another version of scorpiox-code: restart its client to read it.')
    },
    terminals: requestTerminals(sendRequest),
    databaseChanged: () => send({ kind: 'database-changed' }),
    close: () => socket.close(),
  }
}
