// All the desks that one board is in touch with: this process's own, and those of other servers of the same state, which
// come and go. A desk that does not answer is tried again; one that is gone is forgotten with all it showed.

import { watch, type FSWatcher } from 'node:fs'

import { hasCode } from '../../lib/error-code.js'
import { paced } from '../../lib/paced.js'
import { openDesks, problemOfDesks, strikeRefused, type DeskEntry } from '../../store/desk-entries.js'
import type { Desk, DeskVisit } from './desk.js'
import { linkToDesk } from './desk-link.js'
import type { DeskNews } from './desk-news.js'

const LOOK_MS = 1000
const LOOK_SPACING_MS = 100
/** What one that has just refused is spared. */
const RETRY_MS = 3000
/** And one that says what nobody can use. */
const MAD_MS = 60_000

export interface DeskLinks {
  /** What each desk shows. */
  all(): readonly LinkedDesk[]
  find(id: string): LinkedDesk | undefined
  watching(isWatching: boolean): void
  /** When every desk that there was at the beginning has been connected to, or has not answered. */
  readonly ready: Promise<void>
  /** Why others cannot be found. */
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
  /** Where other servers have their desks; undefined: they are none of this user's. */
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
  /** What came before it was known to whom it belongs. */
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

/** Who speaks for another is not believed: what is done about its jobs would be done to those of the other. */
function isAbout(id: string, { server, jobs = [], calls = [] }: DeskNews): boolean {
  return (server === undefined || server.id === id) && [...jobs, ...calls].every((each) => each.server === id)
}

/** Sooner than by looking; where it cannot be had, or breaks, looking does. */
function watchFolder(folder: string, onChange: () => void): FSWatcher | undefined {
  try {
    return watch(folder, { persistent: false }, onChange).on('error', () => {})
  } catch {
    return undefined
  }
}
