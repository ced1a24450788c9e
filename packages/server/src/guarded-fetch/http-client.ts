// Sends one request over a checked connection and waits for the head of the response; the body is read by the caller.
// Used by follow-redirects.ts and by the checking proxy. The agents of Node.js get their connections from connector.ts.

import {
  Agent,
  type AgentOptions,
  type ClientRequest,
  type ClientRequestArgs,
  type IncomingMessage,
  type OutgoingHttpHeaders,
  request as requestPlain,
  type RequestOptions,
} from 'node:http'
import { Agent as SecureAgent, request as requestSecure, type RequestOptions as SecureRequestOptions } from 'node:https'
import { Duplex } from 'node:stream'

import { errorMessage } from '@scorpiox/mcp/errors'
import { hasErrorCode } from '@scorpiox/mcp/os'
import { rejectOnAbort } from '../async/timeouts.js'
import type { Connector } from './connector.js'
import { FetchFailure } from './fetch-failure.js'
import type { UpstreamProxy } from './upstream-proxy.js'
import { type Destination, formatDestination, toDestination } from './web-url.js'

const MAX_HEADER_BYTES = 128 * 1024
const AGENT_LIMITS: AgentOptions = { maxFreeSockets: 4, timeout: 20_000 }

export interface HttpClientRequest extends RequestHead {
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | undefined
}

interface RequestHead {
  readonly url: URL
  readonly method: string
  readonly headers: OutgoingHttpHeaders
}

export interface HttpClient {
  /** The signal also aborts the body of the response. */
  send(request: HttpClientRequest, signal: AbortSignal): Promise<IncomingMessage>
  /** Opens a request whose body the caller writes. */
  openRequest(head: RequestHead): Promise<ClientRequest>
  close(): void
}

export function createHttpClient(connector: Connector, options: KeepAliveOptions): HttpClient {
  const plain = new GuardedAgent(options, (destination) => connector.connect(destination, false))
  const secure = new GuardedTlsAgent(options, (destination) => connector.connectTls(destination))
  const proxyAgents = new Map<string, GuardedAgent>()

  function agentFor(upstreamProxy: UpstreamProxy): GuardedAgent {
    const key = formatDestination(upstreamProxy.destination)
    const agent = proxyAgents.get(key) ?? new GuardedAgent(options, () => connector.connectToProxy(upstreamProxy))
    proxyAgents.set(key, agent)
    return agent
  }

  function openClientRequest(request: RequestHead, upstreamProxy: UpstreamProxy | undefined): ClientRequest {
    const { url } = request
    if (!upstreamProxy) {
      const requestOptions = optionsFor(request, toDestination(url))
      const isSecure = url.protocol === 'https:'
      return isSecure
        ? requestSecure({ ...requestOptions, agent: secure })
        : requestPlain({ ...requestOptions, agent: plain })
    }
    const { authorization, destination } = upstreamProxy
    const proxyAuthHeader = authorization === '' ? {} : { 'proxy-authorization': authorization }
    return requestPlain({
      ...optionsFor(request, destination),
      path: `${url.origin}${url.pathname}${url.search}`,
      headers: { ...request.headers, ...proxyAuthHeader, host: url.host },
      agent: agentFor(upstreamProxy),
    })
  }

  async function send(request: HttpClientRequest, signal: AbortSignal, isRetry = false): Promise<IncomingMessage> {
    const { url, body } = request
    const isPlain = url.protocol === 'http:'
    const upstreamProxy = isPlain ? await rejectOnAbort(connector.selectProxy(toDestination(url)), signal) : undefined
    const clientRequest = openClientRequest(request, upstreamProxy)
    try {
      return await waitForHead(clientRequest, body, signal)
    } catch (error) {
      // The server may have closed a kept-alive connection just now.
      const isStale = clientRequest.reusedSocket && hasErrorCode(error, 'ECONNRESET', 'EPIPE') && body === undefined
      if (isStale && !isRetry && !signal.aborted) return send(request, signal, true)
      throw toFetchFailure(error)
    }
  }

  return {
    send: (request, signal) => send(request, signal),
    async openRequest(head) {
      const upstreamProxy = await connector.selectProxy(toDestination(head.url))
      // The error is ignored if the caller does not need the request any more.
      return openClientRequest(head, upstreamProxy).on('error', () => {})
    },
    close() {
      for (const agent of [plain, secure, ...proxyAgents.values()]) agent.destroy()
    },
  }
}

function optionsFor({ url, method, headers }: RequestHead, { host, port }: Destination): RequestOptions {
  return {
    host,
    port,
    method,
    path: `${url.pathname}${url.search}`,
    headers: { ...headers, host: url.host },
    maxHeaderSize: MAX_HEADER_BYTES,
  }
}

function waitForHead(request: ClientRequest, body: string | undefined, signal: AbortSignal): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const stop = (): void => {
      reject(signal.reason)
      request.destroy()
    }
    signal.addEventListener('abort', stop)
    request.once('close', () => {
      signal.removeEventListener('abort', stop)
      reject(new FetchFailure('broken', 'it closed the connection without a response.'))
    })
    request.on('error', reject)
    request.once('response', (response) => resolve(response.on('error', () => {})))
    if (signal.aborted) stop()
    else request.end(body)
  })
}

function toFetchFailure(error: unknown): unknown {
  if (error instanceof FetchFailure || !(error instanceof Error)) return error
  return new FetchFailure('broken', describeBrokenConnection(error), { cause: error })
}

function describeBrokenConnection(error: Error): string {
  if (hasErrorCode(error, 'HPE_HEADER_OVERFLOW')) return `its headers are larger than ${MAX_HEADER_BYTES / 1024} KB.`
  if (hasErrorCode(error, 'ECONNRESET', 'EPIPE')) return 'it closed the connection without a response.'
  if ('code' in error && String(error.code).startsWith('HPE_'))
    return `its response is not HTTP (${errorMessage(error)}).`
  return `the connection broke (${errorMessage(error)}).`
}

interface KeepAliveOptions {
  readonly keepAlive: boolean
}

/** Opens the connection that a request to this host and port is sent on. */
type OpenConnection = (destination: Destination) => Promise<Duplex>

type OnOpened = (error: Error | null, stream: Duplex) => void

/** A keep-alive agent over connections of connector.ts: reused only for the host and port they were opened for. */
class GuardedAgent extends Agent {
  constructor(
    options: KeepAliveOptions,
    readonly open: OpenConnection,
  ) {
    super({ ...AGENT_LIMITS, ...options })
  }
  override createConnection(request: ClientRequestArgs, opened?: OnOpened): undefined {
    openAgentConnection(this.open, request, opened)
  }
}

/** The same for TLS. */
class GuardedTlsAgent extends SecureAgent {
  constructor(
    options: KeepAliveOptions,
    readonly open: OpenConnection,
  ) {
    super({ ...AGENT_LIMITS, ...options })
  }
  override createConnection(request: SecureRequestOptions, opened?: OnOpened): undefined {
    openAgentConnection(this.open, request, opened)
  }
}

function openAgentConnection(
  open: OpenConnection,
  { host, port }: ClientRequestArgs,
  opened: OnOpened = () => {},
): void {
  open({ host: host ?? '', port: Number(port) }).then(
    (stream) => opened(null, stream),
    // The stream is ignored if there is an error.
    (error: unknown) => opened(error instanceof Error ? error : new Error(String(error)), new Duplex()),
  )
}
