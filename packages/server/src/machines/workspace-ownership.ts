// Which workspaces this machine owns, and which machine owns the others: claims, releases, a short-lived cache of other
// owners, and the check in every write transaction. Nothing can take a workspace from a machine whose lease is valid,
// so what it owns is not queried again. Used by membership.ts. Reads and writes the database.

import { Failure } from '@scorpiox/mcp/errors'
import type { Database } from '../storage/database.js'
import { scopeKey } from '../storage/scope-table.js'
import type { Scope, WriteFence } from '../storage/scoped-database.js'
import type { MachineLease } from './machine-lease.js'
import { hasEnded } from './machine-table.js'
import type { Claim, MembershipEvent, OtherMachine } from './membership.js'
import { claimWorkspace, findOwner, lockOwner, releaseWorkspace, type WorkspaceClaim } from './workspace-table.js'

/** How long another machine is taken for the owner without asking again. */
export const OTHER_OWNER_MS = 1000
const MAX_OTHER_OWNERS = 10_000

export interface OwnershipOptions {
  readonly database: Database
  readonly lease: () => MachineLease
  readonly files: 'local' | 'shared'
  readonly disk: string
  /** Whether machines serve this project, so that an owner is needed for it. */
  readonly isServed: (project: string) => boolean
  readonly emit: (event: MembershipEvent) => void
  /** What must be written while the workspace is still owned. */
  readonly beforeRelease: (scope: Scope) => Promise<void>
}

interface OwnedWorkspace {
  readonly scope: Scope
  readonly epoch: number
  /** Set while it is given up: nothing new is started, what was begun may still write. */
  released?: Promise<void>
}

export class WorkspaceOwnership {
  readonly #owned = new Map<string, OwnedWorkspace>()
  readonly #otherOwners = new Map<string, { readonly machine: OtherMachine; readonly until: number }>()
  readonly #claiming = new Map<string, Promise<Claim>>()

  constructor(private readonly options: OwnershipOptions) {}

  ownedEpoch(scope: Scope): number | undefined {
    const own = this.options.lease().isServing() ? this.#owned.get(ownKey(scope)) : undefined
    return own?.released ? undefined : own?.epoch
  }

  owned(): readonly Scope[] {
    return Array.from(this.#owned.values(), ({ scope }) => scope)
  }

  /** Callers that ask at the same time share one answer. */
  claim(scope: Scope): Promise<Claim> {
    const key = scopeKey(scope)
    const epoch = this.ownedEpoch(scope)
    if (epoch !== undefined) return Promise.resolve({ kind: 'self', epoch })
    const known = this.#otherOwners.get(key)
    if (known && performance.now() < known.until) return Promise.resolve({ kind: 'other', machine: known.machine })
    const running = this.#claiming.get(key)
    if (running) return running
    const claiming = this.#ask(scope, key).finally(() => this.#claiming.delete(key))
    this.#claiming.set(key, claiming)
    return claiming
  }

  forget(scope: Scope): void {
    this.#otherOwners.delete(scopeKey(scope))
  }

  /** From this call on it is not owned for new work. */
  release(scope: Scope, leavesFiles: boolean): Promise<void> {
    const own = this.#owned.get(ownKey(scope))
    return own ? (own.released ??= this.#giveUp(own, leavesFiles)) : Promise.resolve()
  }

  /** This machine was taken for dead: returns what it had. */
  loseAll(): readonly Scope[] {
    const scopes = this.owned()
    this.#owned.clear()
    this.#otherOwners.clear()
    return scopes
  }

  readonly fence: WriteFence = async (sql, scope) => {
    const { lease, isServed } = this.options
    const { incarnation } = lease()
    const row = await lockOwner(sql, scope)
    if (row) {
      const own = this.#owned.get(ownKey(scope))
      if (row.owner === incarnation && row.epoch === own?.epoch) return
      throw notOwner()
    }
    // Another project, which servers that are no machines use; people answer its questions here too.
    if (isServed(scope.project) || (await hasEnded(sql, incarnation))) throw notOwner()
  }

  async #giveUp(own: OwnedWorkspace, leavesFiles: boolean): Promise<void> {
    const { database, lease, emit, beforeRelease } = this.options
    const { scope } = own
    const { incarnation } = lease()
    try {
      await beforeRelease(scope)
      await database.write(scopeKey(scope), async (sql) => ({
        value: await releaseWorkspace(sql, scope, incarnation, leavesFiles),
        commit: true,
      }))
    } finally {
      if (this.#owned.get(ownKey(scope)) === own) this.#owned.delete(ownKey(scope))
    }
    emit({ kind: 'released', scope })
  }

  async #ask(scope: Scope, key: string): Promise<Claim> {
    const { database, lease, files, disk } = this.options
    await this.#owned.get(ownKey(scope))?.released?.catch(() => undefined)
    const { incarnation } = lease()
    const other = await database.read((sql) => findOwner(sql, scope))
    if (other && other.incarnation !== incarnation) return this.#remember(key, other)
    const claim = await database.write(key, async (sql) => ({
      value: await claimWorkspace(sql, scope, {
        incarnation,
        files,
        disk,
        mayJudgeOthers: lease().mayJudgeOthers(),
      }),
      commit: true,
    }))
    // Taken for dead during the transaction.
    if (lease().incarnation !== incarnation) return { kind: 'refused', reason: LOST_LEASE }
    return this.#use(claim, scope, key)
  }

  #use(claim: WorkspaceClaim, scope: Scope, key: string): Claim {
    if (claim.kind === 'other') return this.#remember(key, claim.machine)
    if (claim.kind === 'none') return { kind: 'refused', reason: LOST_LEASE }
    if (claim.kind === 'silent') return { kind: 'refused', reason: describeSilence(claim.name, claim.since) }
    const { epoch, previous, isNew } = claim
    this.#owned.set(ownKey(scope), { scope, epoch })
    if (isNew) this.options.emit({ kind: 'claimed', scope, epoch, previous })
    return { kind: 'self', epoch }
  }

  #remember(key: string, machine: OtherMachine): Claim {
    const [oldest] = this.#otherOwners.keys()
    if (this.#otherOwners.size >= MAX_OTHER_OWNERS && oldest !== undefined) this.#otherOwners.delete(oldest)
    this.#otherOwners.delete(key)
    this.#otherOwners.set(key, { machine, until: performance.now() + OTHER_OWNER_MS })
    return { kind: 'other', machine }
  }
}

/** Cheaper than the key of the database, because every request asks for it. */
function ownKey({ project, user }: Scope): string {
  return `${project.length} ${project}${user}`
}

const LOST_LEASE =
  'This machine cannot serve requests at the moment, and no other machine is available; nothing was done. Try again later'

function describeSilence(name: string, since: number): string {
  const time = since === 0 ? '' : ` since ${new Date(since).toISOString()}`
  return `The machine ${name} holds your files and has been silent${time}; nothing was done. Try again when it is back, or ask its administrator`
}

function notOwner(): Failure {
  return new Failure('This machine no longer owns the workspace; nothing was written')
}
