// Answers a request by the handler of a route: makes a web-standard Request of it, whose body is limited, and writes the
// Response, as a stream at the speed of the client. Used by custom-routes.ts. Writes the HTTP response.

import type { IncomingMessage } from 'node:http'

import { Failure } from '../errors.js'
import { dropSlowReader } from './connections.js'
import type { Refusal } from './host-policy.js'
import type { HttpContext } from './http-context.js'
import type { HttpExchange } from './http-exchange.js'
import type { HttpRoute } from './http-options.js'
import type { MemoryHold } from './rate-limits.js'
import { describeTooLarge, exceedsContentLength, TOO_MUCH_MEMORY } from './read-body.js'
import { refuseBody, requestPath } from './router.js'

/** Headers of one connection, which Node.js sets itself. */
const CONNECTION_HEADERS: ReadonlySet<string> = new Set(['connection', 'keep-alive', 'transfer-encoding', 'upgrade'])
const INTERNAL_FAILURE: Refusal = { status: 500, reason: "Internal error; see the server's log" }

/** `running`: the requests in progress, which are aborted when the server stops. */
export function answerRoute(
  context: HttpContext,
  exchange: HttpExchange,
  route: HttpRoute<unknown>,
  running: Set<AbortController>,
): void {
  const { request, response } = exchange
  const { maxBodyBytes = context.maxBodyBytes } = route
  if (exceedsContentLength(request, maxBodyBytes)) return refuseBody(exchange, describeTooLarge(maxBodyBytes))
  const controller = new AbortController()
  running.add(controller)
  response.on('close', () => {
    running.delete(controller)
    controller.abort(new Error('the client disconnected'))
    exchange.clientClosed()
  })
  exchange.memory = context.rateLimits.holdMemory(exchange.user)
  const body = new LimitedBody(exchange, maxBodyBytes, exchange.memory)
  handle(exchange, route, body, controller.signal).catch((error: unknown) => {
    const isClosed = response.destroyed
    if (!isClosed && !body.refusal) context.server.logError(error)
    if (response.headersSent) response.destroy()
    else if (body.refusal) refuseBody(exchange, body.refusal)
    else exchange.refuse(INTERNAL_FAILURE, 'error')
  })
}

async function handle(
  exchange: HttpExchange,
  route: HttpRoute<unknown>,
  body: LimitedBody,
  signal: AbortSignal,
): Promise<void> {
  const { request, response } = exchange
  const url = new URL(request.url ?? '', `http://${request.headers.host}`)
  // The handler must not see another path than the one that was found.
  if (url.pathname !== requestPath(request)) return exchange.refuse({ status: 404, reason: 'No such path' }, 'path')
  if (request.headers.expect !== undefined) response.writeContinue()
  const { principal, auth } = exchange
  const answer = await route.handle(createRequest(request, url, body, signal), { user: principal?.user, auth })
  if (!isResponse(answer)) throw new TypeError(`the handler of ${route.method} ${route.path} must return a Response`)
  if (response.destroyed) await answer.body?.cancel()
  else await send(exchange, answer, signal)
}

/** Not by its class: other implementations have their own. */
function isResponse(answer: unknown): boolean {
  return typeof answer === 'object' && answer !== null && 'status' in answer && 'headers' in answer
}

function createRequest(request: IncomingMessage, url: URL, body: LimitedBody, signal: AbortSignal): Request {
  const { method = 'GET' } = request
  const headers = new Headers()
  for (const [name, value = ''] of Object.entries(request.headers)) {
    for (const one of Array.isArray(value) ? value : [value]) headers.append(name, one)
  }
  const hasBody = method !== 'GET' && method !== 'HEAD' && isBodyAnnounced(request)
  return new Request(url, { method, headers, signal, ...(hasBody && { body: body.toStream(), duplex: 'half' }) })
}

function isBodyAnnounced({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0
}

/** The body of a request, read as the handler reads it, up to a limit. */
class LimitedBody {
  /** Set if the body was more than is allowed. */
  refusal: Refusal | undefined

  constructor(
    private readonly exchange: HttpExchange,
    private readonly maxBytes: number,
    private readonly memory: MemoryHold,
  ) {}

  toStream(): ReadableStream<Uint8Array> {
    const chunks = this.#read()
    return new ReadableStream<Uint8Array>({
      async pull(controller) {
        const { done, value } = await chunks.next()
        if (done) controller.close()
        else controller.enqueue(value)
      },
      async cancel() {
        await chunks.return(undefined)
      },
    })
  }

  async *#read(): AsyncGenerator<Uint8Array, undefined> {
    let size = 0
    // The connection is needed for the answer.
    for await (const chunk of this.exchange.request.iterator({ destroyOnReturn: false })) {
      if (!(chunk instanceof Uint8Array)) continue
      size += chunk.length
      if (size > this.maxBytes) this.refusal = describeTooLarge(this.maxBytes)
      else if (!this.memory.add(chunk.length)) this.refusal = TOO_MUCH_MEMORY
      if (this.refusal) throw new Failure(this.refusal.reason)
      yield chunk
    }
    this.exchange.bytesIn = size
    return undefined
  }
}

async function send(exchange: HttpExchange, { status, headers, body }: Response, signal: AbortSignal): Promise<void> {
  const response = exchange.startResponse(status, toNodeHeaders(headers, exchange.headers.vary))
  if (!body || exchange.request.method === 'HEAD') {
    await body?.cancel()
    return void response.end()
  }
  const reader = body.getReader()
  // Also if the handler does not listen: a stream that never ends must not delay the end of the server.
  signal.addEventListener('abort', () => void reader.cancel().catch(() => undefined))
  response.flushHeaders()
  for (;;) {
    const { done, value } = await reader.read()
    if (done) return void response.end()
    if (response.destroyed) return reader.cancel()
    if (!response.write(value)) await new Promise<void>((resolve) => dropSlowReader(response, resolve))
  }
}

/** `ownVary`: what the answer depends on besides, because of CORS. */
function toNodeHeaders(headers: Headers, ownVary = ''): Readonly<Record<string, string | readonly string[]>> {
  const entries = [...headers]
    .filter(([name]) => !CONNECTION_HEADERS.has(name) && name !== 'set-cookie')
    .map(([name, value]) => [name, name === 'vary' && ownVary !== '' ? `${value}, ${ownVary}` : value])
  const cookies = headers.getSetCookie()
  return { ...Object.fromEntries(entries), ...(cookies.length > 0 && { 'set-cookie': cookies }) }
}
