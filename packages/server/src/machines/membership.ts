// One of several machines behind a load balancer: its lease, the workspaces it owns (a workspace is one user in one
// project), and the fence of its writes. PostgreSQL decides everything, by its clock. Opened by join-machines.ts of the
// app; used by all that depends on the owner. Reads and writes the database; renews the lease on a timer until it is
// closed.

import type { Log } from '@scorpiox/mcp/log'
import type { Database, ReservingDatabase } from '../storage/database.js'
import type { Scope, WriteFence } from '../storage/scoped-database.js'
import { openLease } from './machine-lease.js'
import { selectLive } from './machine-table.js'
import { WorkspaceOwnership } from './workspace-ownership.js'
import { hasSuccessor } from './workspace-table.js'

export interface Membership {
  /** The connections that everything of this server shares. Stays open until the membership is closed. */
  readonly database: Database
  /** Call it in every transaction that writes data of a workspace. */
  readonly fence: WriteFence
  /** For people; no decision rests on it. */
  readonly name: string
  readonly files: 'local' | 'shared'
  /** Random at each start, and again if this machine was taken for dead. Stands in every row that belongs to it. */
  readonly incarnation: string
  /** Signs requests that are forwarded to this machine. */
  readonly key: string
  readonly isDraining: boolean
  /** Whether the last renewal of the lease failed. */
  readonly isDatabaseAway: boolean
  /** Whether the lease holds. If not, nothing may be started: another machine may own everything already. */
  isServing(): boolean
  /** The epoch of a workspace that this machine owns now; undefined otherwise, or while it is not serving. */
  ownedEpoch(scope: Scope): number | undefined
  /** Finds the owner of a workspace, and becomes it if there is none. Throws a Failure without a database. */
  claim(scope: Scope): Promise<Claim>
  /** Forgets what `claim` has found about other machines, because it was wrong. */
  forget(scope: Scope): void
  /** Lets others claim a workspace that this machine owns. `leavesFiles`: also those that do not have its files. */
  release(scope: Scope, leavesFiles?: boolean): Promise<void>
  /** The workspaces that this machine owns. */
  owned(): readonly Scope[]
  /** The milliseconds of the database's clock, estimated. */
  databaseTime(): number
  /** Those of the given machines whose lease is valid. */
  findLive(incarnations: readonly string[]): Promise<ReadonlySet<string>>
  onEvent(listener: (event: MembershipEvent) => void): () => void
  /** Calls the listener before a workspace is given up: it may still write there. */
  beforeRelease(listener: (scope: Scope) => Promise<void>): void
  /** Stops to claim; others see it. */
  drain(): Promise<void>
  /** Whether another machine would serve what this one gives up. `hasFiles`: only one on the same disk counts. */
  hasSuccessor(hasFiles?: boolean): Promise<boolean>
  /** Gives up all workspaces, leaves, and closes the database. */
  close(): Promise<void>
}

export type MembershipEvent =
  /** The lease could not be renewed in time: nothing is served. What runs may go on, if files are not shared. */
  | { readonly kind: 'fenced' }
  /** The lease holds again, and everything is still owned. */
  | { readonly kind: 'restored' }
  /** It was taken for dead: others may own its workspaces, and it has a new incarnation. */
  | { readonly kind: 'lost'; readonly incarnation: string; readonly scopes: readonly Scope[] }
  /** It is the owner of a workspace now. `previous`: the incarnation that had it, if it did not release it. */
  | { readonly kind: 'claimed'; readonly scope: Scope; readonly epoch: number; readonly previous: string | undefined }
  | { readonly kind: 'released'; readonly scope: Scope }
  | { readonly kind: 'draining' }
  /** The lease was renewed and holds for `ms`, if the next renewal fails. */
  | { readonly kind: 'renewed'; readonly ms: number }
  /** Other machines drain: what they have forwarded without end should be opened again elsewhere. */
  | { readonly kind: 'others draining'; readonly incarnations: ReadonlySet<string> }

export type Claim =
  | { readonly kind: 'self'; readonly epoch: number }
  | { readonly kind: 'other'; readonly machine: OtherMachine }
  /** Nobody may serve it: `reason` says why and what to do. */
  | { readonly kind: 'refused'; readonly reason: string }

export interface OtherMachine {
  readonly incarnation: string
  readonly name: string
  readonly address: string
  /** Signs requests that are forwarded to it. */
  readonly key: string
}

export interface MembershipOptions {
  readonly database: ReservingDatabase
  readonly name: string
  readonly address: string
  readonly version: string
  readonly disk: string
  readonly files: 'local' | 'shared'
  readonly leaseMs: number
  /** Whether machines serve this project, so that an owner is needed for it. */
  readonly isServed: (project: string) => boolean
  readonly log: Log
}

/** Registers the machine. Throws a Failure if the database cannot be reached for a while. */
export async function openMembership(options: MembershipOptions): Promise<Membership> {
  const { database, name, address, version, disk, files, leaseMs, log } = options
  const listeners = new Set<(event: MembershipEvent) => void>()
  const emit = (event: MembershipEvent): void => {
    for (const listener of listeners) listener(event)
  }
  const lastWrites: ((scope: Scope) => Promise<void>)[] = []
  const beforeRelease = async (scope: Scope): Promise<void> => {
    for (const write of lastWrites) await write(scope)
  }
  const workspaces = new WorkspaceOwnership({ ...options, lease: () => lease, emit, beforeRelease })
  const lease = await openLease({
    database: database.reserved,
    machine: { name, address, version, disk },
    leaseMs,
    log,
    onFenced: () => emit({ kind: 'fenced' }),
    onRestored: () => emit({ kind: 'restored' }),
    onLost: (incarnation) => emit({ kind: 'lost', incarnation, scopes: workspaces.loseAll() }),
    onDraining: () => emit({ kind: 'draining' }),
    onRenewed: (ms) => emit({ kind: 'renewed', ms }),
    onDrainingMachines(incarnations) {
      if (incarnations.length > 0) emit({ kind: 'others draining', incarnations: new Set(incarnations) })
    },
  })
  return {
    database,
    fence: workspaces.fence,
    name,
    files,
    get incarnation() {
      return lease.incarnation
    },
    get key() {
      return lease.key
    },
    get isDraining() {
      return lease.isDraining
    },
    get isDatabaseAway() {
      return lease.isDatabaseAway
    },
    isServing: () => lease.isServing(),
    ownedEpoch: (scope) => workspaces.ownedEpoch(scope),
    claim: (scope) => workspaces.claim(scope),
    forget: (scope) => workspaces.forget(scope),
    release: (scope, leavesFiles = false) => workspaces.release(scope, leavesFiles),
    owned: () => workspaces.owned(),
    databaseTime: () => lease.databaseTime(),
    findLive: (incarnations) => database.read((sql) => selectLive(sql, incarnations)),
    onEvent(listener) {
      const own = (event: MembershipEvent): void => listener(event)
      listeners.add(own)
      return () => listeners.delete(own)
    },
    beforeRelease: (listener) => void lastWrites.push(listener),
    drain: () => lease.drain(),
    hasSuccessor: (hasFiles = false) =>
      database.read((sql) => hasSuccessor(sql, lease.incarnation, hasFiles ? disk : undefined)),
    async close() {
      try {
        await lease.close()
      } finally {
        await database.close()
      }
    },
  }
}
