// Connections of a console to all server feeds: the one of this process and those of other servers that use the same
// state directory. Unreachable servers are retried; a server that exits disappears with everything it showed.

import { watch, type FSWatcher } from 'node:fs'

import { hasCode } from '../../lib/error-code.js'
import { paced } from '../../lib/paced.js'
import { openDesks, problemOfDesks, strikeRefused, type DeskEntry } from '../../store/desk-entries.js'
import type { Desk, DeskVisit } from './desk.js'
import { linkToDesk } from './desk-link.js'
import type { DeskNews } from './desk-news.js'

const LOOK_MS = 1000
const LOOK_SPACING_MS = 100
/** Delay after a refused connection. */
const RETRY_MS = 3000
/** Delay after invalid data. */
const MAD_MS = 60_000

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
  readonly onNews: (news: DeskNews) => void
}

interface Linked {
  readonly id: string
  shown: DeskNews
  readonly visit: DeskVisit
}

export function openLinks({ user, own, folder, onNews }: LinksSettings): DeskLinks {
  const links = new Map<string, Linked>()
  /** Updates that arrived before their connection was registered. */
  const early = new Map<string, DeskNews>()
  const busy = new Set<string>()
  const retryAt = new Map<string, number>()
  let isWatching = false
  let isClosed = false
  let problem: string | undefined

  function hear(id: string, news: DeskNews): void {
    if (!isAbout(id, news)) return
    const { stirred: _, ...parts } = news
    const link = links.get(id)
    if (link) link.shown = { ...link.shown, ...parts }
    else early.set(id, { ...early.get(id), ...parts })
    onNews(news)
  }

  function settle(id: string, visit: DeskVisit): void {
    links.set(id, { id, visit, shown: early.get(id) ?? {} })
    early.delete(id)
  }

  function linkToOwn(desk: Desk): void {
    const visit = desk.visit(user, (news) => hear(desk.id, news))
    settle(desk.id, visit)
  }

  async function connect(entry: DeskEntry): Promise<void> {
    const { id, address } = entry
    busy.add(id)
    try {
      const visit = await linkToDesk(address, user, {
        news: (news) => hear(id, news),
        gone(isMad) {
          early.delete(id)
          if (isMad) retryAt.set(id, Date.now() + MAD_MS)
          if (links.delete(id)) onNews({})
        },
      })
      if (isClosed) return visit.leave()
      settle(id, visit)
      visit.watching(isWatching)
    } catch (error) {
      if (hasCode(error, 'ECONNREFUSED', 'ENOENT')) strikeRefused(entry)
      retryAt.set(id, Date.now() + RETRY_MS)
    } finally {
      busy.delete(id)
    }
  }

  function isNew({ id }: DeskEntry): boolean {
    return id !== own?.id && !links.has(id) && !busy.has(id) && (retryAt.get(id) ?? 0) <= Date.now()
  }

  function tellProblem(found: string | undefined): void {
    if (found === problem) return
    problem = found
    onNews({})
  }

  async function look(): Promise<void> {
    if (folder === undefined || isClosed) return
    const entries = await openDesks(folder).catch(() => [])
    tellProblem(problemOfDesks(folder))
    for (const id of retryAt.keys()) if (!entries.some((entry) => entry.id === id)) retryAt.delete(id)
    await Promise.all(entries.filter(isNew).map(connect))
  }

  if (own) linkToOwn(own)
  const ready = look()
  const looking = paced(LOOK_SPACING_MS, look)
  const timer = folder === undefined ? undefined : setInterval(() => looking.ask(), LOOK_MS).unref()
  const watcher = folder === undefined ? undefined : watchFolder(folder, () => looking.ask())
  return {
    ready,
    get problem() {
      return problem
    },
    all: () => [...links.values()],
    find: (id) => links.get(id),
    watching(is) {
      isWatching = is
      for (const { visit } of links.values()) visit.watching(is)
    },
    close() {
      isClosed = true
      clearInterval(timer)
      watcher?.close()
      looking.stop()
      const left = [...links.values()]
      links.clear()
      for (const { visit } of left) visit.leave()
    },
  }
}

/** A server may only report its own jobs and calls; otherwise an action could reach a job of another server. */
function isAbout(id: string, { server, jobs = [], calls = [] }: DeskNews): boolean {
  return (server === undefined || server.id === id) && [...jobs, ...calls].every((each) => each.server === id)
}

/** Reports changes faster than polling; if watching is not available, polling is enough. */
function watchFolder(folder: string, onChange: () => void): FSWatcher | undefined {
  try {
    return watch(folder, { persistent: false }, onChange).on('error', () => {})
  } catch {
    return undefined
  }
}
