// The calls that the list shows: pages of the history, read as the list is scrolled, with the live calls in front. Used by
// calls.tsx. Requests pages, and calls whose end was not reported; sets timers.

import { useEffect, useMemo, useRef, useState } from 'preact/hooks'

import type { CallDetails, CallPage, CallView } from '../../view.js'
import type { ActionResult } from '../api.js'
import { type RunAction, useAction } from '../use-console.js'
import { useServers } from '../use-servers.js'
import { useThrottled } from '../use-throttled.js'
import {
  addLive,
  addPage,
  type CallFilter,
  dropCall,
  isConnected as isPageConnected,
  listUnknownEnds,
  type LoadedCalls,
  replaceFirstPage,
  sortCalls,
} from './loaded-calls.js'

export interface CallList {
  /** Newest first. */
  readonly calls: readonly CallView[]
  readonly isLoading: boolean
  /** There are no more. */
  readonly isComplete: boolean
  /** The settings turn the history off. */
  readonly isHistoryOff: boolean
  /** Servers that did not answer the search in time. */
  readonly missing: readonly string[]
  /** Why the last request failed. */
  readonly refused: ActionResult | undefined
  /** Repeats the request that failed. */
  readonly retry: () => void
  /** Reads the next page; undefined at the end. */
  readonly loadMore: (() => void) | undefined
}

/** The result of a search changes with calls that end; it is read again at most this often. */
const SEARCH_AGAIN_MS = 1000
const MISSING_AGAIN_MS = 2000
/** Between two requests for the same call that may have ended. */
const ENDED_AGAIN_MS = 5000
/** A list that is not scrolled begins anew beyond this many: it may be open for days, while calls arrive. */
const MAX_UNSCROLLED = 5000
/** The pages that are read again until they meet what is loaded. */
const MAX_NEW_PAGES = 3

export function useCalls(filter: CallFilter, live: readonly CallView[]): CallList {
  const act = useAction()
  const { isConnected } = useServers()
  const [loaded, setLoaded] = useState<LoadedCalls>()
  const [refused, setRefused] = useState<ActionResult>()
  const [busy, setBusy] = useState<'no' | 'loading' | 'refreshing'>('loading')
  const [isDue, setDue] = useState(false)
  /** Answers to older requests are ignored. */
  const latest = useRef(0)
  const key = JSON.stringify(filter)
  const isSearch = filter.text !== null

  const lastRead = useRef<PageReader>(undefined)
  const load = async (read: PageReader, kind: 'loading' | 'refreshing'): Promise<void> => {
    const number = ++latest.current
    lastRead.current = read
    setBusy(kind)
    const { refused: problem, change } = await read()
    if (latest.current !== number) return kind === 'refreshing' ? setDue(true) : undefined
    setBusy('no')
    setRefused(problem)
    // Live calls may have been added since the request was sent.
    if (change) setLoaded(change)
  }
  const loadFirst = (): Promise<void> => load(() => readPage(act, filter, null), 'loading')
  const loadNext = (): Promise<void> => load(() => readPage(act, filter, loaded?.next ?? null), 'loading')
  const refresh = (): Promise<void> => load(() => readNewPages(act, filter, loaded), 'refreshing')

  const shownKey = useRef<string>(undefined)
  useEffect(() => {
    const isSame = shownKey.current === key
    shownKey.current = key
    if (!isSame) {
      setLoaded(undefined)
      void loadFirst()
    } else if (isConnected) void (loaded === undefined ? loadFirst() : refresh())
  }, [key, isConnected])

  // Calls that leave the live part stay in the list.
  useEffect(() => setLoaded((before) => before && addLive(before, live, filter)), [live, key, loaded])
  useUnknownEnds(loaded, live, (id, call) =>
    setLoaded((before) => before && (call ? addLive(before, [call], filter) : dropCall(before, id))),
  )

  const previous = useRef(live)
  useEffect(() => {
    if (previous.current !== live && (isSearch || isGap(previous.current, live))) setDue(true)
    previous.current = live
  }, [live, isSearch])
  // A server that did not answer in time may answer now.
  const isMissing = loaded !== undefined && loaded.missing.length > 0
  useEffect(() => {
    if (!isMissing) return undefined
    const timer = setTimeout(() => setDue(true), MISSING_AGAIN_MS)
    return () => clearTimeout(timer)
  }, [isMissing, loaded])
  useThrottled(isDue && loaded !== undefined && busy === 'no' && isConnected, SEARCH_AGAIN_MS, () => {
    setDue(false)
    void refresh()
  })

  const isTooLong = loaded !== undefined && loaded.calls.size > MAX_UNSCROLLED && scrollY < innerHeight
  useThrottled(isTooLong && busy === 'no' && isConnected, SEARCH_AGAIN_MS, () => {
    void load(() => readPage(act, filter, null), 'refreshing')
  })

  const calls = useMemo(() => sortCalls(loaded), [loaded])
  const canLoad = busy !== 'loading' && refused === undefined && loaded !== undefined && loaded.next !== null
  return {
    calls,
    isLoading: loaded === undefined && refused === undefined,
    isComplete: loaded !== undefined && loaded.next === null,
    isHistoryOff: loaded?.isHistoryKept === false,
    missing: loaded?.missing ?? [],
    refused,
    retry: () => void load(lastRead.current ?? (() => readPage(act, filter, null)), 'loading'),
    loadMore: canLoad ? () => void loadNext() : undefined,
  }
}

type PageReader = () => Promise<PageResult>

interface PageResult {
  readonly refused: ActionResult | undefined
  readonly change?: (current: LoadedCalls | undefined) => LoadedCalls | undefined
}

async function readPage(act: RunAction, filter: CallFilter, after: string | null): Promise<PageResult> {
  const result = await act('calls', { ...filter, after })
  if (!result.ok) return { refused: result }
  const { value } = result
  if (!isPage(value)) return { refused: undefined }
  return { refused: undefined, change: (current) => addPage(after === null ? undefined : current, value) }
}

/** Reads the first pages again, until they meet what is loaded; what is older stays. */
async function readNewPages(act: RunAction, filter: CallFilter, before: LoadedCalls | undefined): Promise<PageResult> {
  let all: CallPage | undefined
  for (let count = 0; count < MAX_NEW_PAGES; count++) {
    const result = await act('calls', { ...filter, after: all?.next ?? null })
    if (!result.ok) return { refused: result }
    const { value } = result
    if (!isPage(value)) break
    all = { ...value, calls: [...(all?.calls ?? []), ...value.calls] }
    const page = all
    if (before !== undefined && isPageConnected(before, page))
      return { refused: undefined, change: (current) => replaceFirstPage(current ?? before, page) }
    // The server has searched for a long time and found nothing new.
    if (value.calls.length === 0) return { refused: undefined }
  }
  const page = all
  return { refused: undefined, ...(page && { change: () => addPage(undefined, page) }) }
}

/** Reads the calls that have left the live part while they ran. Without a call: it is no longer kept. */
function useUnknownEnds(
  loaded: LoadedCalls | undefined,
  live: readonly CallView[],
  onRead: (id: string, call: CallView | undefined) => void,
): void {
  const act = useAction()
  const askedAt = useRef(new Map<string, number>()).current
  useEffect(() => {
    if (loaded === undefined) return
    const unknown = listUnknownEnds(loaded, live).map(({ id }) => id)
    for (const id of askedAt.keys()) if (!unknown.includes(id)) askedAt.delete(id)
    for (const id of unknown) {
      if (performance.now() - (askedAt.get(id) ?? -Infinity) < ENDED_AGAIN_MS) continue
      askedAt.set(id, performance.now())
      void act('call', { id }).then((result) => {
        if (result.ok && isDetails(result.value)) onRead(id, result.value.call)
        else if (!result.ok && result.status === 409) onRead(id, undefined)
      })
    }
  }, [loaded, live])
}

/** More calls than the live part holds have started between two changes of it. */
function isGap(before: readonly CallView[], live: readonly CallView[]): boolean {
  if (before.length === 0 || live === before) return false
  const known = new Set(before.map(({ id }) => id))
  return live.length > 0 && !live.some(({ id }) => known.has(id))
}

function isPage(value: unknown): value is CallPage {
  return typeof value === 'object' && value !== null && 'calls' in value && Array.isArray(value.calls)
}

function isDetails(value: unknown): value is CallDetails {
  return typeof value === 'object' && value !== null && 'call' in value
}
