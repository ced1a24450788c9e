// Decides for each request whether this machine serves it or forwards it to the owner of the user's workspace, once and
// only once. A machine that lost its lease serves nothing. Used by join-machines.ts as the placement of the HTTP
// server. Sends requests to other machines; sets timers.

import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'

import { errorMessage } from '@scorpiox/mcp/errors'
import type { Refusal } from '@scorpiox/mcp/http/host-policy'
import type { HttpExchange } from '@scorpiox/mcp/http/http-exchange'
import type { RateLimits } from '@scorpiox/mcp/http/rate-limits'
import { readRequestBody } from '@scorpiox/mcp/http/read-body'
import type { ForwardedRequest, RequestPlacement } from '@scorpiox/mcp/http/request-placement'
import { isJsonObject, tryParseJson } from '@scorpiox/mcp/json/json'
import type { Membership, OtherMachine } from '@scorpiox/server/machines/membership'
import type { Scope } from '@scorpiox/server/storage/scoped-database'
import { createDeferred } from '@scorpiox/server/async/timeouts'
import { forwardToMachine, isStanding, MOVED_HEADER, type RunningForward } from './forward-request.js'
import { checkForwarding, signForwarding } from './forward-signature.js'
import { forwardUpgradeToMachine } from './forward-upgrade.js'
import { InFlight } from './in-flight.js'
import type { PeerClient } from './peer-client.js'
import { UserConnections } from './user-connections.js'

const RETRY_MS = 100

export interface PlacementOptions {
  readonly membership: Membership
  readonly peers: PeerClient
  readonly scopeOf: (user: string) => Scope
  readonly rateLimits: RateLimits
  readonly maxBodyBytes: number
  readonly leaseMs: number
  /** Whether a connection that is opened again may reach the owner, because processes share the port. */
  readonly movesConnections: boolean
}

/** Where a request goes: `here`, to another machine, or nowhere. */
type Place = { readonly kind: 'here' } | { readonly kind: 'other'; readonly machine: OtherMachine } | Refused
interface Refused {
  readonly kind: 'refused'
  readonly refusal: Refusal
}

export class MachinePlacement implements RequestPlacement {
  readonly inFlight: InFlight
  /** Set when the machine stops: nothing more is served here. */
  isClosed = false
  readonly #senders = new WeakMap<IncomingMessage, string>()
  readonly #held = new Map<string, Promise<void>>()
  readonly #connections = new UserConnections()

  constructor(private readonly options: PlacementOptions) {
    this.inFlight = new InFlight(options.membership)
  }

  readForwarded(request: IncomingMessage): ForwardedRequest | Refusal | undefined {
    const { membership } = this.options
    const { incarnation, key } = membership
    const check = checkForwarding(request, { incarnation, key, now: membership.databaseTime() })
    if (check.kind === 'misdirected') return MOVED
    if (check.kind === 'ignored') return undefined
    this.#senders.set(request, check.claim.sender)
    return check.claim
  }

  /** The machine that has forwarded a request; undefined for one of a client. */
  senderOf(request: IncomingMessage): string | undefined {
    return this.#senders.get(request)
  }

  /** New calls of this user wait until the workspace was handed over. Returns the end of it. */
  hold(user: string): () => void {
    const held = createDeferred<void>()
    this.#held.set(user, held.promise)
    return () => {
      this.#held.delete(user)
      held.resolve()
    }
  }

  place(exchange: HttpExchange, serve: () => void): void {
    if (this.options.movesConnections) this.#connections.note(exchange)
    const isHeld = exchange.request.method === 'POST' && this.#held.has(exchange.user)
    if (!isHeld && this.#mayServe(exchange.user)) return this.#serve(exchange, serve)
    void this.#placeLater(exchange, serve)
  }

  async placeUpgrade(exchange: HttpExchange, socket: Duplex, head: Buffer): Promise<boolean> {
    if (this.#mayServe(exchange.user)) return true
    let tunnel: Parameters<InFlight['countTunnel']>[1] | undefined
    const start = (machine: OtherMachine): RunningForward => {
      const message = { exchange, socket, head, machine, ...this.#sign(exchange, machine) }
      const forward = forwardUpgradeToMachine(this.options.peers, message)
      tunnel = { incarnation: machine.incarnation, forward }
      return forward
    }
    const place = await this.#run(exchange, () => socket.destroyed, start)
    if (place === 'here') return true
    if (place === 'answered') {
      if (tunnel) this.inFlight.countTunnel(socket, tunnel)
    } else refuseOnSocket(exchange, socket, place)
    return false
  }

  refuseWork(user: string): Refusal | undefined {
    return this.#mayServe(user) ? undefined : MOVED_MEANWHILE
  }

  findUnreadiness(): string | undefined {
    const { membership } = this.options
    if (!membership.isServing()) return 'no lease'
    if (membership.isDraining) return 'draining'
    return membership.isDatabaseAway ? 'no database' : undefined
  }

  #mayServe(user: string): boolean {
    const { membership, scopeOf } = this.options
    return !this.isClosed && membership.ownedEpoch(scopeOf(user)) !== undefined
  }

  #serve(exchange: HttpExchange, serve: () => void): void {
    if (!isStanding(exchange.request)) this.inFlight.countCall(exchange)
    serve()
  }

  async #placeLater(exchange: HttpExchange, serve: () => void): Promise<void> {
    const { response } = exchange
    let body: string | undefined
    const start = (machine: OtherMachine): RunningForward => {
      if (this.options.movesConnections) this.#connections.closeIfOfOneUser(exchange)
      return forwardToMachine(this.options.peers, { exchange, body, machine, ...this.#sign(exchange, machine) })
    }
    const prepare = async (): Promise<boolean> => {
      if (body === undefined && exchange.request.method === 'POST') body = await this.#readBody(exchange)
      return body !== undefined || exchange.request.method !== 'POST'
    }
    if (this.#held.has(exchange.user)) {
      if (!(await prepare())) return
      // An answer to a question of a call in progress is not held: the call waits for it.
      if (isRequest(body)) await this.#held.get(exchange.user)
    }
    const place = await this.#run(exchange, () => response.destroyed, start, prepare)
    if (place === 'here') {
      exchange.receivedBody = body
      if (response.destroyed) exchange.clientClosed()
      else this.#serve(exchange, serve)
    } else if (place !== 'answered') exchange.refuse(place, 'machine')
  }

  /** Looks for the owner until the request is served here, answered or refused. `prepare` may answer it too. */
  async #run(
    exchange: HttpExchange,
    isGone: () => boolean,
    start: (machine: OtherMachine) => RunningForward,
    prepare: () => Promise<boolean> = () => Promise.resolve(true),
  ): Promise<'here' | 'answered' | Refusal> {
    const { membership, scopeOf, leaseMs } = this.options
    // Counted from the first failure: that machine may have kept the request until it had handed the user over.
    let failedAt: number | undefined
    for (;;) {
      const place = await this.#findPlace(exchange)
      exchange.forwardedTo = undefined
      if (place.kind === 'here') return 'here'
      if (place.kind === 'refused') return place.refusal
      if (isGone()) {
        exchange.clientClosed()
        return 'answered'
      }
      if (!(await prepare())) return 'answered'
      exchange.forwardedTo = place.machine.name
      const forward = start(place.machine)
      const outcome = await this.inFlight.watch(place.machine.incarnation, forward)
      if (outcome === 'answered') return 'answered'
      membership.forget(scopeOf(exchange.user))
      failedAt ??= performance.now()
      if (performance.now() - failedAt > leaseMs + 1000) return unreachable(place.machine)
      await new Promise((resolve) => setTimeout(resolve, RETRY_MS))
    }
  }

  async #findPlace(exchange: HttpExchange): Promise<Place> {
    const { membership, scopeOf } = this.options
    if (this.isClosed || !membership.isServing()) {
      return { kind: 'refused', refusal: exchange.forwarded ? MOVED : this.isClosed ? CLOSED : NO_LEASE }
    }
    try {
      const claim = await membership.claim(scopeOf(exchange.user))
      if (claim.kind === 'self') return this.#mayServe(exchange.user) ? { kind: 'here' } : REFUSED_LEASE
      // One hop only: the first machine looks again.
      if (exchange.forwarded) return { kind: 'refused', refusal: MOVED }
      return claim.kind === 'other' ? claim : { kind: 'refused', refusal: unavailable(claim.reason) }
    } catch (error) {
      return { kind: 'refused', refusal: unavailable(`${errorMessage(error)}. Nothing was done`) }
    }
  }

  /** Undefined if the body was refused, or the client has disconnected. */
  #readBody(exchange: HttpExchange): Promise<string | undefined> {
    const { rateLimits, maxBodyBytes: maxBytes } = this.options
    const { request, response } = exchange
    if (request.headers.expect !== undefined) response.writeContinue()
    const memory = rateLimits.holdMemory(exchange.user)
    exchange.memory = memory
    return new Promise((resolve) => {
      readRequestBody(request, { maxBytes, memory, schedule: (work) => work() }, (body, bytes) => {
        exchange.bytesIn = bytes
        if (body === undefined) exchange.clientClosed()
        else if (typeof body !== 'string') exchange.refuse(body, body.status === 400 ? 'body' : 'size')
        resolve(typeof body === 'string' ? body : undefined)
      })
    })
  }

  #sign({ request, remote = '' }: HttpExchange, { incarnation: target, key }: OtherMachine) {
    const { membership } = this.options
    const { method = '', url: path = '' } = request
    const claim = { sender: membership.incarnation, target, clientAddress: remote, method, path }
    return { signature: signForwarding({ ...claim, at: membership.databaseTime() }, key) }
  }
}

/** Whether a body has a request, which starts a call. */
function isRequest(body: string | undefined): boolean {
  const message = body === undefined ? undefined : tryParseJson(body)
  const messages: readonly unknown[] = Array.isArray(message) ? message : [message]
  return messages.some((one) => isJsonObject(one) && one.method !== undefined && one.id !== undefined)
}

const MOVED: Refusal = {
  status: 421,
  reason: 'This machine does not own the workspace of this user; nothing was done',
  headers: { [MOVED_HEADER]: '1' },
}
const MOVED_MEANWHILE: Refusal = {
  status: 503,
  reason: 'This machine does not serve this user any more; nothing was done. Send it again',
  headers: { [MOVED_HEADER]: '1', 'retry-after': '1' },
}
const NO_LEASE = unavailable('This machine cannot reach the database and serves nothing; nothing was done. Try again')
const CLOSED = unavailable('This machine is being stopped and serves nothing more; nothing was done. Try again')
const REFUSED_LEASE: Refused = { kind: 'refused', refusal: NO_LEASE }

function unavailable(reason: string): Refusal {
  return { status: 503, reason, headers: { 'retry-after': '2' } }
}

function unreachable({ name }: OtherMachine): Refusal {
  return unavailable(`The machine ${name}, which serves this user, cannot be reached; nothing was done. Try again`)
}

function refuseOnSocket(exchange: HttpExchange, socket: Duplex, { status, reason, headers = {} }: Refusal): void {
  const body = JSON.stringify({ jsonrpc: '2.0', id: null, error: { code: -32600, message: reason } })
  const lines = Object.entries({ ...headers, 'content-type': 'application/json', connection: 'close' })
  const head = lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')
  exchange.recordAnswer(status, body.length)
  socket.end(`HTTP/1.1 ${status} Refused\r\n${head}content-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`)
}
