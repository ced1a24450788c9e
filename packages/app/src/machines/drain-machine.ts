// Empties this machine before it stops: it is not ready any more but still serves, hands each user over to another
// machine as soon as none of the user's calls is in progress, and waits for what it has forwarded. Used by
// join-machines.ts. Writes the database through the membership; waits on timers.

import { setTimeout as sleep } from 'node:timers/promises'

import { errorMessage } from '@scorpiox/mcp/errors'
import type { ServedUsers } from '@scorpiox/mcp/http/served-users'
import type { Log } from '@scorpiox/mcp/log'
import type { Membership } from '@scorpiox/server/machines/membership'
import { OTHER_OWNER_MS } from '@scorpiox/server/machines/workspace-ownership'
import type { Scope } from '@scorpiox/server/storage/scoped-database'
import type { MachinePlacement } from './machine-placement.js'

const CHECK_MS = 50
/** The part of the limit after which new calls of a user with calls in progress wait, so that there is an end of them. */
const HOLD_PART = 0.25
const LINGER_MS = 500
const HANDED_OVER = 'another machine goes on with this workspace'

export interface DrainOptions {
  readonly membership: Membership
  readonly placement: MachinePlacement
  readonly users: ServedUsers
  /** Whether users wait for this machine to be started again, because it has their files. */
  readonly keepsFiles: boolean
  /** Ends the background jobs of these users. */
  readonly endJobs: (users: readonly string[]) => Promise<void>
  /** How long it still serves although it is not ready. */
  readonly servingMs: number
  /** The longest wait for calls in progress. */
  readonly limitMs: number
  readonly log: Log
  /** Aborted by a second stop signal: nothing is waited for any more. */
  readonly signal: AbortSignal
}

export async function drainMachine(options: DrainOptions): Promise<void> {
  const { membership, placement, users, servingMs, limitMs, log, signal } = options
  const startedAt = performance.now()
  const isOver = (ms: number): boolean => performance.now() - startedAt >= ms
  const plan = options.keepsFiles ? 'users wait for their files' : 'users are handed over to other machines'
  log.info(`draining: /readyz is 503, and ${plan}`)
  await attempt(log, () => membership.drain())
  const hadUsers = membership.owned().length > 0
  const holds = new Map<string, () => void>()
  while (!signal.aborted && !isOver(servingMs + limitMs)) {
    const successor = await hasSuccessor(options)
    if (successor) await handOverIdle(options, holds, isOver(servingMs + limitMs * HOLD_PART))
    else if (isOver(servingMs)) placement.isClosed = true
    if (isOver(servingMs)) placement.inFlight.endStandingForwards()
    const { calls, forwards, tunnels } = placement.inFlight
    const own = membership.owned().filter(({ user }) => successor || users.isBusy(user)).length + calls
    if (own + forwards + tunnels === 0 && isOver(servingMs)) break
    await sleep(CHECK_MS)
  }
  // What is left cannot wait any longer.
  await attempt(log, () => options.endJobs(membership.owned().map(({ user }) => user)))
  for (const scope of membership.owned()) await attempt(log, () => handOver(options, scope))
  for (const release of holds.values()) release()
  // The others may still believe for a moment that this machine is the owner; it tells them that it is not.
  if (hadUsers && !signal.aborted && (await hasSuccessor(options))) await sleep(OTHER_OWNER_MS + LINGER_MS)
}

/** Ends what a machine has open for users whose workspaces it has lost. */
export function endLost(users: ServedUsers, scopes: readonly Scope[], reason: string): void {
  for (const { user } of scopes) users.end(user, reason)
}

async function handOverIdle(options: DrainOptions, holds: Map<string, () => void>, holdsCalls: boolean): Promise<void> {
  const { membership, users, placement, endJobs, log } = options
  const isBusy = (user: string): boolean => placement.inFlight.callsOf(user) > 0 || users.isBusy(user)
  for (const scope of membership.owned()) {
    const { user } = scope
    if (isBusy(user)) {
      if (holdsCalls) hold(placement, holds, user)
      continue
    }
    // Jobs may write to files that the next owner shares, so they end first; new calls wait meanwhile.
    hold(placement, holds, user)
    await attempt(log, () => endJobs([user]))
    // A call that is admitted is counted at once, and from here to the release nothing is waited for.
    if (!isBusy(user)) await attempt(log, () => handOver(options, scope))
    else if (holdsCalls) continue
    holds.get(user)?.()
    holds.delete(user)
  }
}

function hold(placement: MachinePlacement, holds: Map<string, () => void>, user: string): void {
  if (!holds.has(user)) holds.set(user, placement.hold(user))
}

async function handOver({ membership, users, keepsFiles }: DrainOptions, scope: Scope): Promise<void> {
  const released = membership.release(scope, !keepsFiles)
  users.end(scope.user, HANDED_OVER)
  await released
}

async function hasSuccessor({ membership, keepsFiles }: DrainOptions): Promise<boolean> {
  try {
    return await membership.hasSuccessor(keepsFiles)
  } catch {
    return false
  }
}

/** Without the database the lease simply ends. */
async function attempt(log: Log, work: () => Promise<void>): Promise<void> {
  try {
    await work()
  } catch (error) {
    log.warn(`draining: ${errorMessage(error)}`)
  }
}
