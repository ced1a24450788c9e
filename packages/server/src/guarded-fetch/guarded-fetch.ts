// Guarded access to the web, for all URLs that a model can choose (documents, search, browser). A name is resolved
// once, and the address to connect to is checked: private, local and cloud metadata addresses are refused unless
// `FETCH_ALLOW` lists that host:port. Every redirect is checked again. Clients that cannot use `fetch`, such as a
// browser, use `proxy`. Created by services.ts and `search` of the app. Opens sockets.

import { setMaxListeners } from 'node:events'

import type { Log } from '@scorpiox/mcp/log'
import type { Config } from '../config/load-config.js'
import { createLazyResource, createTimeoutSignal } from '../async/timeouts.js'
import { createAddressPolicy, parseAllowList } from './address-policy.js'
import { type ConnectTcp, connectToFirst } from './connect-tcp.js'
import { createConnector } from './connector.js'
import { FetchFailure } from './fetch-failure.js'
import { fetchFollowingRedirects } from './follow-redirects.js'
import { createHttpClient } from './http-client.js'
import { createHostResolver, type ResolveHost } from './resolve-host.js'
import type { ProxySettings } from './upstream-proxy.js'

export interface GuardedFetch {
  /** Any status is a response. Everything else that goes wrong is a FetchFailure. */
  readonly fetch: (url: URL | string, request?: FetchRequest) => Promise<FetchResponse>
  /** A loopback proxy that allows the same destinations as `fetch`; opened by the first call and shared. */
  proxy(): Promise<CheckingProxy>
  close(): Promise<void>
}

export interface FetchRequest {
  readonly method?: 'GET' | 'POST' | 'HEAD'
  /** Cookies and credentials are not sent to another origin. */
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
  /** For the whole request, including redirects and the body. */
  readonly timeoutMs?: number
  /** Of the body after decompression. */
  readonly maxBytes?: number
  readonly maxRedirects?: number
  /** Whether a body that is too large, too slow or cut off may be returned as far as it arrived. */
  readonly acceptsPartial?: boolean
  readonly signal?: AbortSignal
}

export interface FetchResponse {
  /** The URL after redirects. */
  readonly url: string
  /** The URLs that redirected, in order. */
  readonly redirects: readonly string[]
  readonly status: number
  readonly headers: Headers
  /** After decompression. */
  readonly bytes: Buffer
  /** With `acceptsPartial`: why the body is not complete. */
  readonly truncatedBy?: 'size' | 'time' | 'broken'
}

export interface CheckingProxy {
  readonly host: string
  readonly port: number
  /** The latest refusals, which explain why a page stayed empty. */
  readonly refused: readonly string[]
}

const TIMEOUT_MS = 30_000

/**
 * Aborts work at its deadline, when its caller cancels it, or when the service closes. The reason of the signal says
 * which.
 */
async function withFetchDeadline<T>(
  { timeoutMs = TIMEOUT_MS, signal }: FetchRequest,
  closing: AbortSignal,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const limit = createTimeoutSignal(timeoutMs, [signal, closing], (aborted) => {
    if (!aborted) return new FetchFailure('timeout', `there was no complete response within ${timeoutMs} ms.`)
    return aborted === closing ? closing.reason : new FetchFailure('aborted', 'the request was cancelled.')
  })
  try {
    return await work(limit.signal)
  } finally {
    limit.clear()
  }
}

export interface GuardedFetchOptions {
  /** FETCH_ALLOW. */
  readonly allow: string
  readonly proxies: ProxySettings
  readonly warn: (about: string) => void
  /** Resolves a name; by default with the system resolver. */
  readonly resolveHost?: ResolveHost
  /** Connects to one of the checked addresses; by default over TCP. */
  readonly connectTcp?: ConnectTcp
  /** A CA certificate to trust besides those of the system. */
  readonly extraCa?: string
}

/** Creates the guarded fetch from its parts. */
export function createGuardedFetch(input: GuardedFetchOptions): GuardedFetch {
  const { allow, proxies, warn, resolveHost = createHostResolver(), connectTcp = connectToFirst, extraCa } = input
  const allowed = parseAllowList(allow)
  for (const warning of allowed.warnings) warn(warning)
  const closeController = new AbortController()
  // Many requests may run at once; that is not a leak.
  setMaxListeners(0, closeController.signal)
  const addressPolicy = createAddressPolicy(allowed, resolveHost)
  const connector = createConnector({
    addressPolicy,
    resolveHost,
    connectTcp,
    proxies,
    extraCa,
    closing: closeController.signal,
  })
  const httpClient = createHttpClient(connector, { keepAlive: true })
  const proxy = createLazyResource(async () => {
    const { openCheckingProxy } = await import('./checking-proxy.js')
    closeController.signal.throwIfAborted()
    return openCheckingProxy(connector, createHttpClient(connector, { keepAlive: false }))
  })
  return {
    fetch: (url, request = {}) =>
      withFetchDeadline(request, closeController.signal, (signal) =>
        fetchFollowingRedirects(url, request, { addressPolicy, httpClient, signal }),
      ),
    async proxy() {
      closeController.signal.throwIfAborted()
      return proxy.open()
    },
    async close() {
      closeController.abort(new FetchFailure('aborted', 'the server is stopping.'))
      httpClient.close()
      await (await proxy.current())?.close()
    },
  }
}

/** Creates the guarded fetch from the settings and the environment. */
export function openGuardedFetch({ settings, proxies }: Config, log: Log): GuardedFetch {
  const { FETCH_ALLOW: allow, FETCH_PROXY: override } = settings
  return createGuardedFetch({ allow, proxies: { override, ...proxies }, warn: (message) => log.warn(message) })
}
