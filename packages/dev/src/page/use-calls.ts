// The calls of the page, by the entry they belong to: the last one of each is kept, so that its result is there when one
// comes back to it. Used by main.tsx. Sends HTTP requests through api.ts.

import { useMemo, useRef, useState } from 'preact/hooks'

import type { InspectorEvent, RpcOutcome } from '../view.js'
import type { Api } from './api.js'
import type { Members } from './json.js'

const MAX_LOGS = 200

export interface CallState {
  readonly callId: string
  readonly isRunning: boolean
  readonly progress: { readonly done: number; readonly total: number | undefined; readonly message: string } | undefined
  readonly logs: readonly { readonly level: string; readonly text: string }[]
  readonly outcome: RpcOutcome | undefined
  readonly ms: number
}

export interface Calls {
  of(entry: string): CallState | undefined
  start(entry: string, method: string, params: Members): void
  cancel(entry: string): void
}

export interface CallTable {
  readonly calls: Calls
  readonly onEvent: (event: InspectorEvent) => void
}

type States = Readonly<Record<string, CallState>>

export function useCalls(api: Api): CallTable {
  const [states, setStates] = useState<States>({})
  const cancelling = useRef(new Map<string, AbortController>())
  const change = (entry: string, callId: string, update: (state: CallState) => CallState): void =>
    setStates((before) => {
      const state = before[entry]
      return state?.callId === callId ? { ...before, [entry]: update(state) } : before
    })

  const start = async (entry: string, method: string, params: Members): Promise<void> => {
    const callId = crypto.randomUUID()
    const cancel = new AbortController()
    cancelling.current.set(entry, cancel)
    const begun = { callId, isRunning: true, progress: undefined, logs: [], outcome: undefined, ms: 0 }
    setStates((before) => ({ ...before, [entry]: begun }))
    const outcome = await api.request({ callId, method, params }, cancel.signal)
    const { ms } = outcome
    change(entry, callId, (state) => ({ ...state, isRunning: false, outcome, ms }))
  }

  const onEvent = useMemo(
    () => (event: InspectorEvent) => {
      if (event.type === 'progress' || event.type === 'log') setStates((before) => addToCalls(before, event))
    },
    [],
  )
  return {
    calls: {
      of: (entry) => states[entry],
      start: (entry, method, params) => void start(entry, method, params),
      cancel: (entry) => cancelling.current.get(entry)?.abort(),
    },
    onEvent,
  }
}

/** Progress names its call. A log message does not, so it is shown with every call that runs. */
function addToCalls(states: States, event: InspectorEvent & { readonly type: 'progress' | 'log' }): States {
  const changed = Object.entries(states).map(([entry, state]): readonly [string, CallState] => {
    if (!state.isRunning) return [entry, state]
    if (event.type === 'log') {
      const { level, text } = event
      return [entry, { ...state, logs: [...state.logs, { level, text }].slice(-MAX_LOGS) }]
    }
    const { callId, progress: done, total, message } = event
    return [entry, state.callId === callId ? { ...state, progress: { done, total, message } } : state]
  })
  return Object.fromEntries(changed)
}
