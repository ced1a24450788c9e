// The calls that the list has loaded, as values: pages after each other, a first page that is read again, and what the
// live calls say about them. Used by use-calls.ts. Pure.

import type { CallPage, CallQuery, CallView } from '../../view.js'

export type CallFilter = Omit<CallQuery, 'after'>

export interface LoadedCalls {
  readonly calls: ReadonlyMap<string, CallView>
  /** Where the next page begins; null at the end. */
  readonly next: string | null
  /** The oldest call of the pages that were read. */
  readonly last: CallView | undefined
  readonly isHistoryKept: boolean
  /** Servers that did not answer a search in time. */
  readonly missing: readonly string[]
}

const NOTHING: LoadedCalls = { calls: new Map(), next: null, last: undefined, isHistoryKept: true, missing: [] }

/** `before`: undefined for the first page. */
export function addPage(before: LoadedCalls | undefined, page: CallPage): LoadedCalls {
  const { calls, next, isHistoryKept, missing = [] } = page
  const known = before ?? NOTHING
  const all = new Map([...known.calls, ...calls.map((call) => [call.id, call] as const)])
  return {
    calls: all,
    next,
    last: calls.at(-1) ?? known.last,
    isHistoryKept,
    missing: [...new Set([...known.missing, ...missing])],
  }
}

/** Whether nothing can be missing between a page that was read again and the calls that were loaded before. */
export function isConnected(before: LoadedCalls, { calls, next }: CallPage): boolean {
  return next === null || before.calls.size === 0 || calls.some(({ id }) => before.calls.has(id))
}

/** With a first page that was read again: older calls stay, so that the list does not jump. */
export function replaceFirstPage(before: LoadedCalls, page: CallPage): LoadedCalls {
  const { calls, next, isHistoryKept, missing = [] } = page
  const oldest = calls.at(-1)
  if (next === null || (before.calls.size === 0 && before.next === null)) return addPage(undefined, page)
  const older = [...before.calls.values()].filter((call) => oldest === undefined || isOlder(call, oldest))
  return {
    ...before,
    calls: new Map([...calls, ...older].map((call) => [call.id, call])),
    last: before.last ?? oldest,
    isHistoryKept,
    missing,
  }
}

/**
 * Known calls become as they are now, and are dropped if they no longer fit. New ones are added, unless a text is searched:
 * only the server knows whether they contain it. Live calls older than the pages belong to pages that are not read yet.
 */
export function addLive(before: LoadedCalls, live: readonly CallView[], filter: CallFilter): LoadedCalls {
  const { last, next } = before
  const calls = new Map(before.calls)
  let isChanged = false
  for (const call of live) {
    const known = calls.get(call.id)
    if (known === undefined) {
      const isShown = next === null || last === undefined || !isOlder(call, last)
      if (filter.text !== null || !isShown || !fits(call, filter)) continue
    } else if (known.outcome === call.outcome || known.outcome !== 'running') continue
    isChanged = true
    if (fits(call, filter)) calls.set(call.id, call)
    else calls.delete(call.id)
  }
  return isChanged ? { ...before, calls } : before
}

/** Calls that are listed as running, but are not among the live ones, which are the latest: they may have ended. */
export function listUnknownEnds({ calls }: LoadedCalls, live: readonly CallView[]): readonly CallView[] {
  const running = [...calls.values()].filter(({ outcome }) => outcome === 'running')
  return running.filter(({ id }) => !live.some((call) => call.id === id))
}

export function dropCall(before: LoadedCalls, id: string): LoadedCalls {
  return { ...before, calls: new Map([...before.calls].filter(([known]) => known !== id)) }
}

/** Newest first. */
export function sortCalls(loaded: LoadedCalls | undefined): readonly CallView[] {
  return loaded === undefined ? [] : [...loaded.calls.values()].sort((a, b) => (isOlder(a, b) ? 1 : -1))
}

function isOlder(a: CallView, b: CallView): boolean {
  return a.startedAt < b.startedAt || (a.startedAt === b.startedAt && a.id < b.id)
}

function fits(call: CallView, { project, session, tool, outcome }: CallFilter): boolean {
  return (
    (project ?? call.project) === call.project &&
    (session ?? call.session) === call.session &&
    (tool ?? call.tool) === call.tool &&
    (outcome ?? call.outcome) === call.outcome
  )
}
