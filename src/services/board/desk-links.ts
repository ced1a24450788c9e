// Connections of a console to all server feeds: the one of this process and those of other servers that use the same
// state directory. Unreachable servers are retried; a server that exits disappears with everything it showed.

import { watch, type FSWatcher } from 'node:fs'

import { hasCode } from '../../lib/error-code.js'
import { paced } from '../../lib/paced.js'
import { openDesks, problemOfDesks, strikeRefused, type DeskEntry } from '../../store/desk-entries.js'
import type { Desk, DeskVisit } from './desk.js'
import { linkToDesk } from './desk-link.js'
import type { DeskNews } from './desk-news.js'

const SCAN_INTERVAL_MS = 1000
const SCAN_SPACING_MS = 100
/** Delay after a refused connection. */
const RETRY_MS = 3000
/** Delay after invalid data. */
const INVALID_DATA_RETRY_MS = 60_000

export interface DeskLinks {
  /** The latest data of each feed. */
  all(): readonly LinkedDesk[]
  find(id: string): LinkedDesk | undefined
  watching(isWatching: boolean): void
  /** Resolves when each server found at the start is connected or did not answer. */
  readonly ready: Promise<void>
  /** Why other servers cannot be found. */
  readonly problem: string | undefined
  close(): void
}

export interface LinkedDesk {
  readonly id: string
  readonly shown: DeskNews
  readonly visit: DeskVisit
}

export interface LinksSettings {
  readonly user: string
  readonly own: Desk | undefined
  /** Directory of the sockets of other servers; undefined: this user may not see them. */
  readonly folder: string | undefined
  readonly onNews: (update: DeskNews) => void
}

interface FeedConnection extends LinkedDesk {
  shown: DeskNews
}

export function openLinks({ user, own, folder, onNews }: LinksSettings): DeskLinks {
  const connections = new Map<string, FeedConnection>()
  /** Updates that arrived before their connection was registered. */
  const earlyUpdates = new Map<string, DeskNews>()
  const connecting = new Set<string>()
  const retryAt = new Map<string, number>()
  let isWatching = false
  let isClosed = false
  let problem: string | undefined

  function onFeedUpdate(id: string, update: DeskNews): void {
    if (!concernsServer(id, update)) return
    const { stirred: _, ...parts } = update
    const connection = connections.get(id)
    if (connection) connection.shown = { ...connection.shown, ...parts }
    else earlyUpdates.set(id, { ...earlyUpdates.get(id), ...parts })
    onNews(update)
  }

  function register(id: string, subscription: DeskVisit): void {
    connections.set(id, { id, visit: subscription, shown: earlyUpdates.get(id) ?? {} })
    earlyUpdates.delete(id)
  }

  function connectLocal(feed: Desk): void {
    const subscription = feed.visit(user, (update) => onFeedUpdate(feed.id, update))
    register(feed.id, subscription)
  }

  async function connect(entry: DeskEntry): Promise<void> {
    const { id, address } = entry
    connecting.add(id)
    try {
      const subscription = await linkToDesk(address, user, {
        news: (update) => onFeedUpdate(id, update),
        gone(sentInvalidData) {
          earlyUpdates.delete(id)
          if (sentInvalidData) retryAt.set(id, Date.now() + INVALID_DATA_RETRY_MS)
          if (connections.delete(id)) onNews({})
        },
      })
      if (isClosed) return subscription.leave()
      register(id, subscription)
      subscription.watching(isWatching)
    } catch (error) {
      if (hasCode(error, 'ECONNREFUSED', 'ENOENT')) strikeRefused(entry)
      retryAt.set(id, Date.now() + RETRY_MS)
    } finally {
      connecting.delete(id)
    }
  }

  function isNew({ id }: DeskEntry): boolean {
    return id !== own?.id && !connections.has(id) && !connecting.has(id) && (retryAt.get(id) ?? 0) <= Date.now()
  }

  function setProblem(newProblem: string | undefined): void {
    if (newProblem === problem) return
    problem = newProblem
    onNews({})
  }

  async function scan(): Promise<void> {
    if (folder === undefined || isClosed) return
    const entries = await openDesks(folder).catch(() => [])
    setProblem(problemOfDesks(folder))
    for (const id of retryAt.keys()) if (!entries.some((entry) => entry.id === id)) retryAt.delete(id)
    await Promise.all(entries.filter(isNew).map(connect))
  }

  if (own) connectLocal(own)
  const ready = scan()
  const scanning = paced(SCAN_SPACING_MS, scan)
  const timer = folder === undefined ? undefined : setInterval(() => scanning.ask(), SCAN_INTERVAL_MS).unref()
  const watcher = folder === undefined ? undefined : watchDirectory(folder, () => scanning.ask())
  return {
    ready,
    get problem() {
      return problem
    },
    all: () => [...connections.values()],
    find: (id) => connections.get(id),
    watching(value) {
      isWatching = value
      for (const { visit: subscription } of connections.values()) subscription.watching(value)
    },
    close() {
      isClosed = true
      clearInterval(timer)
      watcher?.close()
      scanning.stop()
      const open = [...connections.values()]
      connections.clear()
      for (const { visit: subscription } of open) subscription.leave()
    },
  }
}

/** A server may only report its own jobs and calls; otherwise an action could reach a job of another server. */
function concernsServer(id: string, { server, jobs = [], calls = [] }: DeskNews): boolean {
  return (server === undefined || server.id === id) && [...jobs, ...calls].every((each) => each.server === id)
}

/** Reports changes faster than polling; if watching is not available, polling is enough. */
function watchDirectory(folder: string, onChange: () => void): FSWatcher | undefined {
  try {
    return watch(folder, { persistent: false }, onChange).on('error', () => {})
  } catch {
    return undefined
  }
}
