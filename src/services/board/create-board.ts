import { setTimeout as sleep } from 'node:timers/promises'

import { Failure } from '../../lib/failure.js'
import { paced } from '../../lib/paced.js'
import type { Rows } from '../../store/state/state.js'
import { cancelCallback } from '../callbacks/cancel-callback.js'
import { answerQuestion } from '../questions/answer-question.js'
import { readOpenPlan } from '../plans/read-open-plan.js'
import type { LazyState } from '../state.js'
import type { Board } from './board.js'
import type { Desk } from './desk.js'
import { openLinks, type DeskLinks, type LinkedDesk } from './desk-links.js'
import { olderTasks, taskSteps } from './stored-view.js'
import { watchStored, type StoredWatch } from './stored-watch.js'
import { composeView, PARTS } from './compose-view.js'
import type { BoardChange, Part } from './view.js'

const SHOW_EVERY_MS = 100
/** Servers that do not answer in time are added when they do. */
const FIRST_LOOK_MS = 1500
/** Connections stay open for the next request. */
const LINGER_MS = 2000

export interface BoardSettings {
  readonly user: string
  /** The feed of this process, if it is a server. */
  readonly own: Desk | undefined
  /** Directory of the sockets of other servers; undefined: this user may not see them. */
  readonly folder: string | undefined
  readonly state: LazyState
  readonly project: string
  /** Called when all resources were released. */
  readonly onIdle?: () => void
}

interface Sources {
  readonly links: DeskLinks
  readonly stored: StoredWatch
}

interface Watcher {
  readonly show: (change: BoardChange) => void
  /** The parts sent last, as JSON; undefined before the first view. */
  told: ReadonlyMap<Part, string> | undefined
  isReady: boolean
}

export function createBoard(settings: BoardSettings): Board {
  const { user, own, folder, state, project, onIdle } = settings
  const watchers = new Set<Watcher>()
  let sources: Sources | undefined
  let users = 0
  let isClosed = false
  const showing = paced(SHOW_EVERY_MS, showAll)

  function begin(): Sources {
    const links = openLinks({
      user,
      own,
      folder,
      onNews(news) {
        if (news.stirred) sources?.stored.stirred()
        if (news.server) sources?.stored.refresh()
        showing.ask()
      },
    })
    const projects = (): readonly string[] => [
      project,
      ...links.all().flatMap(({ shown }) => shown.server?.project ?? []),
    ]
    const stored = watchStored({ user, state, projects, onChange: () => showing.ask() })
    return { links, stored }
  }

  function enter(): Sources {
    if (isClosed) throw new Failure('The server is stopping.')
    users++
    return (sources ??= begin())
  }

  function leave(): void {
    users--
    if (users > 0 || !sources) return
    sources.links.close()
    sources.stored.close()
    sources = undefined
    onIdle?.()
  }

  function showAll(): void {
    if (!sources) return
    const ready = [...watchers].filter(({ isReady }) => isReady)
    if (ready.length === 0) return
    const view = composeView(sources.links, sources.stored)
    const texts = new Map(PARTS.map((part) => [part, JSON.stringify(view[part])]))
    for (const watcher of ready) {
      const news = PARTS.filter((part) => watcher.told?.get(part) !== texts.get(part))
      watcher.told = texts
      if (news.length > 0) watcher.show(Object.fromEntries(news.map((part) => [part, view[part]])))
    }
  }

  /** Runs `work` after connecting to the feeds, if they are not connected. */
  async function withLinks<T>(work: (links: DeskLinks) => Promise<T>): Promise<T> {
    const { links } = enter()
    try {
      await Promise.race([links.ready, sleep(FIRST_LOOK_MS, undefined, { ref: false })])
      return await work(links)
    } finally {
      setTimeout(leave, LINGER_MS).unref()
    }
  }

  function write<T>(where: string, work: (rows: Rows) => Promise<T>): Promise<void> {
    return withLinks(async (links) => {
      const opened = await state.open()
      await opened.write({ project: where, user }, work)
      for (const { visit } of links.all()) visit.stirred()
    })
  }

  async function read<T>(where: string, work: (rows: Rows) => Promise<T>): Promise<T> {
    const opened = await state.open()
    return opened.read({ project: where, user }, work)
  }

  return {
    watch(show) {
      const { links, stored } = enter()
      const watcher: Watcher = { show, told: undefined, isReady: false }
      watchers.add(watcher)
      links.watching(true)
      const first = Promise.all([links.ready, stored.ready])
      void Promise.race([first, sleep(FIRST_LOOK_MS, undefined, { ref: false })]).then(() => {
        watcher.isReady = true
        showing.ask()
      })
      return () => {
        if (!watchers.delete(watcher)) return
        if (watchers.size === 0) links.watching(false)
        leave()
      }
    },
    answer: ({ project: where, id }, replies, surface) =>
      write(where, (rows) => answerQuestion(rows, id, replies, surface, Date.now())),
    kill: ({ server, id }) => withLinks((links) => linked(links, server).visit.kill(id)),
    readOutput: ({ server, id }, from, maxBytes) =>
      withLinks((links) => linked(links, server).visit.output(id, from, maxBytes)),
    cancelCallback: ({ project: where, session, slot }) => write(where, (rows) => cancelCallback(rows, session, slot)),
    dismiss: ({ project: where, id }) =>
      write(where, async ({ messages }) => {
        if (await messages.deliver(id, { at: Date.now(), via: 'board' })) return
        throw new Failure('There is no such message any more: the model was told, or somebody has seen it before.')
      }),
    readPlan: (where) => read(where, (rows) => readOpenPlan(rows.plans, where)),
    olderTasks: (where, before) => read(where, (rows) => olderTasks(rows, before)),
    taskSteps: (where, task, from) => read(where, (rows) => taskSteps(rows, task, from)),
    async close() {
      isClosed = true
      watchers.clear()
      showing.stop()
      sources?.links.close()
      sources?.stored.close()
      sources = undefined
    },
  }
}

function linked(links: DeskLinks, server: string): LinkedDesk {
  const found = links.find(server)
  if (found) return found
  throw new Failure('That server is gone, or does not answer.')
}
