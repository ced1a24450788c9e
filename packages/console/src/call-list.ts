// The calls of a user for the list and for reading: those of the history, and those that only a server has in memory,
// because they run, were not stored yet, or its history is off. Used by user-console.ts. Reads the history and asks
// servers.

import { Failure } from '@scorpiox/mcp/errors'
import type { CallQuery, CallView } from '@scorpiox/server/calls/recorded-call'
import type { CallHistory } from '@scorpiox/server/features/history/index'
import {
  type CallPosition,
  formatPosition,
  isBefore,
  parsePosition,
  toPosition,
} from '@scorpiox/server/features/history/lazy'
import { settlesWithin } from '@scorpiox/server/async/timeouts'
import type { ConnectedFeed, FeedConnections } from './feed-connections.js'
import { isToolForModels } from './rerun-call.js'
import type { CallDetails, CallPage, RerunProblem } from './view.js'

const PAGE_SIZE = 100
/** Of one server: what it has stored is found without it. */
const MAX_SEARCH_MS = 300

export interface CallSources {
  readonly user: string
  readonly history: CallHistory
  readonly feeds: FeedConnections
}

export async function listCalls({ user, history, feeds }: CallSources, query: CallQuery): Promise<CallPage> {
  const text = query.text?.trim() === '' ? null : query.text
  const normalized = { ...query, text }
  // Before the history: a call may be stored meanwhile, and is then in memory no more.
  const { found, missing } = await listLiveCalls(feeds, normalized)
  const stored = history.isKept ? await history.list(user, normalized, PAGE_SIZE) : NOTHING_STORED
  const start = parsePosition(query.after)
  const { next } = stored
  const live = found.filter(
    (call) => matches(call, query) && isBefore(toPosition(call), start) && !(next && isBefore(toPosition(call), next)),
  )
  const known = new Set(stored.calls.map(({ id }) => id))
  const unstored = new Map(live.filter(({ id }) => !known.has(id)).map((call) => [call.id, call]))
  const all = [...stored.calls, ...unstored.values()].toSorted((a, b) =>
    isBefore(toPosition(a), toPosition(b)) ? 1 : -1,
  )
  const calls = all.slice(0, PAGE_SIZE)
  const last = calls.at(-1)
  const end = all.length > calls.length && last ? toPosition(last) : next
  return {
    calls,
    next: end ? formatPosition(end) : null,
    isHistoryKept: history.isKept,
    ...(missing.length > 0 && { missing }),
  }
}

const NOTHING_STORED: { readonly calls: readonly CallView[]; readonly next: CallPosition | undefined } = {
  calls: [],
  next: undefined,
}

interface LiveCalls {
  readonly found: readonly CallView[]
  /** Servers that did not answer in time. */
  readonly missing: readonly string[]
}

/** A server that does not answer does not prevent that others are listed. */
async function listLiveCalls(feeds: FeedConnections, { text }: CallQuery): Promise<LiveCalls> {
  const gone = feeds.gone.list([]).flatMap(({ calls }) => calls)
  const listed = [...feeds.all().flatMap(({ latest }) => latest.calls ?? []), ...gone]
  if (text === null) return { found: listed, missing: [] }
  const lowerCase = text.toLowerCase()
  const found = listed.filter(({ tool, about }) => `${tool} ${about}`.toLowerCase().includes(lowerCase))
  const searches = await Promise.all(feeds.all().map((feed) => searchServer(feed, text)))
  return {
    found: [...found, ...searches.flatMap(({ calls = [] }) => calls)],
    missing: searches.flatMap(({ id, calls }) => (calls ? [] : [id])),
  }
}

async function searchServer({ id, subscription }: ConnectedFeed, text: string) {
  const search = subscription.calls.search(text).catch(() => undefined)
  return { id, calls: (await settlesWithin(MAX_SEARCH_MS, search)) ? await search : undefined }
}

function matches(call: CallView, { project, session, tool, outcome }: CallQuery): boolean {
  return (
    (project ?? call.project) === call.project &&
    (session ?? call.session) === call.session &&
    (tool ?? call.tool) === call.tool &&
    (outcome ?? call.outcome) === call.outcome
  )
}

export async function readCall(
  { user, history, feeds }: CallSources,
  { project, id }: { readonly project: string | null; readonly id: string },
): Promise<CallDetails> {
  const feed = feeds.find(serverOfCall(id))
  const stored = history.isKept ? await history.find(user, id) : undefined
  const recorded = stored ?? (await feed?.subscription.calls.find(id))
  const isGone = feed === undefined
  const isIn = (call: CallView): boolean => project === null || call.project === project
  if (recorded && isIn(recorded.call)) return { ...recorded, rerunProblem: findRerunProblem(recorded, isGone) }
  const gone = feeds.gone.list([]).flatMap(({ calls }) => calls)
  const call = gone.find((each) => each.id === id && isIn(each))
  if (call) return { call, input: '', inputOmitted: 1, blocks: [], rerunProblem: 'gone' }
  throw new Failure('This call is no longer kept.')
}

export function findRerunProblem(
  { call, inputOmitted }: Pick<CallDetails, 'call' | 'inputOmitted'>,
  isGone: boolean,
): RerunProblem | null {
  if (isToolForModels(call.tool)) return 'tool'
  if (isGone) return 'gone'
  return inputOmitted > 0 ? 'incomplete' : null
}

/** The server that has made the call. */
export function serverOfCall(id: string): string {
  return id.slice(0, id.indexOf('.'))
}
