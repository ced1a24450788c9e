// Counts what this machine has in progress: calls that it serves, by user, and requests that it has forwarded. Watches
// the leases of the machines that have forwarded requests, so that none waits for a machine that is gone. Created by
// machine-placement.ts; read by drain-machine.ts. Reads the database on a timer while something is forwarded.

import type { Duplex } from 'node:stream'

import type { HttpExchange } from '@scorpiox/mcp/http/http-exchange'
import type { Membership } from '@scorpiox/server/machines/membership'
import type { ForwardOutcome, RunningForward } from './forward-request.js'

const WATCH_MS = 500

interface Tunnel {
  /** The machine that serves it. */
  readonly incarnation: string
  readonly forward: RunningForward
}

export class InFlight {
  readonly #calls = new Map<string, number>()
  readonly #forwards = new Map<string, Set<RunningForward>>()
  /** WebSockets, with the machine that serves each. */
  readonly #tunnels = new Map<Duplex, Tunnel>()
  #timer: NodeJS.Timeout | undefined

  constructor(private readonly membership: Membership) {}

  /** Counts a call of its user until its response is closed. */
  countCall({ user, response }: HttpExchange): void {
    this.#calls.set(user, this.callsOf(user) + 1)
    response.once('close', () => {
      const left = this.callsOf(user) - 1
      if (left > 0) this.#calls.set(user, left)
      else this.#calls.delete(user)
    })
  }

  callsOf(user: string): number {
    return this.#calls.get(user) ?? 0
  }

  /** Counts a WebSocket that another machine serves, and closes it if the lease of that machine ends. */
  countTunnel(socket: Duplex, tunnel: Tunnel): void {
    if (socket.destroyed) return
    this.#tunnels.set(socket, tunnel)
    socket.once('close', () => this.#tunnels.delete(socket))
    this.#schedule()
  }

  get calls(): number {
    return [...this.#calls.values()].reduce((sum, count) => sum + count, 0)
  }

  get forwards(): number {
    return [...this.#forwards.values()].reduce((sum, { size }) => sum + size, 0)
  }

  get tunnels(): number {
    return this.#tunnels.size
  }

  /** Ends what would go on without end: the client opens it again on another machine. */
  endStandingForwards(): void {
    for (const running of this.#forwards.values()) {
      for (const forward of running) if (forward.isStanding) forward.abandon()
    }
  }

  /** Abandons the forward if the lease of that machine ends before it does. */
  async watch(incarnation: string, forward: RunningForward): Promise<ForwardOutcome> {
    const running = this.#forwards.get(incarnation) ?? new Set()
    this.#forwards.set(incarnation, running.add(forward))
    this.#schedule()
    try {
      return await forward.outcome
    } finally {
      running.delete(forward)
      if (running.size === 0) this.#forwards.delete(incarnation)
    }
  }

  close(): void {
    clearTimeout(this.#timer)
    for (const running of this.#forwards.values()) for (const forward of running) forward.abandon()
    for (const socket of this.#tunnels.keys()) socket.destroy()
  }

  #schedule(): void {
    this.#timer ??= setTimeout(() => void this.#look(), WATCH_MS).unref()
  }

  async #look(): Promise<void> {
    const watched = [
      ...new Set([...this.#forwards.keys(), ...Array.from(this.#tunnels.values(), (tunnel) => tunnel.incarnation)]),
    ]
    try {
      const live = watched.length === 0 ? new Set<string>() : await this.membership.findLive(watched)
      for (const incarnation of watched.filter((name) => !live.has(name))) {
        for (const forward of this.#forwards.get(incarnation) ?? []) forward.abandon()
        for (const tunnel of this.#tunnels.values()) if (tunnel.incarnation === incarnation) tunnel.forward.abandon()
      }
    } catch {
      // Without the database nothing is known about them.
    }
    this.#timer = undefined
    if (this.#forwards.size + this.#tunnels.size > 0) this.#schedule()
  }
}
