// The state of the page and its hooks: the live console view, questions that appeared or disappeared, actions, job output.

import { createContext } from 'preact'
import { useContext, useEffect, useMemo, useRef, useState } from 'preact/hooks'

import type { ConsoleChange, ConsoleView, QuestionView } from '../view.js'
import { type ActionResult, openJobOutput, type PageAction, postAction } from './api.js'
import { connectEvents, type ConnectionState, type EventConnection } from './event-connection.js'
import { setServerClockOffset } from './use-now.js'

/** The page imports only types of the view model, so it has its own. */
const EMPTY_VIEW: ConsoleView = {
  servers: [],
  questions: [],
  messages: [],
  callbacks: [],
  jobs: [],
  projects: [],
  calls: [],
  problems: [],
}

function applyChange(view: ConsoleView, change: ConsoleChange): ConsoleView {
  return { ...view, ...change }
}

export function questionKey({ project, id }: Pick<QuestionView, 'project' | 'id'>): string {
  return JSON.stringify([project, id])
}

/** Questions that are only in the first list. */
function questionsNotIn(before: readonly QuestionView[], now: readonly QuestionView[]): readonly QuestionView[] {
  const there = new Set(now.map(questionKey))
  return before.filter((question) => !there.has(questionKey(question)))
}

export function questionTitle({ questions }: QuestionView): string {
  const text = questions[0]?.text ?? ''
  return text.length > 120 ? `${text.slice(0, 119).trimEnd()}…` : text
}

export interface LiveConsole {
  /** Undefined until the first view arrives. */
  readonly view: ConsoleView | undefined
  readonly connection: ConnectionState
  readonly retry: () => void
}

export interface ConsoleEvents {
  onQuestion(question: QuestionView): void
  /** No longer open, and not because of an action on this page. */
  onQuestionGone(question: QuestionView): void
  onDenied(wasLive: boolean): void
}

/** Questions settled on this page; no notification when they disappear. */
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
        const next = applyChange(current ?? EMPTY_VIEW, change)
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
  if (before.questions === next.questions) return
  for (const question of questionsNotIn(next.questions, before.questions)) events.onQuestion(question)
  for (const question of questionsNotIn(before.questions, next.questions)) {
    if (!settledHere.delete(questionKey(question))) events.onQuestionGone(question)
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

export type FetchJobOutput = (kind: 'output' | 'download', body: object, signal: AbortSignal) => Promise<Response>

const JobOutputContext = createContext<FetchJobOutput>(() => Promise.reject(new Error('not signed in')))

export const JobOutputProvider = JobOutputContext.Provider

export function useFetchJobOutput(): FetchJobOutput {
  return useContext(JobOutputContext)
}

export function useJobOutputFetcher(token: string): FetchJobOutput {
  return useMemo(() => (kind, body, signal) => openJobOutput(token, kind, body, signal), [token])
}

/** Call before sending: the change may arrive before the response. */
export function markSettledHere(question: QuestionView): () => void {
  const key = questionKey(question)
  settledHere.add(key)
  return () => void settledHere.delete(key)
}
