// The requests of the page to its own server: the event stream and the actions. Used by use-inspector.ts and the views.
// Sends HTTP requests.

import type { InspectorEvent, InspectorRequest, RpcOutcome, TimedOutcome } from '../view.js'
import { isMembers, type Members, parseJson } from './json.js'

const LOST: TimedOutcome = {
  ms: 0,
  error: { code: -32000, message: 'The inspector does not respond. Is the dev command still running?' },
}

export interface Api {
  /** Resolves when the stream ends: to its status, 0 if there was no response. `onEvents` gets what arrived together. */
  readEvents(onEvents: (events: readonly InspectorEvent[]) => void, signal: AbortSignal): Promise<number>
  request(request: InspectorRequest, signal?: AbortSignal): Promise<TimedOutcome>
  answer(id: number, outcome: RpcOutcome): Promise<void>
  restart(): Promise<void>
  chooseRevision(revision: string): Promise<void>
}

export function createApi(key: string): Api {
  const headers = { authorization: `Bearer ${key}` }
  const post = async (path: string, body: object, signal?: AbortSignal): Promise<Members | undefined> => {
    try {
      const response = await fetch(path, {
        method: 'POST',
        headers,
        body: JSON.stringify(body),
        signal: signal ?? null,
      })
      const answer: unknown = response.ok ? await response.json() : undefined
      return isMembers(answer) ? answer : undefined
    } catch {
      return undefined
    }
  }
  return {
    async readEvents(onEvents, signal) {
      try {
        const response = await fetch('api/events', { headers, signal })
        if (response.ok && response.body) await readLines(response.body, onEvents)
        return response.status
      } catch {
        return 0
      }
    },
    async request(request, signal) {
      const startedAt = performance.now()
      const answer = await post('api/request', request, signal)
      if (signal?.aborted)
        return { error: { code: -32000, message: 'The call was cancelled.' }, ms: performance.now() - startedAt }
      return answer && isOutcome(answer) ? answer : LOST
    },
    answer: async (id, outcome) => void (await post('api/answer', { id, outcome })),
    restart: async () => void (await post('api/restart', {})),
    chooseRevision: async (revision) => void (await post('api/revision', { revision })),
  }
}

async function readLines(
  body: ReadableStream<Uint8Array<ArrayBuffer>>,
  onEvents: (events: readonly InspectorEvent[]) => void,
): Promise<void> {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader()
  let rest = ''
  for (;;) {
    const { done, value } = await reader.read()
    if (done) return
    const lines = (rest + value).split('\n')
    rest = lines.pop() ?? ''
    const events = lines.map(readEvent).filter((event) => event !== undefined)
    if (events.length > 0) onEvents(events)
  }
}

function readEvent(line: string): InspectorEvent | undefined {
  const parsed = parseJson(line)
  return 'value' in parsed && isEvent(parsed.value) ? parsed.value : undefined
}

/** The server of the page has the types of this build. */
function isEvent(value: unknown): value is InspectorEvent {
  return isMembers(value) && typeof value.type === 'string'
}

function isOutcome(value: Members): value is Members & TimedOutcome {
  return typeof value.ms === 'number' && (isMembers(value.result) || isMembers(value.error))
}
