// What is known of a page from outside while it loads: its document, what it still waits for, and how it came to an end.
// Only what may bring text is waited for, and nothing that came back again and again without changing anything: beacons.

import { isObject, type JsonObject } from '../../lib/json.js'
import { promised } from '../../lib/promised.js'
import type { Session } from './devtools.js'

const BARREN = 2
const SILENCE_MS = 300
const TEXTUAL = new Set(['XHR', 'Fetch', 'Script'])

export interface Answer {
  readonly url: string
  readonly status: number
  readonly contentType: string
  /** What our own proxy says of it, where it did not let it through. */
  readonly refusal: string
}

export interface PageWatch {
  /** The answer that the document came with; undefined until there is one. */
  readonly answer: Answer | undefined
  /** How many documents it has had. */
  readonly documents: number
  /** Whether its document has been read to the end. */
  readonly isReady: boolean
  /** Whether something is on its way that may bring text. */
  readonly isWaiting: boolean
  /** Why it is no more; undefined while it is. */
  readonly gone: string | undefined
  leave(why: string): void
  /** Resolves at the next of these that changes. */
  news(): Promise<void>
  /** What came back since it was last asked did or did not change the document. */
  judge(hasChanged: boolean): void
}

interface Request {
  readonly key: string
  /** When something last came of it; undefined while there is no answer. */
  heardAt?: number
}

export function watchPage(page: Session, frame: string): PageWatch {
  const pending = new Map<string, Request>()
  const barren = new Map<string, number>()
  const returned: string[] = []
  const state: { answer?: Answer; documents: number; isReady: boolean; gone?: string } = {
    documents: 0,
    isReady: false,
  }
  let next = promised<void>()

  function tellNews(): void {
    next.resolve()
    next = promised()
  }

  function leave(why: string): void {
    state.gone ??= why
    page.end(why)
    tellNews()
  }

  /** An answer that nobody reads never ends, and one that trickles on is a stream. */
  function isAwaited({ key, heardAt = Infinity }: Request): boolean {
    return (barren.get(key) ?? 0) < BARREN && performance.now() - heardAt < SILENCE_MS
  }

  function hear(id: unknown): void {
    const request = typeof id === 'string' ? pending.get(id) : undefined
    if (request) request.heardAt = performance.now()
  }

  function settle(id: unknown): void {
    const request = typeof id === 'string' ? pending.get(id) : undefined
    if (!request) return
    pending.delete(String(id))
    returned.push(request.key)
    tellNews()
  }

  page.on('Network.requestWillBeSent', ({ requestId, type, frameId, request, loaderId }) => {
    if (typeof requestId !== 'string' || !isObject(request) || typeof request.url !== 'string') return
    const isDocument = type === 'Document' && requestId === loaderId
    // Frames of other origins cannot be read, so they are not waited for.
    const isMain = frameId === frame
    const isOurs = isMain
      ? isDocument || isTextual(requestId, type)
      : isDocument && originOf(request.url) === originOf(state.answer?.url ?? '')
    if (!isOurs) return
    pending.set(requestId, { key: keyOf(request) })
    tellNews()
  })
  page.on('Network.loadingFinished', ({ requestId }) => settle(requestId))
  page.on('Network.loadingFailed', ({ requestId }) => settle(requestId))
  page.on('Network.dataReceived', ({ requestId }) => hear(requestId))
  page.on('Network.responseReceived', ({ requestId, type, frameId, response }) => {
    hear(requestId)
    if (type === 'Document' && frameId === frame && isObject(response)) state.answer = answerOf(response)
  })
  page.on('Page.frameNavigated', ({ frame: navigated }) => {
    if (!isObject(navigated) || navigated.id !== frame) return
    state.documents++
    state.isReady = false
    // Not everything that its predecessor waited for is reported to have ended.
    for (const id of pending.keys()) if (id !== navigated.loaderId) pending.delete(id)
    tellNews()
  })
  page.on('Page.domContentEventFired', () => {
    state.isReady = true
    tellNews()
  })
  page.on('Page.javascriptDialogOpening', ({ type }) =>
    // Whoever leaves a page may.
    page.tell('Page.handleJavaScriptDialog', { accept: type === 'beforeunload' }),
  )
  page.on('Inspector.targetCrashed', () => leave('it crashed, as a page does that uses too much memory'))

  return {
    get answer() {
      return state.answer
    },
    get documents() {
      return state.documents
    },
    get isReady() {
      return state.isReady
    },
    get isWaiting() {
      return [...pending.values()].some(isAwaited)
    },
    get gone() {
      return state.gone
    },
    leave,
    news: () => next.promise,
    judge(hasChanged) {
      for (const key of returned.splice(0)) {
        if (hasChanged) barren.delete(key)
        else barren.set(key, (barren.get(key) ?? 0) + 1)
      }
    },
  }
}

/** What a worker consists of has a number without a dot, and its end is told to nobody here. */
function isTextual(requestId: string, type: unknown): boolean {
  return TEXTUAL.has(String(type)) && requestId.includes('.')
}

function keyOf({ method, url }: JsonObject): string {
  return `${String(method)} ${String(url).replace(/[?#].*$/s, '')}`
}

function originOf(url: string): string {
  return URL.canParse(url) ? new URL(url).origin : ''
}

function answerOf({ url, status, headers, mimeType }: JsonObject): Answer {
  const valueOf = (name: string): string | undefined => {
    const found = isObject(headers) ? Object.entries(headers).find(([key]) => key.toLowerCase() === name) : undefined
    return found && String(found[1])
  }
  return {
    url: String(url),
    status: typeof status === 'number' ? status : 0,
    contentType: valueOf('content-type') ?? String(mimeType),
    refusal: /^scorpiox-code; error=(\w+)/.exec(valueOf('proxy-status') ?? '')?.[1] ?? '',
  }
}
