// The calls as the inbox has loaded them: in pages, for what is filtered, with new ones as they arrive. Used by
// calls-screen.ts. Loads through the console; sets a timer.

import { Failure } from '@scorpiox/mcp/errors'
import { isBefore, parsePosition } from '@scorpiox/server/features/history/lazy'
import type { CallPage, CallQuery, CallView, ConsoleView } from '../view.js'
import type { UserConsole } from '../user-console.js'
import type { InboxUi } from './inbox-app.js'

/** More than this is found by filtering. */
const MAX_CALLS = 5000

/** A page with fewer calls ends where its search took too long, or with the history. */
const FULL_PAGE = 100

const SEARCH_AGAIN_MS = 2000

export type CallFilter = Pick<CallQuery, 'session' | 'tool' | 'outcome' | 'text'>

export const NO_FILTER: CallFilter = { session: null, tool: null, outcome: null, text: null }

export interface CallPages {
  filter: CallFilter
  readonly problem: string
  readonly isHistoryKept: boolean
  readonly isLoading: boolean
  /** There are no more. */
  readonly isComplete: boolean
  /** Servers that did not answer a search in time. */
  readonly missing: readonly string[]
  /** Newest first; loads new ones if something changed. */
  list(): readonly CallView[]
  loadMore(): void
}

interface CallPagesDeps {
  readonly userConsole: Pick<UserConsole, 'listCalls'>
  readonly ui: Pick<InboxUi, 'redraw'>
  readonly view: () => ConsoleView
}

export function createCallPages({ userConsole, view, ui }: CallPagesDeps): CallPages {
  let filter = NO_FILTER
  let calls: readonly CallView[] = []
  let next: string | null = null
  let problem = ''
  let isHistoryKept = true
  let isLoading = false
  let missing: readonly string[] = []
  let timer: NodeJS.Timeout | undefined
  /** The filter and the latest calls that were loaded last. */
  let loadedFor: string | undefined

  const keyOf = (): string => JSON.stringify([filter, view().calls.map(({ id, outcome }) => `${id} ${outcome}`)])

  async function load(after: string | null): Promise<void> {
    isLoading = true
    const query = filter
    try {
      const page = await userConsole.listCalls({ ...query, project: null, after })
      if (query === filter) take(page, after)
      problem = ''
    } catch (error) {
      if (!(error instanceof Failure)) throw error
      problem = error.message
    }
    isLoading = false
    if (missing.length > 0) searchAgainSoon()
    ui.redraw()
  }

  /** For the servers that did not answer in time. */
  function searchAgainSoon(): void {
    timer ??= setTimeout(() => {
      timer = undefined
      loadedFor = undefined
      ui.redraw()
    }, SEARCH_AGAIN_MS).unref()
  }

  function take(page: CallPage, after: string | null): void {
    isHistoryKept = page.isHistoryKept
    missing = after === null ? (page.missing ?? []) : [...new Set([...missing, ...(page.missing ?? [])])]
    if (after === null) return takeFirst(page)
    const ids = new Set(page.calls.map(({ id }) => id))
    calls = [...calls.filter(({ id }) => !ids.has(id)), ...page.calls]
    next = page.next
  }

  /** What was loaded behind the first page stays, so that new calls do not begin a long search again. */
  function takeFirst(page: CallPage): void {
    const end = page.next === null ? undefined : parsePosition(page.next)
    // More new calls than a page holds: what is between them and the others is not loaded.
    const hasGap = page.calls.length >= FULL_PAGE && !page.calls.some(({ id }) => calls.some((call) => call.id === id))
    const older = end && !hasGap ? calls.filter((call) => isBefore(call, end)) : []
    const isAhead = end !== undefined && !hasGap && next !== null && isBefore(parsePosition(next), end)
    calls = [...page.calls, ...older]
    if (older.length === 0 && !isAhead) next = page.next
  }

  return {
    get filter() {
      return filter
    },
    set filter(value) {
      filter = value
      calls = []
      next = null
      missing = []
    },
    get problem() {
      return problem
    },
    get isHistoryKept() {
      return isHistoryKept
    },
    get isLoading() {
      return isLoading
    },
    get isComplete() {
      return !isLoading && next === null && problem === ''
    },
    get missing() {
      return missing
    },
    list() {
      const key = keyOf()
      if (!isLoading && loadedFor !== key) {
        loadedFor = key
        void load(null)
      }
      return calls
    },
    loadMore() {
      if (next !== null && !isLoading && calls.length < MAX_CALLS) void load(next)
    },
  }
}
