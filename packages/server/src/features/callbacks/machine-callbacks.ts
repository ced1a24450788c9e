// Callbacks on one of several machines: the owner of a workspace, and no pid, host name or boot, decides which machine
// fires them, by the clock of the database. Adopts the work of a workspace that this machine claims, drops it when
// another one does, and claims those whose machine is gone. Loaded by callback-service.ts. Reads the database and
// claims on a timer.

import { errorMessage } from '@scorpiox/mcp/errors'
import type { Membership } from '../../machines/membership.js'
import { selectOrphanedUsers } from '../../machines/orphaned-workspaces.js'
import { listSharedSessions } from '../../machines/shared-sessions.js'
import { createSystemClock } from '../../process/clock.js'
import type { CallbackSync, CallbackSyncDeps } from './callback-sync.js'

const SCAN_MS = 2000
/** A workspace whose files are on a machine that is gone is not asked for each time. */
const REFUSED_MS = 30_000
const MAX_REFUSED = 1000

interface MachineCallbacks {
  readonly deps: Pick<
    CallbackSyncDeps,
    'clock' | 'leaseOwner' | 'isOwnerGone' | 'mayAct' | 'findContinued' | 'claimsMessages'
  >
  readonly connect: (sync: CallbackSync) => { close(): void }
}

export function createMachineCallbacks(
  membership: Membership,
  project: string,
  warn: (message: string) => void,
): MachineCallbacks {
  const systemClock = createSystemClock()
  const leaseOwner = JSON.stringify({ machine: membership.name, incarnation: membership.incarnation })
  return {
    deps: {
      // Uptimes of another incarnation are not comparable.
      clock: () => ({ ...systemClock(), wallMs: Math.round(membership.databaseTime()), boot: membership.incarnation }),
      leaseOwner,
      // Only the owner of a workspace writes its leases, so those of others are of earlier owners.
      isOwnerGone: ({ owner }) => owner !== leaseOwner,
      mayAct: () => membership.isServing(),
      claimsMessages: true,
      findContinued: (user) => listSharedSessions(membership, { project, user }),
    },
    connect: (sync) => connectToMembership(membership, project, sync, warn),
  }
}

function connectToMembership(
  membership: Membership,
  project: string,
  sync: CallbackSync,
  warn: (message: string) => void,
): { close(): void } {
  const refusedUntil = new Map<string, number>()
  let scanning = false

  function adopt(user: string): void {
    sync.adopt(user).catch((error: unknown) => warn(`callbacks of another machine: ${errorMessage(error)}`))
  }

  async function claim(user: string): Promise<void> {
    const { kind } = await membership.claim({ project, user })
    if (kind !== 'refused') return
    refusedUntil.set(user, performance.now() + REFUSED_MS)
    const [oldest] = refusedUntil.keys()
    if (refusedUntil.size > MAX_REFUSED && oldest !== undefined) refusedUntil.delete(oldest)
  }

  /** Errors are ignored: the next scan finds the same. */
  async function scan(): Promise<void> {
    if (scanning || !membership.isServing() || membership.isDraining) return
    scanning = true
    try {
      const users = await membership.database.read((sql) => selectOrphanedUsers(sql, project))
      for (const user of users) if ((refusedUntil.get(user) ?? 0) < performance.now()) await claim(user)
    } catch {
      // The database is away, or another machine was faster.
    } finally {
      scanning = false
    }
  }

  const unsubscribe = membership.onEvent((event) => {
    if (event.kind === 'claimed' && event.scope.project === project) adopt(event.scope.user)
    if (event.kind === 'released' && event.scope.project === project) sync.forget(event.scope.user)
    if (event.kind === 'lost') for (const { user } of event.scopes) sync.forget(user)
  })
  // Otherwise the next owner would deliver the same messages again.
  membership.beforeRelease(() => sync.recordDeliveries())
  const timer = setInterval(() => void scan(), SCAN_MS).unref()
  for (const scope of membership.owned()) if (scope.project === project) adopt(scope.user)
  void scan()
  return {
    close() {
      unsubscribe()
      clearInterval(timer)
    },
  }
}
