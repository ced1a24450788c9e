// The lease of a machine: a row that is renewed on a timer, through a connection reserved for it. The machine stops
// serving by its monotonic clock before the lease ends by the database's clock. Opened by membership.ts. Writes the
// database on a timer until it is closed.

import { randomBytes } from 'node:crypto'

import { errorMessage } from '@scorpiox/mcp/errors'
import type { Log } from '@scorpiox/mcp/log'
import type { Database, Sql } from '../storage/database.js'
import {
  deleteOldMachines,
  insertMachine,
  leave,
  type MachineIdentity,
  renewMachine,
  type Renewal,
  selectDraining,
  startDraining,
} from './machine-table.js'

/** Renewals in one lease. */
const RENEWALS = 5
/** The part of the lease after which nothing is served without a renewal, as the clocks may differ in speed. */
const SERVING_PART = 0.8
const RETRY_MS = 250
/** How long a start waits for a database that is just failing over. */
const START_ATTEMPTS = 60

export interface LeaseOptions {
  /** Through the reserved connection. */
  readonly database: Pick<Database, 'write'>
  readonly machine: Omit<MachineIdentity, 'incarnation' | 'key'>
  readonly leaseMs: number
  readonly log: Log
  /** A monotonic clock in milliseconds. */
  readonly now?: () => number
  readonly onFenced: () => void
  readonly onRestored: () => void
  /** Called before the machine registers again. */
  readonly onLost: (incarnation: string) => void
  readonly onDraining: () => void
  /** The lease holds for this long. */
  readonly onRenewed: (ms: number) => void
  /** Called after each renewal with the machines that drain, this one included. */
  readonly onDrainingMachines: (incarnations: readonly string[]) => void
}

export interface MachineLease {
  readonly incarnation: string
  readonly key: string
  readonly isDraining: boolean
  /** Whether the last renewal failed. */
  readonly isDatabaseAway: boolean
  isServing(): boolean
  /**
   * Whether this machine may take others for dead: not after a time without the database, when they had no chance to
   * renew their leases either.
   */
  mayJudgeOthers(): boolean
  databaseTime(): number
  drain(): Promise<void>
  /** Stops renewing and leaves. */
  close(): Promise<void>
}

export async function openLease(options: LeaseOptions): Promise<MachineLease> {
  const lease = new RenewedLease(options)
  await lease.register()
  return lease
}

class RenewedLease implements MachineLease {
  incarnation = ''
  key = ''
  isDraining = false
  isDatabaseAway = false
  readonly #now: () => number
  #servesUntil = 0
  #judgesFrom = 0
  #isFenced = false
  #isClosed = false
  #timer: NodeJS.Timeout | undefined
  #fenceTimer: NodeJS.Timeout | undefined
  #renewing: Promise<void> | undefined
  #lastRenewal = { databaseTime: 0, at: 0 }

  constructor(private readonly options: LeaseOptions) {
    this.#now = options.now ?? (() => performance.now())
  }

  isServing(): boolean {
    return this.#now() < this.#servesUntil
  }

  mayJudgeOthers(): boolean {
    return this.isServing() && this.#now() >= this.#judgesFrom
  }

  databaseTime(): number {
    return this.#lastRenewal.databaseTime + this.#now() - this.#lastRenewal.at
  }

  async drain(): Promise<void> {
    this.#startDraining()
    await this.#write('drain', (sql) => startDraining(sql, this.incarnation))
  }

  async close(): Promise<void> {
    this.#isClosed = true
    this.#servesUntil = 0
    clearTimeout(this.#timer)
    clearTimeout(this.#fenceTimer)
    await this.#renewing
    await this.#write('leave', (sql) => leave(sql, this.incarnation))
  }

  async register(): Promise<void> {
    for (let attempt = 1; ; attempt++) {
      try {
        await this.#insert()
        break
      } catch (error) {
        if (attempt === START_ATTEMPTS) throw error
        if (attempt === 1) this.options.log.warn(`cannot register this machine yet: ${errorMessage(error)}`)
        await new Promise((resolve) => setTimeout(resolve, RETRY_MS))
      }
    }
    this.#schedule(this.options.leaseMs / RENEWALS)
  }

  async #insert(): Promise<void> {
    const { machine, leaseMs } = this.options
    const incarnation = randomBytes(16).toString('hex')
    const key = randomBytes(32).toString('base64url')
    const sentAt = this.#now()
    const renewal = await this.#write('register', async (sql) => {
      await deleteOldMachines(sql)
      return insertMachine(sql, { ...machine, incarnation, key }, leaseMs)
    })
    if (!renewal) throw new Error('the row of this machine was not inserted')
    this.incarnation = incarnation
    this.key = key
    this.#extend(sentAt, renewal)
    // A machine that drains goes on doing so under its new name.
    if (this.isDraining) await this.drain()
  }

  #schedule(ms: number): void {
    if (this.#isClosed) return
    this.#timer = setTimeout(() => void (this.#renewing = this.#renew()), ms).unref()
  }

  async #renew(): Promise<void> {
    const { leaseMs, log } = this.options
    const startedAt = this.#now()
    try {
      await this.#renewOrRegister(startedAt)
      this.isDatabaseAway = false
      const elapsed = this.#now() - startedAt
      this.#schedule(Math.max(RETRY_MS, leaseMs / RENEWALS - elapsed))
    } catch (error) {
      this.isDatabaseAway = true
      if (!this.#isFenced) log.warn(`cannot renew the lease of this machine: ${errorMessage(error)}`)
      this.#checkFence()
      this.#schedule(RETRY_MS)
    }
  }

  async #renewOrRegister(sentAt: number): Promise<void> {
    const { leaseMs, log, onLost, onDrainingMachines } = this.options
    const { renewal, draining } = await this.#write('renew', async (sql) => ({
      renewal: await renewMachine(sql, this.incarnation, leaseMs),
      draining: await selectDraining(sql),
    }))
    if (this.#isClosed) return
    if (renewal) {
      this.#extend(sentAt, renewal)
      return onDrainingMachines(draining)
    }
    log.warn(
      'the lease of this machine expired and the machine was marked as lost; it registers again without workspaces',
    )
    this.#servesUntil = 0
    onLost(this.incarnation)
    await this.#insert()
  }

  /** Counted from before the renewal was sent: the database's lease cannot end earlier. */
  #extend(sentAt: number, { now, isDraining }: Renewal): void {
    const { leaseMs, onRestored, onRenewed } = this.options
    const receivedAt = this.#now()
    this.#lastRenewal = { databaseTime: now, at: (sentAt + receivedAt) / 2 }
    this.#checkFence()
    this.#servesUntil = sentAt + leaseMs * SERVING_PART
    clearTimeout(this.#fenceTimer)
    this.#fenceTimer = setTimeout(() => this.#checkFence(), this.#servesUntil - receivedAt + 1).unref()
    if (this.#isFenced && this.isServing()) {
      this.#isFenced = false
      this.#judgesFrom = receivedAt + leaseMs / 2
      onRestored()
    }
    onRenewed(sentAt + leaseMs - receivedAt)
    if (isDraining) this.#startDraining()
  }

  #checkFence(): void {
    if (this.#servesUntil === 0 || this.isServing() || this.#isFenced || this.#isClosed) return
    this.#isFenced = true
    this.options.log.warn('the lease of this machine was not renewed in time; requests are refused until it is')
    this.options.onFenced()
  }

  #startDraining(): void {
    if (this.isDraining) return
    this.isDraining = true
    this.options.onDraining()
  }

  #write<T>(key: string, work: (sql: Sql) => Promise<T>): Promise<T> {
    return this.options.database.write(`machine ${key}`, async (sql) => ({ value: await work(sql), commit: true }))
  }
}
