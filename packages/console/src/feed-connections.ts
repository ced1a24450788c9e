// Connections of a console to all server feeds: the one of this process and, over sockets, those of other servers that
// use the same state directory. Unreachable servers are retried; the last data of a server that exits is kept for a
// while. Used by user-console.ts. Opens sockets, watches the folder of sockets and sets timers.

import { type FSWatcher, watch } from 'node:fs'

import { Failure } from '@scorpiox/mcp/errors'
import { hasErrorCode } from '@scorpiox/mcp/os'
import { connectToLocalSocket, type LineSocket } from '@scorpiox/server/process/local-socket'
import { isKnownDead } from '@scorpiox/server/process/process-identity'
import { createThrottle } from '@scorpiox/server/async/concurrency'
import {
  type ConsoleSocketEntry,
  describeSocketFolderProblem,
  listLiveSockets,
  removeUnreachableSocket,
} from './console-socket-registry.js'
import { type CallRequest, requestCalls } from './feed-calls.js'
import { type JobRequest, requestJobs } from './feed-jobs.js'
import { requestTerminals, type TerminalRequest } from './feed-terminals.js'
import { decodeOutputChunk } from './output-chunk.js'
import { createGoneServers, type GoneServers } from './gone-servers.js'
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
  /** Servers of this machine that have not sent their state yet: they connect, hang or cannot be reached. */
  listSilent(): readonly ConsoleSocketEntry[]
  /** Servers that have exited. */
  readonly gone: Pick<GoneServers, 'list'>
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
  /** Undefined for this process. */
  readonly entry: ConsoleSocketEntry | undefined
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
  const gone = createGoneServers({ onExpire: () => onUpdate({}) })
  const connecting = new Map<string, ConsoleSocketEntry>()
  /** Their sockets exist, but the last connection failed. */
  const unreachable = new Map<string, ConsoleSocketEntry>()
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

  function register(id: string, subscription: FeedSubscription, entry?: ConsoleSocketEntry): void {
    gone.remove(id)
    unreachable.delete(id)
    connections.set(id, { id, subscription, entry, latest: earlyUpdates.get(id) ?? {} })
    earlyUpdates.delete(id)
  }

  function connectLocal(feed: ServerFeed): void {
    const subscription = feed.subscribe(user, (update) => onFeedUpdate(feed.id, update))
    register(feed.id, subscription)
  }

  async function connect(entry: ConsoleSocketEntry): Promise<void> {
    const { id } = entry
    connecting.set(id, entry)
    try {
      const subscription = await connectToFeed(entry, user, {
        onUpdate: (update) => onFeedUpdate(id, update),
        onClose(sentInvalidData) {
          earlyUpdates.delete(id)
          if (sentInvalidData) retryAt.set(id, Date.now() + INVALID_DATA_RETRY_MS)
          const latest = connections.get(id)?.latest
          if (!connections.delete(id)) return
          if (latest && !sentInvalidData) gone.add(latest)
          onUpdate({})
        },
      })
      if (isClosed) return subscription.close()
      register(id, subscription, entry)
      subscription.setWatching(isWatching)
    } catch (error) {
      if (hasErrorCode(error, 'ECONNREFUSED', 'ENOENT')) removeUnreachableSocket(entry)
      else unreachable.set(id, entry)
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

  /** A connection may stay open although its server has exited: a process that it has left may hold the socket. */
  function closeDeadConnections(): void {
    for (const { entry, subscription } of connections.values())
      if (entry && isKnownDead(entry) === true) subscription.close()
  }

  async function scan(): Promise<void> {
    if (socketDirectory === undefined || isClosed) return
    closeDeadConnections()
    const entries = await listLiveSockets(socketDirectory).catch(() => [])
    setProblem(describeSocketFolderProblem(socketDirectory))
    for (const known of [retryAt, unreachable])
      for (const id of known.keys()) if (!entries.some((entry) => entry.id === id)) known.delete(id)
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
    listSilent() {
      const silent = [...connections.values()].filter(({ latest }) => !hasState(latest))
      return [...silent.flatMap(({ entry }) => entry ?? []), ...connecting.values(), ...unreachable.values()]
    },
    find: (id) => connections.get(id),
    gone,
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
      gone.close()
      connections.clear()
      for (const { subscription } of open) subscription.close()
    },
  }
}

function hasState({ server, jobs, secrets }: FeedUpdate): boolean {
  return server !== undefined && jobs !== undefined && secrets !== undefined
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
/** Something is ended and started, perhaps in a sandbox. */
const START_TIMEOUT_MS = 30_000
const MAX_LINE = 4 * 1024 * 1024
/** Maximum unrequested characters between two heartbeats; ten times what a busy server sends. */
const MAX_UNREQUESTED = 32 * 1024 * 1024

export interface FeedListener {
  onUpdate(update: FeedUpdate): void
  /** `sentInvalidData`: the connection was closed because of it. */
  onClose(sentInvalidData: boolean): void
}

type FeedReply = Omit<FeedMessage & { readonly kind: 'reply' }, 'kind' | 'to'>

type FeedRequest =
  | JobRequest
  | { readonly verb: 'secret'; readonly question: string; readonly value: string | null }
  | { readonly verb: 'output'; readonly job: number; readonly from: number; readonly maxBytes: number }
  | TerminalRequest
  | CallRequest

interface LateReply {
  readonly timeoutMs: number
  /** What is not known if the server does not answer, and where to look. */
  readonly unknown?: string
}

/** Of requests that may not be repeated blindly; the others only read, or do the same again. */
const LATE_REPLIES: Readonly<Partial<Record<FeedRequest['verb'], LateReply>>> = {
  restart: {
    timeoutMs: START_TIMEOUT_MS,
    unknown: 'Whether it restarted the job is unknown: look at its list of jobs first.',
  },
  rerun: {
    timeoutMs: START_TIMEOUT_MS,
    unknown: 'Whether it started the call is unknown: look at the list of calls first.',
  },
  type: {
    timeoutMs: REPLY_TIMEOUT_MS,
    unknown: 'Whether it typed the text is unknown: look at the terminal first.',
  },
  secret: {
    timeoutMs: REPLY_TIMEOUT_MS,
    unknown: 'Whether it handed over the answer is unknown: look whether it still asks.',
  },
}

function describeLateReply({ timeoutMs, unknown }: LateReply): string {
  const late = `The server did not answer within ${timeoutMs / 1000} s`
  return unknown === undefined ? `${late}; try again.` : `${late}. ${unknown}`
}

/**
 * Connection to the feed of another process over its socket. Requests time out. Rejects if the connection is refused.
 */
async function connectToFeed(
  { address, key }: ConsoleSocketEntry,
  user: string,
  listener: FeedListener,
): Promise<FeedSubscription> {
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
  if (key !== undefined) socket.send(key)
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
      const late = LATE_REPLIES[request.verb] ?? { timeoutMs: REPLY_TIMEOUT_MS }
      const onTimeout = (): void => {
        pendingReplies.delete(id)
        resolveReply({ failure: describeLateReply(late) })
      }
      const timer = setTimeout(onTimeout, late.timeoutMs)
      pendingReplies.set(id, resolveReply)
      send({ kind: 'ask', id, ...request })
    })
  }

  return {
    setWatching(value) {
      isWatching = value
      sendPresence()
    },
    answerSecret: async (question, value) => void (await sendRequest({ verb: 'secret', question, value })),
    async readOutput(job, from, maxBytes) {
      const { chunk } = await sendRequest({ verb: 'output', job, from, maxBytes })
      if (chunk) return decodeOutputChunk(chunk)
      throw new Failure('The server of this job runs another version of scorpiox-code: restart its client to read it.')
    },
    jobs: requestJobs(sendRequest),
    terminals: requestTerminals(sendRequest),
    calls: requestCalls(sendRequest),
    databaseChanged: () => send({ kind: 'database-changed' }),
    close: () => socket.close(),
  }
}
