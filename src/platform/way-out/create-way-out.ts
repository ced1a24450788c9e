// The way out, put together.

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
  /** Of a name; as the system does it, unless told. */
  readonly resolve?: Resolve
  /** To one of the addresses that were judged; as the system does it, unless told. */
  readonly dial?: Dial
  /** A certificate to believe in beside those of the system. */
  readonly trust?: string
}

export function createWayOut(input: WayOutInput): WayOut {
  const { allow, proxies, warn, resolve = systemResolve(), dial = dialFirst, trust } = input
  const allowed = readAllowList(allow)
  for (const complaint of allowed.complaints) warn(complaint)
  const closing = new AbortController()
  // Many may be under way at once; that is no leak.
  setMaxListeners(0, closing.signal)
  const guard = createGuard(allowed, resolve)
  const roads = createRoads({ guard, resolve, dial, proxies, trust, closing: closing.signal })
  const exchange = createExchange(roads, { keepAlive: true })
  let proxy: Promise<OpenProxy> | undefined
  const openProxy = async (): Promise<OpenProxy> => {
    const { openCheckingProxy } = await import('./checking-proxy.js')
    closing.signal.throwIfAborted()
    return openCheckingProxy(roads, createExchange(roads, { keepAlive: false }))
  }
  return {
    fetch: (url, errand = {}) =>
      withDeadline(errand, closing.signal, (signal) => travel(url, errand, { guard, exchange, signal })),
    async proxy() {
      closing.signal.throwIfAborted()
      // One that could not be opened is tried again by the next who needs it.
      return (proxy ??= openProxy().catch((error: unknown) => {
        proxy = undefined
        throw error
      }))
    },
    async close() {
      closing.abort(new FetchFailure('aborted', 'the server is stopping.'))
      exchange.close()
      const opened = await proxy?.catch(() => undefined)
      await opened?.close()
    },
  }
}
