// The state of the page and its hooks: the live console view, questions that appeared or disappeared, actions, job
// output. Requests go through api.ts. Used by console-page and the views.

import { createContext } from 'preact'
import { useContext, useEffect, useMemo, useRef, useState } from 'preact/hooks'

import { type ApprovalView, type ConsoleView, EMPTY_VIEW, type QuestionView, type SecretView } from '../view.js'
import { type ActionResult, type JobOutputKind, openJobOutput, type PageAction, postAction } from './api.js'
import { connectEvents, type ConnectionState, type EventConnection } from './event-connection.js'
import { setServerClockOffset } from './use-now.js'

export function questionKey({ project, id }: Pick<QuestionView, 'project' | 'id'>): string {
  return JSON.stringify([project, id])
}

export function approvalKey({ project, id }: Pick<ApprovalView, 'project' | 'id'>): string {
  return JSON.stringify([project, 'approval', id])
}

export function secretKey({ server, id }: Pick<SecretView, 'server' | 'id'>): string {
  return JSON.stringify([server, 'secret', id])
}

/** What the user is asked: passwords, questions and plans to approve, by key, each with its title. */
function askedItems({ secrets, approvals, questions }: ConsoleView): ReadonlyMap<string, string> {
  return new Map([
    ...secrets.map((secret) => [secretKey(secret), shorten(secret.prompt)] as const),
    ...approvals.map((approval) => [approvalKey(approval), shorten(approval.goal)] as const),
    ...questions.map((question) => [questionKey(question), shorten(question.questions[0]?.text ?? '')] as const),
  ])
}

function shorten(text: string): string {
  return text.length > 120 ? `${text.slice(0, 119).trimEnd()}…` : text
}

export interface LiveConsole {
  /** Undefined until the first view arrives. */
  readonly view: ConsoleView | undefined
  readonly connection: ConnectionState
  readonly retry: () => void
}

export interface ConsoleEvents {
  onQuestion(title: string): void
  /** No longer open, and not because of an action on this page. */
  onQuestionGone(title: string): void
  onDenied(wasLive: boolean): void
}

/** Keys of questions settled on this page; no notification when they disappear. */
const settledHere = new Set<string>()

export function useConsole(token: string, events: ConsoleEvents): LiveConsole {
  const [view, setView] = useState<ConsoleView>()
  const [connection, setConnection] = useState<ConnectionState>({ state: 'connecting' })
  const eventConnection = useRef<EventConnection | null>(null)
  const latestHandlers = useRef(events)
  latestHandlers.current = events

  useEffect(() => {
    let current: ConsoleView | undefined
    const opened = connectEvents(token, {
      onConnection: setConnection,
      onClockOffset: setServerClockOffset,
      onDenied: () => latestHandlers.current.onDenied(current !== undefined),
      onChange(change) {
        const next = { ...(current ?? EMPTY_VIEW), ...change }
        if (current !== undefined) reportQuestionChanges(current, next, latestHandlers.current)
        current = next
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
  }, [token])

  return { view, connection, retry: () => eventConnection.current?.retry() }
}

function reportQuestionChanges(before: ConsoleView, next: ConsoleView, events: ConsoleEvents): void {
  const isUnchanged =
    before.questions === next.questions && before.approvals === next.approvals && before.secrets === next.secrets
  if (isUnchanged) return
  const [known, current] = [askedItems(before), askedItems(next)]
  for (const [key, title] of current) if (!known.has(key)) events.onQuestion(title)
  for (const [key, title] of known) if (!current.has(key) && !settledHere.delete(key)) events.onQuestionGone(title)
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
