import * as timers from 'node:timers/promises'

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

const SEND_INTERVAL_MS = 100
/** Servers that do not answer in time are added when they do. */
const FIRST_VIEW_TIMEOUT_MS = 1500
/** Connections stay open for the next request. */
const KEEP_OPEN_MS = 2000

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
  readonly feeds: DeskLinks
  readonly database: StoredWatch
}

interface ViewSubscriber {
  readonly show: (change: BoardChange) => void
  /** The parts sent last, as JSON; undefined before the first view. */
  sent: ReadonlyMap<Part, string> | undefined
  isReady: boolean
}

export function createBoard(settings: BoardSettings): Board {
  const { user, own, folder, state, project, onIdle } = settings
  const subscribers = new Set<ViewSubscriber>()
  let sources: Sources | undefined
  let users = 0
  let isClosed = false
  const sending = paced(SEND_INTERVAL_MS, sendChanges)

  function connect(): Sources {
    const feeds = openLinks({
      user,
      own,
      folder,
      onNews(changed) {
        if (changed.stirred) sources?.database.stirred()
        if (changed.server) sources?.database.refresh()
        sending.ask()
      },
    })
    const projects = (): readonly string[] => [
      project,
      ...feeds.all().flatMap(({ shown }) => shown.server?.project ?? []),
    ]
    const database = watchStored({ user, state, projects, onChange: () => sending.ask() })
    return { feeds, database }
  }

  function acquire(): Sources {
    if (isClosed) throw new Failure('The server is stopping.')
    users++
    return (sources ??= connect())
  }

  function release(): void {
    users--
    if (users > 0 || !sources) return
    sources.feeds.close()
    sources.database.close()
    sources = undefined
    onIdle?.()
  }

  function sendChanges(): void {
    if (!sources) return
    const ready = [...subscribers].filter(({ isReady }) => isReady)
    if (ready.length === 0) return
    const view = composeView(sources.feeds, sources.database)
    const texts = new Map(PARTS.map((part) => [part, JSON.stringify(view[part])]))
    for (const subscriber of ready) {
      const changed = PARTS.filter((part) => subscriber.sent?.get(part) !== texts.get(part))
      subscriber.sent = texts
      if (changed.length > 0) subscriber.show(Object.fromEntries(changed.map((part) => [part, view[part]])))
    }
  }

  /** Runs `work` after connecting to the feeds, if they are not connected. */
  async function withFeeds<T>(work: (feeds: DeskLinks) => Promise<T>): Promise<T> {
    const { feeds } = acquire()
    try {
      await Promise.race([feeds.ready, timers.setTimeout(FIRST_VIEW_TIMEOUT_MS, undefined, { ref: false })])
      return await work(feeds)
    } finally {
      setTimeout(release, KEEP_OPEN_MS).unref()
    }
  }

  function write<T>(projectPath: string, work: (rows: Rows) => Promise<T>): Promise<void> {
    return withFeeds(async (feeds) => {
      const opened = await state.open()
      await opened.write({ project: projectPath, user }, work)
      for (const { visit } of feeds.all()) visit.stirred()
    })
  }

  async function read<T>(projectPath: string, work: (rows: Rows) => Promise<T>): Promise<T> {
    const opened = await state.open()
    return opened.read({ project: projectPath, user }, work)
  }

  return {
    watch(show) {
      const { feeds, database } = acquire()
      const subscriber: ViewSubscriber = { show, sent: undefined, isReady: false }
      subscribers.add(subscriber)
      feeds.watching(true)
      const first = Promise.all([feeds.ready, database.ready])
      void Promise.race([first, timers.setTimeout(FIRST_VIEW_TIMEOUT_MS, undefined, { ref: false })]).then(() => {
        subscriber.isReady = true
        sending.ask()
      })
      return () => {
        if (!subscribers.delete(subscriber)) return
        if (subscribers.size === 0) feeds.watching(false)
        release()
      }
    },
    answer: ({ project: projectPath, id }, replies, surface) =>
      write(projectPath, (rows) => answerQuestion(rows, id, replies, surface, Date.now())),
    kill: ({ server, id }) => withFeeds((feeds) => requireFeed(feeds, server).visit.kill(id)),
    readOutput: ({ server, id }, from, maxBytes) =>
      withFeeds((feeds) => requireFeed(feeds, server).visit.output(id, from, maxBytes)),
    cancelCallback: ({ project: projectPath, session, slot }) =>
      write(projectPath, (rows) => cancelCallback(rows, session, slot)),
    dismiss: ({ project: projectPath, id }) =>
      write(projectPath, async ({ messages }) => {
        if (await messages.deliver(id, { at: Date.now(), via: 'board' })) return
        throw new Failure('The message no longer exists: it was delivered or dismissed.')
      }),
    readPlan: (projectPath) => read(projectPath, (rows) => readOpenPlan(rows.plans, projectPath)),
    olderTasks: (projectPath, before) => read(projectPath, (rows) => olderTasks(rows, before)),
    taskSteps: (projectPath, task, from) => read(projectPath, (rows) => taskSteps(rows, task, from)),
    async close() {
      isClosed = true
      subscribers.clear()
      sending.stop()
      sources?.feeds.close()
      sources?.database.close()
      sources = undefined
    },
  }
}

function requireFeed(feeds: DeskLinks, server: string): LinkedDesk {
  const found = feeds.find(server)
  if (found) return found
  throw new Failure('The server has exited or does not answer.')
}
