// Creates the guarded fetch from its parts.

import { setMaxListeners } from 'node:events'

import { readAllowList } from './allow-list.js'
import type { OpenProxy } from './checking-proxy.js'
import { dialFirst, type Dial } from './dial.js'
import { createExchange } from './exchange.js'
import { FetchFailure } from './fetch-failure.js'
import { createGuard } from './guard.js'
import { createRoads } from './roads.js'
import { systemResolve, type Resolve } from './system-resolve.js'
import { travel } from './travel.js'
import type { ProxySettings } from './upstream.js'
import type { WayOut } from './way-out.js'
import { withDeadline } from './with-deadline.js'

export interface WayOutInput {
  /** FETCH_ALLOW. */
  readonly allow: string
  readonly proxies: ProxySettings
  readonly warn: (about: string) => void
  /** Resolves a name; by default with the system resolver. */
  readonly resolve?: Resolve
  /** Connects to one of the checked addresses; by default over TCP. */
  readonly dial?: Dial
  /** A CA certificate to trust besides those of the system. */
  readonly trust?: string
}

export function createWayOut(input: WayOutInput): WayOut {
  const {
    allow,
    proxies,
    warn,
    resolve: resolveHost = systemResolve(),
    dial: connectTcp = dialFirst,
    trust: extraCa,
  } = input
  const allowed = readAllowList(allow)
  for (const warning of allowed.complaints) warn(warning)
  const closeController = new AbortController()
  // Many requests may run at once; that is not a leak.
  setMaxListeners(0, closeController.signal)
  const addressPolicy = createGuard(allowed, resolveHost)
  const connector = createRoads({
    guard: addressPolicy,
    resolve: resolveHost,
    dial: connectTcp,
    proxies,
    trust: extraCa,
    closing: closeController.signal,
  })
  const httpClient = createExchange(connector, { keepAlive: true })
  let proxy: Promise<OpenProxy> | undefined
  const openProxy = async (): Promise<OpenProxy> => {
    const { openCheckingProxy } = await import('./checking-proxy.js')
    closeController.signal.throwIfAborted()
    return openCheckingProxy(connector, createExchange(connector, { keepAlive: false }))
  }
  return {
    fetch: (url, request = {}) =>
      withDeadline(request, closeController.signal, (signal) =>
        travel(url, request, { guard: addressPolicy, exchange: httpClient, signal }),
      ),
    async proxy() {
      closeController.signal.throwIfAborted()
      // If opening fails, the next call tries again.
      return (proxy ??= openProxy().catch((error: unknown) => {
        proxy = undefined
        throw error
      }))
    },
    async close() {
      closeController.abort(new FetchFailure('aborted', 'the server is stopping.'))
      httpClient.close()
      const openedProxy = await proxy?.catch(() => undefined)
      await openedProxy?.close()
    },
  }
}
