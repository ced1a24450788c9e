// Tracks the document and the pending requests of a page while it loads, and why it was closed. Only requests that may
// bring text count as pending, except those that repeatedly finished without changing the document: beacons. Used by
// browser-page and page-renderer. No I/O: the events of the page are given.

import { isJsonObject, type JsonObject } from '@scorpiox/mcp/json/json'
import { createDeferred } from '../async/timeouts.js'
import type { DevtoolsSession } from './devtools.js'
import { tryParseUrl } from '../text/parse-url.js'

const MAX_REPEATS_WITHOUT_CHANGE = 2
const IDLE_MS = 300
const TEXT_REQUEST_TYPES = new Set(['XHR', 'Fetch', 'Script'])

export interface DocumentResponse {
  readonly url: string
  readonly status: number
  readonly contentType: string
  /** The error that our own proxy reports, if it refused the request. */
  readonly proxyError: string
}

export interface PageActivity {
  /** The response of the document; undefined until there is one. */
  readonly response: DocumentResponse | undefined
  /** The number of documents so far. */
  readonly documents: number
  /** Whether its document has been parsed to the end. */
  readonly isReady: boolean
  /** Whether a request is pending that may bring text. */
  readonly isWaiting: boolean
  /** Why it was closed; undefined while it is open. */
  readonly closedReason: string | undefined
  close(reason: string): void
  /** Resolves at the next change of these properties. */
  nextChange(): Promise<void>
  /** Records whether the requests that finished since the last call changed the document. */
  recordDocumentChange(hasChanged: boolean): void
}

interface PendingRequest {
  readonly key: string
  /** When data last arrived; undefined while there is no response. */
  dataAt?: number
}

export function trackPageActivity(session: DevtoolsSession, mainFrame: string): PageActivity {
  const pending = new Map<string, PendingRequest>()
  const repeatsWithoutChange = new Map<string, number>()
  const finishedRequests: string[] = []
  const state: { answer?: DocumentResponse; documents: number; isReady: boolean; gone?: string } = {
    documents: 0,
    isReady: false,
  }
  let change = createDeferred<void>()

  function notifyChange(): void {
    change.resolve()
    change = createDeferred()
  }

  function close(reason: string): void {
    state.gone ??= reason
    session.close(reason)
    notifyChange()
  }

  /** A response that the page does not read never finishes, and one that keeps sending is a stream. */
  function isPending({ key, dataAt = Infinity }: PendingRequest): boolean {
    return (repeatsWithoutChange.get(key) ?? 0) < MAX_REPEATS_WITHOUT_CHANGE && performance.now() - dataAt < IDLE_MS
  }

  function noteData(id: unknown): void {
    const request = typeof id === 'string' ? pending.get(id) : undefined
    if (request) request.dataAt = performance.now()
  }

  function finishRequest(id: unknown): void {
    const request = typeof id === 'string' ? pending.get(id) : undefined
    if (!request) return
    pending.delete(String(id))
    finishedRequests.push(request.key)
    notifyChange()
  }

  session.on('Network.requestWillBeSent', ({ requestId, type, frameId, request, loaderId }) => {
    if (typeof requestId !== 'string' || !isJsonObject(request) || typeof request.url !== 'string') return
    const isDocument = type === 'Document' && requestId === loaderId
    // Frames of other origins cannot be read, so they are not waited for.
    const isMain = frameId === mainFrame
    const isRelevant = isMain
      ? isDocument || mayBringText(requestId, type)
      : isDocument && originOf(request.url) === originOf(state.answer?.url ?? '')
    if (!isRelevant) return
    pending.set(requestId, { key: requestKey(request) })
    notifyChange()
  })
  session.on('Network.loadingFinished', ({ requestId }) => finishRequest(requestId))
  session.on('Network.loadingFailed', ({ requestId }) => finishRequest(requestId))
  session.on('Network.dataReceived', ({ requestId }) => noteData(requestId))
  session.on('Network.responseReceived', ({ requestId, type, frameId, response }) => {
    noteData(requestId)
    if (type === 'Document' && frameId === mainFrame && isJsonObject(response))
      state.answer = toDocumentResponse(response)
  })
  session.on('Page.frameNavigated', ({ frame: navigated }) => {
    if (!isJsonObject(navigated) || navigated.id !== mainFrame) return
    state.documents++
    state.isReady = false
    // Not all requests of the previous document are reported as finished.
    for (const id of pending.keys()) if (id !== navigated.loaderId) pending.delete(id)
    notifyChange()
  })
  session.on('Page.domContentEventFired', () => {
    state.isReady = true
    notifyChange()
  })
  session.on('Page.javascriptDialogOpening', ({ type }) =>
    // Leaving the page is allowed.
    session.sendWithoutReply('Page.handleJavaScriptDialog', { accept: type === 'beforeunload' }),
  )
  session.on('Inspector.targetCrashed', () => close('it crashed, probably because it used too much memory'))

  return {
    get response() {
      return state.answer
    },
    get documents() {
      return state.documents
    },
    get isReady() {
      return state.isReady
    },
    get isWaiting() {
      return [...pending.values()].some(isPending)
    },
    get closedReason() {
      return state.gone
    },
    close,
    nextChange: () => change.promise,
    recordDocumentChange(hasChanged) {
      for (const key of finishedRequests.splice(0)) {
        if (hasChanged) repeatsWithoutChange.delete(key)
        else repeatsWithoutChange.set(key, (repeatsWithoutChange.get(key) ?? 0) + 1)
      }
    },
  }
}

/** Requests of workers have an ID without a dot, and their end is not reported in this session. */
function mayBringText(requestId: string, type: unknown): boolean {
  return TEXT_REQUEST_TYPES.has(String(type)) && requestId.includes('.')
}

function requestKey({ method, url }: JsonObject): string {
  return `${String(method)} ${String(url).replace(/[?#].*$/s, '')}`
}

function originOf(url: string): string {
  return tryParseUrl(url)?.origin ?? ''
}

function toDocumentResponse({ url, status, headers, mimeType }: JsonObject): DocumentResponse {
  const findHeader = (name: string): string | undefined => {
    const found = isJsonObject(headers)
      ? Object.entries(headers).find(([key]) => key.toLowerCase() === name)
      : undefined
    return found && String(found[1])
  }
  return {
    url: String(url),
    status: typeof status === 'number' ? status : 0,
    contentType: findHeader('content-type') ?? String(mimeType),
    proxyError: /^scorpiox-code; error=(\w+)/.exec(findHeader('proxy-status') ?? '')?.[1] ?? '',
  }
}
