// The state of the page and its hooks: the live console view, questions that appeared or disappeared, actions, job
// output. Requests go through api.ts. Used by console-page and the views.

import { createContext } from 'preact'
import { useContext, useEffect, useMemo, useRef, useState } from 'preact/hooks'

import { type AskedItem, listAsked } from '../asked-items.js'
import { findNewlyFailed } from '../i18n/job-ending.js'
import { type ConsoleView, EMPTY_VIEW, type JobView } from '../view.js'
import { type ActionResult, type JobOutputKind, openJobOutput, type PageAction, postAction } from './api.js'
import { setDraftOwner } from './draft-store.js'
import { connectEvents, type ConnectionState, type EventConnection, type LossCause } from './event-connection.js'
import { setActivityOwner, usePageActivity } from './page-activity.js'
import { getServerTime, setServerClockOffset } from './use-now.js'

export interface LiveConsole {
  /** Undefined until the first view arrives. */
  readonly view: ConsoleView | undefined
  readonly connection: ConnectionState
  /** Undefined while the connection has not been lost, or is back. */
  readonly lost: LostConnection | undefined
  readonly retry: () => void
}

export interface LostConnection {
  readonly since: number
  readonly cause: LossCause
  readonly status: number
  /** Undefined while it is tried. */
  readonly retryAt: number | undefined
}

function toLostConnection(before: LostConnection | undefined, next: ConnectionState): LostConnection | undefined {
  if (next.state === 'live') return undefined
  if (next.state === 'connecting') return before && { ...before, retryAt: undefined }
  const { cause, status, retryAt } = next
  // That the server ended the stream says more than that it does not respond since.
  const isKnown = before?.cause === 'ended' && cause === 'unreachable'
  return { since: before?.since ?? Date.now(), cause: isKnown ? 'ended' : cause, status, retryAt }
}

export interface ConsoleEvents {
  onAsked(item: AskedItem): void
  /** No longer open; `isSettledHere`: because of an action on this page. */
  onAskedGone(item: AskedItem, isSettledHere: boolean): void
  onJobFailed(job: JobView): void
  onDenied(wasLive: boolean): void
}

/** Keys of questions settled on this page; no notification when they disappear. */
const settledHere = new Set<string>()

export function useConsole(token: string, events: ConsoleEvents): LiveConsole {
  const [view, setView] = useState<ConsoleView>()
  const [connection, setConnection] = useState<ConnectionState>({ state: 'connecting' })
  const [lost, setLost] = useState<LostConnection>()
  const eventConnection = useRef<EventConnection | null>(null)
  const latestHandlers = useRef(events)
  latestHandlers.current = events
  const isActive = usePageActivity() !== 'disconnected'
  const liveToken = useRef<string>(undefined)

  useEffect(() => {
    if (!isActive) {
      setConnection({ state: 'connecting' })
      setLost(undefined)
      return undefined
    }
    // What is new since the tab has disconnected was announced by another one.
    let current: ConsoleView | undefined
    const opened = connectEvents(token, {
      onConnection(next) {
        setConnection(next)
        setLost((before) => toLostConnection(before, next))
      },
      onClockOffset: setServerClockOffset,
      onUser(user) {
        setDraftOwner(user)
        setActivityOwner(user)
      },
      onDenied: () => latestHandlers.current.onDenied(liveToken.current === token),
      onChange(change) {
        const next = { ...(current ?? EMPTY_VIEW), ...change }
        if (current !== undefined) {
          reportAskedItems(current, next, latestHandlers.current)
          const failed = findNewlyFailed(current.jobs, next.jobs, getServerTime())
          for (const job of failed) latestHandlers.current.onJobFailed(job)
        }
        current = next
        liveToken.current = token
        setView(next)
      },
    })
    eventConnection.current = opened
    const retry = (): void => opened.retry()
    addEventListener('online', retry)
    document.addEventListener('visibilitychange', retry)
    return () => {
      removeEventListener('online', retry)
      document.removeEventListener('visibilitychange', retry)
      opened.close()
    }
  }, [token, isActive])

  return { view, connection, lost, retry: () => eventConnection.current?.retry() }
}

function reportAskedItems(before: ConsoleView, next: ConsoleView, events: ConsoleEvents): void {
  const isUnchanged =
    before.questions === next.questions && before.approvals === next.approvals && before.secrets === next.secrets
  if (isUnchanged) return
  const [known, current] = [listAsked(before), listAsked(next)]
  const [knownKeys, currentKeys] = [known, current].map((items) => new Set(items.map(({ key }) => key)))
  for (const item of current) if (knownKeys?.has(item.key) === false) events.onAsked(item)
  for (const item of known) {
    if (currentKeys?.has(item.key) === false) events.onAskedGone(item, settledHere.delete(item.key))
  }
}

export type RunAction = (verb: PageAction, body: object) => Promise<ActionResult>

const ActionContext = createContext<RunAction>(() =>
  Promise.resolve<ActionResult>({ ok: false, status: 0, message: null }),
)

export const ActionProvider = ActionContext.Provider

export function useAction(): RunAction {
  return useContext(ActionContext)
}

export function useActionRunner(token: string, denied: () => void): RunAction {
  const latestHandlers = useRef(denied)
  latestHandlers.current = denied
  return useMemo(
    () => async (verb, body) => {
      const done = await postAction(token, verb, body)
      if (!done.ok && done.status === 401) latestHandlers.current()
      return done
    },
    [token],
  )
}

export type FetchJobOutput = (kind: JobOutputKind, body: object, signal: AbortSignal) => Promise<Response>

const JobOutputContext = createContext<FetchJobOutput>(() => Promise.reject(new Error('not signed in')))

export const JobOutputProvider = JobOutputContext.Provider

export function useFetchJobOutput(): FetchJobOutput {
  return useContext(JobOutputContext)
}

export function useJobOutputFetcher(token: string): FetchJobOutput {
  return useMemo(() => (kind, body, signal) => openJobOutput(token, kind, body, signal), [token])
}

/** Call before sending: the change may arrive before the response. */
export function markSettledHere(key: string): () => void {
  settledHere.add(key)
  return () => void settledHere.delete(key)
}
