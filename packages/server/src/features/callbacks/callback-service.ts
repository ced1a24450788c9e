// The callback service: messages delivered later, at a time, repeatedly, or after an event of a job. Implements set, list
// and cancel; callback-sync.ts keeps the callbacks running. openCallbackService builds it from the settings and is called
// by services.ts of the app. Used by the tool SetCallback and its resource. Reads and writes the database; callbacks that
// fire may run a command, call a webhook and write inbox files.

import { realpathSync } from 'node:fs'
import { isAbsolute, join } from 'node:path'

import type { Caller } from '@scorpiox/mcp/definitions/caller'
import type { ChangeEvents } from '@scorpiox/mcp/definitions/change-events'
import type { MessageQueue } from '@scorpiox/mcp/definitions/message-queue'
import { errorMessage, Failure } from '@scorpiox/mcp/errors'
import type { Log } from '@scorpiox/mcp/log'
import { getOsUser } from '@scorpiox/mcp/os'
import type { Config } from '../../config/load-config.js'
import { findProjectRoot } from '../../config/paths.js'
import { listWritableRoots } from '../../config/writable-roots.js'
import type { Membership } from '../../machines/membership.js'
import { parseLinePattern } from '../../patterns/line-pattern.js'
import type { PatternMatcher } from '../../patterns/pattern-matcher.js'
import { createSystemClock } from '../../process/clock.js'
import { createCommandEnvironment } from '../../process/command-environment.js'
import { createTrustedEnvironment, findTrustedShell } from '../../process/trusted-program.js'
import type { PendingMessage } from '../../sessions/message-table.js'
import { ensureSessionDirectory } from '../../sessions/session-directory.js'
import { currentLeaseOwner, isLeaseOwnerGone, type QueueLateAnswers } from '../../sessions/session-leases.js'
import { sessionNamesOf } from '../../sessions/session-names.js'
import { openPendingFlags } from '../../storage/flag-files.js'
import { hashForFileName } from '../../storage/private-files.js'
import type { LazyDatabase, Scope } from '../../storage/scoped-database.js'
import type { JobService } from '../shell/index.js'
import { fireTimeAfter } from './callback-schedule.js'
import { type CallbackSync, type CallbackSyncDeps, createCallbackSync } from './callback-sync.js'
import {
  type CallbackRow,
  type CallbackTables,
  cancelCallback,
  freeCallbackSlots,
  MAX_CALLBACK_SLOTS,
  MAX_CALLBACKS,
} from './callback-table.js'
import type { CallActivity, DeferredCallbacks } from './deferred-callbacks.js'
import { parseSetCallback, type SetCallbackInput } from './parse-callback.js'
import { createCallbackSideEffects } from './side-effects.js'

export interface CallbackService extends MessageQueue {
  set(caller: Caller, input: SetCallbackInput): Promise<ScheduledCallback>
  list(caller: Caller): Promise<readonly ScheduledCallback[]>
  /** Without a slot cancels all callbacks of the session. Returns the cancelled ones. */
  cancel(caller: Caller, slot: number | undefined): Promise<readonly CallbackRow[]>
  /** Messages not yet delivered to this session. */
  listPending(caller: Caller): Promise<readonly PendingMessage[]>
  /** Directory where a program can read the messages of this session; undefined if there is none. */
  inboxPathOf(caller: Caller): string | undefined
  /** Registers a session; it takes over the work of dead sessions. Has an effect once per session. */
  sessionStarted(caller: Caller): Promise<void>
  /** Claims the lease of a session that will receive a message, so that it is not taken for dead. */
  claimLease(caller: Caller): Promise<void>
  /** From now on takes over the work of dead sessions of every user in this project. */
  adoptOrphans(): Promise<void>
  /** A call ended, and no call of its session is in progress. */
  sessionIdle(): void
  /** A call of the session begins. */
  sessionPresent(caller: Caller): void
  /** The client of this session will not return. */
  sessionClosed(caller: Caller): void
  /** From now on publishes changes of this user's callbacks, including those made by other processes. */
  watch(user: string): Promise<void>
  /** Whether callbacks or messages of any user wait here. */
  hasWork(): boolean
  close(): Promise<void>
}

export interface ScheduledCallback {
  readonly callback: CallbackRow
  /** Infinity if it waits for an event. */
  readonly msUntilFire: number
}

/** `connect`: called with what keeps callbacks running, if the server is one of several machines. */
export function createCallbackService(
  settings: CallbackSyncDeps,
  connect?: (sync: CallbackSync) => { close(): void },
): CallbackService {
  const { state, project, clock, jobs, inbox, warn } = settings
  const sync = createCallbackSync(settings)
  const connection = connect?.(sync)
  const scopeOf = ({ user }: Caller): Scope => ({ project, user })

  async function toRow(caller: Caller, input: SetCallbackInput): Promise<Omit<CallbackRow, 'slot'>> {
    const { message, repeats: repeatsLeft, delayMs, job, pattern } = parseSetCallback(input)
    const { session } = caller
    const common = { session, message, repeatsLeft, delayMs, job, pattern }
    if (job === null) {
      const now = clock()
      return { ...common, ...fireTimeAfter(delayMs, now), setAt: now.wallMs, position: null }
    }
    if (pattern !== null) parseLinePattern(pattern)
    const found = await (await jobs()).find(job, caller)
    const position = pattern === null ? null : (found.readPositions.get(session) ?? 0)
    return { ...common, fireAt: null, fireUptime: null, boot: '', setAt: clock().wallMs, position }
  }

  function insert(caller: Caller, row: Omit<CallbackRow, 'slot'>): Promise<CallbackRow> {
    return sync.writeWithLease(caller, async ({ callbacks }) => {
      const all = await callbacks.list()
      if (all.length >= MAX_CALLBACKS) {
        throw new Failure(
          `Error: all callback slots full (max ${MAX_CALLBACKS} in all sessions of this user): cancel some first`,
        )
      }
      const [slot] = freeCallbackSlots(all, caller.session)
      if (slot === undefined) throw new Failure(`Error: all callback slots full (max ${MAX_CALLBACK_SLOTS})`)
      await callbacks.upsert({ ...row, slot })
      return { ...row, slot }
    })
  }

  function removeCallbacks({ user, session }: Caller, slot: number | undefined): Promise<readonly CallbackRow[]> {
    return state.write({ project, user }, async (rows) => {
      if (slot !== undefined) return [await cancelCallback(rows, session, slot)]
      const own = (await rows.callbacks.list()).filter((row) => row.session === session)
      for (const row of own) await rows.callbacks.end(row, Date.now())
      return own
    })
  }

  return {
    prepare: (caller) => sync.prepare?.(caller),
    takeBatch: (caller) => sync.takeBatch(caller),
    async set(caller, input) {
      const row = await toRow(caller, input)
      const callback = await withSlotFailure(() => insert(caller, row))
      return { callback, msUntilFire: sync.msUntilFire(caller.user, callback) }
    },
    async list(caller) {
      const all = await withSlotFailure(async () => {
        await sync.sessionStarted(caller)
        return state.read(scopeOf(caller), ({ callbacks }) => callbacks.list())
      })
      return all
        .filter(({ session }) => session === caller.session)
        .map((callback): ScheduledCallback => ({ callback, msUntilFire: sync.msUntilFire(caller.user, callback) }))
    },
    async cancel(caller, slot) {
      if (slot !== undefined && (slot < 0 || slot >= MAX_CALLBACK_SLOTS)) {
        throw new Failure(`Error: callback_id ${slot} out of range (max ${MAX_CALLBACK_SLOTS - 1})`)
      }
      const cancelled = await withSlotFailure(async () => {
        await sync.sessionStarted(caller)
        return removeCallbacks(caller, slot)
      })
      await sync.reload(caller.user)
      return cancelled
    },
    async listPending(caller) {
      const all = await state.read(scopeOf(caller), ({ messages }) => messages.listPending())
      return all.filter(({ session }) => session === caller.session)
    },
    inboxPathOf(caller) {
      try {
        const directory = inbox.directoryOf(caller, false)
        return directory === undefined ? undefined : join(directory, 'inbox')
      } catch (error) {
        warn(`cannot determine the inbox directory of the session: ${errorMessage(error)}`)
        return undefined
      }
    },
    sessionStarted: (caller) => sync.sessionStarted(caller),
    claimLease: (caller) => sync.writeWithLease(caller, () => Promise.resolve()),
    // The owner of a workspace adopts what was left in it.
    adoptOrphans: () => (connection ? Promise.resolve() : sync.adoptOrphans()),
    sessionIdle: () => sync.sessionIdle(),
    sessionPresent: (caller) => sync.sessionPresent(caller),
    sessionClosed: (caller) => sync.sessionClosed(caller),
    watch: (user) => sync.reload(user),
    hasWork: () => sync.hasWork(),
    close() {
      connection?.close()
      return sync.close()
    },
  }
}

/** Prefixes database failures with the documented sentence. */
export async function withSlotFailure<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof Failure) || error.message.startsWith('Error: ')) throw error
    throw new Failure(`Error: callback slots not available\n${error.message}`)
  }
}

export interface OpenCallbackServiceDeps {
  readonly config: Config
  readonly changeEvents: ChangeEvents
  readonly log: Log
  readonly state: LazyDatabase<CallbackTables>
  readonly jobs: () => Promise<JobService>
  readonly isBusy: CallActivity['isBusy']
  readonly patterns: () => Promise<PatternMatcher>
  /** The stand-in used before. */
  readonly deferred: DeferredCallbacks
  readonly queueLateAnswers: QueueLateAnswers<CallbackTables>
  /** Set if the server is one of several machines. */
  readonly membership?: Membership | undefined
}

/** Opens the callback service of the current project. */
export async function openCallbackService(deps: OpenCallbackServiceDeps): Promise<CallbackService> {
  const { config, changeEvents, log, state, jobs, patterns, isBusy, deferred, queueLateAnswers, membership } = deps
  const { settings, cwd } = config
  const project = findProjectRoot(cwd)
  const warn = (message: string): void => log.warn(message)
  const env = createCommandEnvironment(config.childEnv, process.platform)
  // CALLBACK_COMMAND runs outside of the sandbox.
  const trustedEnv = createTrustedEnvironment(env, listWritableRoots(config))
  const machine =
    membership && (await import('./machine-callbacks.js')).createMachineCallbacks(membership, project, warn)
  const settingsOfCallbacks: CallbackSyncDeps = {
    state: await withSlotFailure(() => state.open()),
    project,
    changeEvents,
    clock: createSystemClock(),
    leaseOwner: currentLeaseOwner(),
    isOwnerGone: isLeaseOwnerGone,
    ...machine?.deps,
    flags: openPendingFlags(config),
    jobs,
    patterns,
    isBusy,
    sideEffects: createCallbackSideEffects({
      command: settings.CALLBACK_COMMAND,
      webhook: settings.CALLBACK_WEBHOOK,
      project,
      cwd,
      env: trustedEnv,
      shell: () => findTrustedShell(config, env),
      warn,
    }),
    inbox: {
      directoryOf: (caller, isAbandoned) => inboxDirectoryOf(config, project, caller, isAbandoned),
      fileStemOf: (user, id) => `callback-${hashForFileName(`${project}\0${user}`)}-${String(id).padStart(8, '0')}`,
    },
    queueLateAnswers,
    warn,
  }
  const callbacks = createCallbackService(settingsOfCallbacks, machine?.connect)
  deferred.attach(callbacks)
  return {
    ...callbacks,
    async close() {
      await callbacks.close()
      await state.close()
    },
  }
}

/**
 * The session directory of the program that started this server; else, if enabled, the session directory in the
 * project.
 */
function inboxDirectoryOf(config: Config, project: string, caller: Caller, isAbandoned: boolean): string | undefined {
  const { sessionDir, settings } = config
  if (isAbsolute(sessionDir) && caller.user === getOsUser()) return realpathSync.native(sessionDir)
  if (!settings.SCORPIOX_INBOX && !isAbandoned) return undefined
  return ensureSessionDirectory(project, sessionNamesOf(project).nameOf(caller))
}
