// Makes `serve --http` one of several machines: registers it, and gives the HTTP server its placement, the reaction to
// a lost lease, and the draining at the end. Loaded by serve-http.ts only when DATABASE_URL and ADVERTISE_URL are set.
// Reads the CA file and the disk identity; opens the database, where the lease is renewed on a timer.

import { readFileSync } from 'node:fs'

import { errorMessage } from '@scorpiox/mcp/errors'
import type { ServedUsers } from '@scorpiox/mcp/http/served-users'
import type { RateLimits } from '@scorpiox/mcp/http/rate-limits'
import type { Log } from '@scorpiox/mcp/log'
import type { Config } from '@scorpiox/server/config/load-config'
import { findProjectRoot, getMachineName, getStateDir } from '@scorpiox/server/config/paths'
import { findWorkspaceFolder } from '@scorpiox/server/config/workspace-root'
import { readDiskIdentity } from '@scorpiox/server/machines/disk-identity'
import { type Membership, openMembership } from '@scorpiox/server/machines/membership'
import { openMachineDatabase } from '@scorpiox/server/storage/open-database'
import type { Scope } from '@scorpiox/server/storage/scoped-database'
import { UsageError } from '@scorpiox/server/terminal/terminal'
import { VERSION } from '@scorpiox/server/config/version'
import { tryParseUrl } from '@scorpiox/server/text/parse-url'
import { drainMachine, endLost } from './drain-machine.js'
import { MachinePlacement } from './machine-placement.js'
import { createPeerClient } from './peer-client.js'

const NOT_KNOWN = 'it is not known whether it was done: check before repeating it'

export interface JoinedMachine {
  readonly membership: Membership
  /** The project of every workspace that this machine owns. */
  readonly project: string
  readonly placement: MachinePlacement
  /** Resolves when `machines drain` names this machine. */
  readonly drainRequested: Promise<void>
  /** Ends what is open for users that this machine has lost. `endJobs` ends their background jobs. */
  watch(users: ServedUsers, endJobs: (users: readonly string[]) => Promise<void>): void
  /** Hands everything over; files of its own only if `machines drain` asked for it. */
  drain(users: ServedUsers, signal: AbortSignal): Promise<void>
  close(): Promise<void>
}

export interface JoinOptions {
  readonly config: Config
  readonly rateLimits: RateLimits
  readonly maxBodyBytes: number
  /** Whether a connection that is opened again may reach the owner, because processes share the port. */
  readonly movesConnections: boolean
  readonly log: Log
}

export async function joinMachines(options: JoinOptions): Promise<JoinedMachine> {
  const { config, rateLimits, maxBodyBytes, log, movesConnections } = options
  const { settings } = config
  const leaseMs = settings.MACHINE_LEASE_SECONDS * 1000
  // A user of WORKSPACE_ROOT has one owner, whatever the directory.
  const project = findWorkspaceFolder(settings.WORKSPACE_ROOT) ?? findProjectRoot(config.cwd)
  const scopeOf = (user: string): Scope => ({ project, user })
  const peers = createPeerClient(readCertificates(settings.MACHINE_CA))
  const membership = await openMembership({
    database: await openMachineDatabase(settings.DATABASE_URL, leaseMs),
    name: getMachineName(settings),
    address: parseAdvertiseUrl(settings.ADVERTISE_URL),
    version: VERSION,
    disk: await readDiskIdentity(getStateDir(settings)),
    files: settings.WORKSPACE_FILES,
    leaseMs,
    isServed: (other) => other === project,
    log,
  })
  const placement = new MachinePlacement({
    membership,
    peers,
    scopeOf,
    rateLimits,
    maxBodyBytes,
    leaseMs,
    movesConnections,
  })
  let isDrainRequested = false
  let isStopping = false
  const drainRequested = new Promise<void>((resolve) => {
    membership.onEvent(({ kind }) => {
      if (kind !== 'draining') return
      isDrainRequested ||= !isStopping
      resolve()
    })
  })
  const findLeaving = createLeavingFilter(settings.DRAIN_SECONDS * 1000)
  let endJobs: ((users: readonly string[]) => Promise<void>) | undefined
  return {
    membership,
    project,
    placement,
    drainRequested,
    watch(users, endJobsOf) {
      endJobs = endJobsOf
      const end = (scopes: readonly Scope[], reason: string): void => {
        endLost(users, scopes, reason)
        endJobsOf(scopes.map(({ user }) => user)).catch((error: unknown) => log.warn(`jobs: ${errorMessage(error)}`))
      }
      membership.onEvent((event) => {
        if (event.kind === 'lost') end(event.scopes, `this machine was taken for dead; ${NOT_KNOWN}`)
        // Another machine may take over the same files soon.
        if (event.kind === 'others draining') {
          const leaving = findLeaving(event.incarnations)
          users.closeIdleConnections((request) => leaving.has(placement.senderOf(request) ?? ''))
        }
        if (event.kind === 'fenced' && membership.files === 'shared')
          end(membership.owned(), `the lease of this machine has ended; ${NOT_KNOWN}`)
      })
    },
    drain(users, signal) {
      isStopping = true
      return drainMachine({
        keepsFiles: membership.files === 'local' && !isDrainRequested,
        membership,
        placement,
        users,
        endJobs: async (names) => endJobs?.(names),
        servingMs: settings.DRAIN_SECONDS * 1000,
        limitMs: settings.DRAIN_TIMEOUT_SECONDS * 1000,
        log,
        signal,
      })
    },
    async close() {
      placement.isClosed = true
      placement.inFlight.close()
      peers.close()
      await membership.close().catch((error: unknown) => log.warn(`leaving: ${errorMessage(error)}`))
    },
  }
}

/**
 * Those of the machines that have drained for so long that the load balancer has noticed it: a connection that is closed
 * earlier could be opened again through the same machine.
 */
function createLeavingFilter(servingMs: number): (draining: ReadonlySet<string>) => ReadonlySet<string> {
  let firstSeen = new Map<string, number>()
  return (draining) => {
    const now = performance.now()
    firstSeen = new Map(Array.from(draining, (incarnation) => [incarnation, firstSeen.get(incarnation) ?? now]))
    return new Set([...draining].filter((incarnation) => now - (firstSeen.get(incarnation) ?? now) >= servingMs))
  }
}

function readCertificates(file: string): string | undefined {
  if (file === '') return undefined
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    throw new UsageError(`MACHINE_CA cannot be read: ${errorMessage(error)}`)
  }
}

/** The origin of the URL. */
function parseAdvertiseUrl(text: string): string {
  const url = tryParseUrl(text)
  const isPlain =
    url && /^https?:$/.test(url.protocol) && url.pathname === '/' && url.search === '' && url.username === ''
  if (isPlain) return url.origin
  throw new UsageError('ADVERTISE_URL must be like http://10.0.0.5:8808, without a path')
}
