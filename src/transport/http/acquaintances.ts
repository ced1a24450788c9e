// Who was let in a moment ago over the same connection, saying the very same: such a request is let in without asking
// anew, which would cost more than the rest of its way. A moment only, because a token can be revoked.

import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'

import type { Caller } from './auth.js'

const MOMENT_MS = 250

interface Acquaintance {
  readonly host: string | undefined
  readonly origin: string | undefined
  readonly authorization: string | undefined
  readonly key: string | readonly string[] | undefined
  readonly caller: Caller
  readonly until: number
}

export class Acquaintances {
  readonly #known = new WeakMap<Socket, Acquaintance>()

  /** `keyHeader`: the other header a credential may come in. */
  constructor(private readonly keyHeader: string) {}

  recall({ socket, headers }: IncomingMessage): Caller | undefined {
    const known = this.#known.get(socket)
    if (known === undefined || performance.now() > known.until) return undefined
    const isSame =
      known.host === headers.host &&
      known.origin === headers.origin &&
      known.authorization === headers.authorization &&
      known.key === headers[this.keyHeader]
    return isSame ? known.caller : undefined
  }

  remember({ socket, headers }: IncomingMessage, caller: Caller): void {
    const { host, origin, authorization } = headers
    const until = performance.now() + MOMENT_MS
    this.#known.set(socket, { host, origin, authorization, key: headers[this.keyHeader], caller, until })
  }
}
