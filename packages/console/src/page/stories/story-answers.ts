// Answers the requests of a story in place of the server: the whole page runs, and nothing is sent. Used by story-page
// and the stories. Replaces the function of the browser that sends requests.

export interface StoryRequest {
  /** JSON; empty for a GET request. */
  readonly body: string
  /** Requests of this path so far, with this one. */
  readonly times: number
  /** Aborted when the page does not want the answer any more. */
  readonly signal: AbortSignal | undefined
}

/** By path, such as `board/approval`. */
export type StoryAnswers = Readonly<Record<string, (request: StoryRequest) => Response>>

let answers: StoryAnswers = {}
let counts = new Map<string, number>()

export function setAnswers(next: StoryAnswers): void {
  answers = next
  counts = new Map()
}

export function replaceRequests(): void {
  Object.defineProperty(globalThis, 'fetch', { value: answer })
}

function answer(path: string, { body, signal }: RequestInit = {}): Promise<Response> {
  const times = (counts.get(path) ?? 0) + 1
  counts.set(path, times)
  const request = { body: typeof body === 'string' ? body : '', times, signal: signal ?? undefined }
  return Promise.resolve((answers[path] ?? refuse)(request))
}

export function refuse(): Response {
  return Response.json({ error: 'This is a story; actions are not possible.' }, { status: 409 })
}

/** Of the JSON object in a request; null if it is missing. */
export function readField(body: string, name: string): unknown {
  const value: unknown = JSON.parse(body)
  if (typeof value !== 'object' || value === null) return null
  return Object.entries(value).find(([key]) => key === name)?.[1] ?? null
}

export function answerJson(value: unknown): Response {
  return Response.json(value)
}

/** Open until the signal is aborted, if there is one. */
export function answerEvents(events: readonly unknown[], openUntil?: AbortSignal): Response {
  const text = events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join('')
  const body = new ReadableStream({
    start(controller) {
      controller.enqueue(new TextEncoder().encode(text))
      if (openUntil === undefined) controller.close()
      else openUntil.addEventListener('abort', () => controller.error(openUntil.reason))
    },
  })
  return new Response(body, { headers: { 'content-type': 'text/event-stream' } })
}
