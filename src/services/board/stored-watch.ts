// The part of the console view that comes from the database, kept current for every project where the user has
// something open. A database error becomes a sentence; the data read last stays until it can be read again.

import { Failure } from '../../lib/failure.js'
import { paced } from '../../lib/paced.js'
import { promised } from '../../lib/promised.js'
import type { State } from '../../store/state/state.js'
import type { LazyState } from '../state.js'
import { readStored, type StoredView } from './stored-view.js'

const REFRESH_SPACING_MS = 50
/** Finds projects that another process opened without notice. */
const RESCAN_INTERVAL_MS = 2000
const MAX_PROJECTS = 60

export interface StoredWatch {
  /** One per project. */
  views(): readonly StoredView[]
  readonly problem: string | undefined
  /** Another process reported a change. */
  stirred(): void
  refresh(): void
  readonly ready: Promise<void>
  close(): void
}

export interface StoredWatchSettings {
  readonly user: string
  readonly state: LazyState
  /** Projects that are always read. */
  readonly projects: () => readonly string[]
  readonly onChange: () => void
}

export function watchStored({ user, state: lazyDatabase, projects, onChange }: StoredWatchSettings): StoredWatch {
  const views = new Map<string, StoredView>()
  const changed = new Set<string>()
  const firstRead = promised<void>()
  let problem: string | undefined = 'The database has not been read yet: it does not answer.'
  let state: State | undefined
  let unsubscribe: (() => void) | undefined
  let isClosed = false

  async function open(): Promise<State> {
    if (state) return state
    state = await lazyDatabase.open()
    unsubscribe = state.onChange((scope) => {
      if (scope.user !== user) return
      changed.add(scope.project)
      refreshing.ask()
    })
    if (isClosed) unsubscribe()
    return state
  }

  async function readAll(): Promise<void> {
    const opened = await open()
    const projectNames = new Set([...projects(), ...(await opened.openProjects(user))].slice(0, MAX_PROJECTS))
    for (const name of views.keys()) if (!projectNames.has(name)) views.delete(name)
    for (const project of projectNames) {
      if (views.has(project) && !changed.has(project)) continue
      changed.delete(project)
      try {
        views.set(project, await opened.read({ project, user }, (rows) => readStored(project, rows)))
      } catch (error) {
        changed.add(project)
        throw error
      }
    }
  }

  async function refresh(): Promise<void> {
    if (isClosed) return
    try {
      // Changes made while the database was not readable were not reported.
      if (problem !== undefined) for (const project of views.keys()) changed.add(project)
      await readAll()
      problem = undefined
    } catch (error) {
      problem = error instanceof Failure ? error.message : `The database cannot be read: ${String(error)}`
    }
    firstRead.resolve()
    if (!isClosed) onChange()
  }

  const refreshing = paced(REFRESH_SPACING_MS, refresh)
  refreshing.ask()
  const timer = setInterval(() => refreshing.ask(), RESCAN_INTERVAL_MS).unref()
  return {
    ready: firstRead.promise,
    views: () => [...views.values()],
    get problem() {
      return problem
    },
    refresh: () => refreshing.ask(),
    stirred() {
      void state?.look()
      // New projects are found by listing them.
      refreshing.ask()
    },
    close() {
      isClosed = true
      clearInterval(timer)
      refreshing.stop()
      unsubscribe?.()
    },
  }
}
