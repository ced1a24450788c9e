// Hooks of the page: the live console view, actions, and job output.

import { createContext } from 'preact'
import { useContext, useEffect, useMemo, useRef, useState } from 'preact/hooks'

import type { BoardView, QuestionView } from '../../services/board/view.js'
import { changed, missingFrom, NOTHING, questionKey } from './board-state.js'
import { openOutput, post, type Done, type Verb } from './server.js'
import { setClock } from './ticking.js'
import { watchBoard, type Connection, type Watch } from './watch-board.js'

export interface LiveBoard {
  /** Undefined until the first view arrives. */
  readonly view: BoardView | undefined
  readonly connection: Connection
  readonly retry: () => void
}

export interface BoardEvents {
  asked(question: QuestionView): void
  /** No longer open, and not because of an action on this page. */
  gone(question: QuestionView): void
  denied(wasLive: boolean): void
}

/** Questions settled on this page; no notification when they disappear. */
const settledHere = new Set<string>()

export function useBoard(token: string, events: BoardEvents): LiveBoard {
  const [view, setView] = useState<BoardView>()
  const [connection, setConnection] = useState<Connection>({ state: 'connecting' })
  const eventConnection = useRef<Watch | null>(null)
  const latestHandlers = useRef(events)
  latestHandlers.current = events

  useEffect(() => {
    let current: BoardView | undefined
    const opened = watchBoard(token, {
      connection: setConnection,
      clock: setClock,
      denied: () => latestHandlers.current.denied(current !== undefined),
      change(change) {
        const next = changed(current ?? NOTHING, change)
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

function reportQuestionChanges(before: BoardView, next: BoardView, events: BoardEvents): void {
  if (before.questions === next.questions) return
  for (const question of missingFrom(next.questions, before.questions)) events.asked(question)
  for (const question of missingFrom(before.questions, next.questions)) {
    if (!settledHere.delete(questionKey(question))) events.gone(question)
  }
}

export type Act = (verb: Verb, body: object) => Promise<Done>

const ActionContext = createContext<Act>(() => Promise.resolve<Done>({ ok: false, status: 0, sentence: null }))

export const ActProvider = ActionContext.Provider

export function useAct(): Act {
  return useContext(ActionContext)
}

export function useActing(token: string, denied: () => void): Act {
  const latestHandlers = useRef(denied)
  latestHandlers.current = denied
  return useMemo(
    () => async (verb, body) => {
      const done = await post(token, verb, body)
      if (!done.ok && done.status === 401) latestHandlers.current()
      return done
    },
    [token],
  )
}

export type ReadOutput = (kind: 'output' | 'download', body: object, signal: AbortSignal) => Promise<Response>

const JobOutputContext = createContext<ReadOutput>(() => Promise.reject(new Error('not signed in')))

export const OutputProvider = JobOutputContext.Provider

export function useReadOutput(): ReadOutput {
  return useContext(JobOutputContext)
}

export function useOutputReader(token: string): ReadOutput {
  return useMemo(() => (kind, body, signal) => openOutput(token, kind, body, signal), [token])
}

/** Call before sending: the change may arrive before the response. */
export function settleHere(question: QuestionView): () => void {
  const key = questionKey(question)
  settledHere.add(key)
  return () => void settledHere.delete(key)
}
