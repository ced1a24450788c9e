// Stores the authenticated caller of a connection for 250 ms, valid while Host, Origin and credentials are unchanged,
// because authentication costs more than the rest of a request. Short, because tokens can be revoked. Plain get and
// set: router.ts stores successful results only, and creates no cache for a custom `authenticate`. In memory only.

import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'

import type { Principal } from './authenticator.js'

const CACHE_MS = 250

interface CachedPrincipal {
  readonly host: string | undefined
  readonly origin: string | undefined
  readonly authorization: string | undefined
  readonly key: string | readonly string[] | undefined
  readonly caller: Principal
  readonly expiresAt: number
}

export class ConnectionAuthCache {
  readonly #entries = new WeakMap<Socket, CachedPrincipal>()

  /** `keyHeader`: the header besides Authorization that may contain a credential. */
  constructor(private readonly keyHeader: string) {}

  get({ socket, headers }: IncomingMessage): Principal | undefined {
    const entry = this.#entries.get(socket)
    if (entry === undefined || performance.now() > entry.expiresAt) return undefined
    const isSame =
      entry.host === headers.host &&
      entry.origin === headers.origin &&
      entry.authorization === headers.authorization &&
      entry.key === headers[this.keyHeader]
    return isSame ? entry.caller : undefined
  }

  set({ socket, headers }: IncomingMessage, caller: Principal): void {
    const { host, origin, authorization } = headers
    const expiresAt = performance.now() + CACHE_MS
    this.#entries.set(socket, { host, origin, authorization, key: headers[this.keyHeader], caller, expiresAt })
  }
}
