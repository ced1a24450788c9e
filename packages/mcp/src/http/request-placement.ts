// The interface by which a program spreads users over several machines: which machine serves a request is decided after
// its authentication. Implemented by the program (machine-placement.ts of the app); called by router.ts and upgrade.ts.
// Types only.

import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'

import type { Refusal } from './host-policy.js'
import type { HttpExchange } from './http-exchange.js'

export interface RequestPlacement {
  /**
   * Checks whether another machine has forwarded the request. Undefined for one of a client. A refusal for one that was
   * meant for another machine.
   */
  readForwarded(request: IncomingMessage): ForwardedRequest | Refusal | undefined
  /** Calls `serve` if the request of an authenticated user is served here; otherwise answers it. */
  place(exchange: HttpExchange, serve: () => void): void
  /** Whether an upgrade of an authenticated user is served here; otherwise it has taken over the socket. */
  placeUpgrade(exchange: HttpExchange, socket: Duplex, head: Buffer): Promise<boolean>
  /** Asked again before each piece of work: why nothing may be started for this user any more. */
  refuseWork(user: string): Refusal | undefined
  /** Undefined if ready; otherwise why not, in one word. */
  findUnreadiness(): string | undefined
}

export interface ForwardedRequest {
  /** The address of the client, as the first machine has seen it. */
  readonly clientAddress: string
  /** The machine that the client has reached. */
  readonly sender: string
}
