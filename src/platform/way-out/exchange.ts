// One request and the head of its answer. The body is still to be read, and everything about it to be believed.

import {
  request as requestPlain,
  type ClientRequest,
  type IncomingMessage,
  type OutgoingHttpHeaders,
  type RequestOptions,
} from 'node:http'
import { request as requestSecure } from 'node:https'

import { hasCode } from '../../lib/error-code.js'
import { reasonOf } from '../../lib/reason-of.js'
import { FetchFailure } from './fetch-failure.js'
import { RoadAgent, SecureRoadAgent, type Habits } from './road-agent.js'
import type { Roads } from './roads.js'
import type { Upstream } from './upstream.js'
import { destinationOf, printDestination, type Destination } from './web-url.js'

const MAX_HEADER_BYTES = 128 * 1024

export interface Question extends Asking {
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | undefined
}

export interface Asking {
  readonly url: URL
  readonly method: string
  readonly headers: OutgoingHttpHeaders
}

export interface Exchange {
  /** The signal ends the answer's body too. */
  ask(question: Question, signal: AbortSignal): Promise<IncomingMessage>
  /** A request whose body is still to be written. */
  begin(asking: Asking): Promise<ClientRequest>
  close(): void
}

export function createExchange(roads: Roads, habits: Habits): Exchange {
  const plain = new RoadAgent(habits, (destination) => roads.reach(destination, false))
  const secure = new SecureRoadAgent(habits, (destination) => roads.reachSecurely(destination))
  const handedOver = new Map<string, RoadAgent>()

  function agentOf(upstream: Upstream): RoadAgent {
    const key = printDestination(upstream.destination)
    const agent = handedOver.get(key) ?? new RoadAgent(habits, () => roads.reachUpstream(upstream))
    handedOver.set(key, agent)
    return agent
  }

  function send(question: Asking, upstream: Upstream | undefined): ClientRequest {
    const { url } = question
    if (!upstream) {
      const options = optionsFor(question, destinationOf(url))
      const isSecure = url.protocol === 'https:'
      return isSecure ? requestSecure({ ...options, agent: secure }) : requestPlain({ ...options, agent: plain })
    }
    const { authorization, destination } = upstream
    const admission = authorization === '' ? {} : { 'proxy-authorization': authorization }
    return requestPlain({
      ...optionsFor(question, destination),
      path: `${url.origin}${url.pathname}${url.search}`,
      headers: { ...question.headers, ...admission, host: url.host },
      agent: agentOf(upstream),
    })
  }

  async function ask(question: Question, signal: AbortSignal, isSecondTry = false): Promise<IncomingMessage> {
    const { url, body } = question
    const isPlain = url.protocol === 'http:'
    const upstream = isPlain ? await unlessAborted(roads.handOver(destinationOf(url)), signal) : undefined
    const request = send(question, upstream)
    try {
      return await headOf(request, body, signal)
    } catch (error) {
      // A connection that was kept open may have been closed at the other end just now.
      const isStale = request.reusedSocket && hasCode(error, 'ECONNRESET', 'EPIPE') && body === undefined
      if (isStale && !isSecondTry && !signal.aborted) return ask(question, signal, true)
      throw explained(error)
    }
  }

  return {
    ask: (question, signal) => ask(question, signal),
    async begin(asking) {
      const upstream = await roads.handOver(destinationOf(asking.url))
      // Whoever has no use for it any more does not listen to why it failed.
      return send(asking, upstream).on('error', () => {})
    },
    close() {
      for (const agent of [plain, secure, ...handedOver.values()]) agent.destroy()
    },
  }
}

function optionsFor({ url, method, headers }: Asking, { host, port }: Destination): RequestOptions {
  return {
    host,
    port,
    method,
    path: `${url.pathname}${url.search}`,
    headers: { ...headers, host: url.host },
    maxHeaderSize: MAX_HEADER_BYTES,
  }
}

/** Where names are looked up, nothing else can be hurried. */
function unlessAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const stop = (): void => reject(signal.reason)
    signal.addEventListener('abort', stop)
    if (signal.aborted) stop()
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop))
  })
}

function headOf(request: ClientRequest, body: string | undefined, signal: AbortSignal): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const stop = (): void => {
      reject(signal.reason)
      request.destroy()
    }
    signal.addEventListener('abort', stop)
    request.once('close', () => {
      signal.removeEventListener('abort', stop)
      reject(new FetchFailure('broken', 'it hung up without an answer.'))
    })
    request.on('error', reject)
    request.once('response', (answer) => resolve(answer.on('error', () => {})))
    if (signal.aborted) stop()
    else request.end(body)
  })
}

function explained(error: unknown): unknown {
  if (error instanceof FetchFailure || !(error instanceof Error)) return error
  return new FetchFailure('broken', brokenBy(error), { cause: error })
}

function brokenBy(error: Error): string {
  if (hasCode(error, 'HPE_HEADER_OVERFLOW')) return `its headers are larger than ${MAX_HEADER_BYTES / 1024} KB.`
  if (hasCode(error, 'ECONNRESET', 'EPIPE')) return 'it hung up without an answer.'
  if ('code' in error && String(error.code).startsWith('HPE_')) return `its answer is not HTTP (${reasonOf(error)}).`
  return `the connection broke (${reasonOf(error)}).`
}
