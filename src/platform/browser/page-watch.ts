// What is known of a page from outside while it loads: its document, what it still waits for, and how it came to an end.
// Only what may bring text is waited for, and nothing that came back again and again without changing anything: beacons.

import { isObject, type JsonObject } from '../../lib/json.js'
import { promised } from '../../lib/promised.js'
import type { Session } from './devtools.js'

const BARREN = 2
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
  readonly isDocument: boolean
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

  function isAwaited({ key }: Request): boolean {
    return (barren.get(key) ?? 0) < BARREN
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
      ? isDocument || TEXTUAL.has(String(type))
      : isDocument && originOf(request.url) === originOf(state.answer?.url ?? '')
    if (!isOurs) return
    pending.set(requestId, { key: keyOf(request), isDocument: isDocument && isMain })
    tellNews()
  })
  page.on('Network.loadingFinished', ({ requestId }) => settle(requestId))
  page.on('Network.loadingFailed', ({ requestId }) => settle(requestId))
  page.on('Network.responseReceived', ({ type, frameId, response }) => {
    if (type === 'Document' && frameId === frame && isObject(response)) state.answer = answerOf(response)
  })
  page.on('Page.frameNavigated', ({ frame: navigated }) => {
    if (!isObject(navigated) || navigated.id !== frame) return
    state.documents++
    state.isReady = false
    for (const [id, { isDocument }] of pending) if (!isDocument) pending.delete(id)
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
