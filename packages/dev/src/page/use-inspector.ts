// The state of the inspector in the page, from its event stream, which is opened again when it ends. Used by main.tsx.
// Sends HTTP requests through api.ts; sets timers.

import { useEffect, useState } from 'preact/hooks'

import type { InspectorEvent, InspectorState, OutputLine, ServerOffers, WireEntry } from '../view.js'
import type { Api } from './api.js'

const RETRY_MS = 1000
const MAX_ENTRIES = 1000

export type Connection = 'connecting' | 'live' | 'lost' | 'denied'

export interface InspectorData {
  readonly connection: Connection
  readonly state: InspectorState | undefined
  readonly offers: ServerOffers
  readonly wire: readonly WireEntry[]
  readonly output: readonly OutputLine[]
}

const EMPTY: InspectorData = {
  connection: 'connecting',
  state: undefined,
  offers: { tools: [], resources: [], templates: [], prompts: [], problems: [] },
  wire: [],
  output: [],
}

/** `onEvent` gets what belongs to calls. */
export function useInspector(api: Api, onEvent: (event: InspectorEvent) => void): InspectorData {
  const [data, setData] = useState(EMPTY)
  useEffect(() => {
    const leaving = new AbortController()
    const follow = async (): Promise<void> => {
      while (!leaving.signal.aborted) {
        let isFirst = true
        const status = await api.readEvents((events) => {
          const isSnapshot = isFirst
          isFirst = false
          setData((before) => events.reduce(addEvent, isSnapshot ? { ...before, wire: [], output: [] } : before))
          events.forEach(onEvent)
        }, leaving.signal)
        if (status === 401) return setData((before) => ({ ...before, connection: 'denied' }))
        setData((before) => ({ ...before, connection: 'lost' }))
        await new Promise((resolve) => setTimeout(resolve, RETRY_MS))
      }
    }
    void follow()
    return () => leaving.abort()
  }, [api])
  return data
}

function addEvent(data: InspectorData, event: InspectorEvent): InspectorData {
  if (event.type === 'state') return { ...data, connection: 'live', state: event.state }
  if (event.type === 'offers') return { ...data, offers: event.offers }
  if (event.type === 'wire') return { ...data, wire: [...data.wire, ...event.entries].slice(-MAX_ENTRIES) }
  if (event.type === 'output') return { ...data, output: [...data.output, ...event.lines].slice(-MAX_ENTRIES) }
  return data
}
