// Identifies a process beyond its pid, which is soon reused: on Linux by its start time and the boot of the machine,
// elsewhere by the time of day at which it was started; and tells whether a stored process still runs. Used for jobs,
// session leases, the server registry, console sockets and browser profiles. Reads /proc; without it, may start ps or
// PowerShell in the background.

import { existsSync, readlinkSync } from 'node:fs'
import { hostname } from 'node:os'

import { isJsonObject } from '@scorpiox/mcp/json/json'
import { isPidRunning } from '@scorpiox/mcp/os'
import { readFileOrEmpty } from '../files/read-file-or-empty.js'
import { createStartTimes, type StartTimes } from './process-start-times.js'
import { signalProcess } from './signals.js'

/**
 * Between the start of a process as the system knows it and as its runtime has noticed it, on a busy machine. The clock
 * counts as it was at the start for both, so that setting it later makes no difference.
 */
const START_TOLERANCE_MS = 10_000

const START_TIMES = createStartTimes()

export interface ProcessIdentity {
  readonly pid: number
  /** Clock ticks between the boot and its start; empty without /proc. */
  readonly startedAt: string
  /** The ID of this boot of the machine; empty if there is none. */
  readonly boot: string
  /** Without /proc: the time of its start in milliseconds since 1970; undefined if unknown. */
  readonly startedAtMs?: number | undefined
}

/** This process. */
export function currentProcessIdentity(): ProcessIdentity {
  return identifyProcess() ?? identifyByPid(process.pid)
}

/** Undefined if no such process is running; a zombie is not. */
export function identifyProcess(pid: number = process.pid): ProcessIdentity | undefined {
  // A process that may not be signalled belongs to another user, and is not the one that was recorded.
  if (!existsSync('/proc/self/stat')) return signalProcess(pid, 0) ? identifyByPid(pid) : undefined
  const state = readProcessState(pid)
  return state && { pid, startedAt: state.startedAt, boot: readBootId() }
}

function identifyByPid(pid: number): ProcessIdentity {
  const identity = { pid, startedAt: '', boot: '' }
  return pid === process.pid ? { ...identity, startedAtMs: Math.round(performance.timeOrigin) } : identity
}

interface ProcessState {
  /** As in /proc/<pid>/stat: `T` and `t` are stopped. */
  readonly state: string
  readonly session: number
  readonly startedAt: string
}

/** Undefined if no such process is running or /proc is missing; a zombie is not running. */
export function readProcessState(pid: number): ProcessState | undefined {
  // The program name is in parentheses and may contain any character, also parentheses.
  const [state = '', ...fields] = readFileOrEmpty(`/proc/${pid}/stat`)
    .replace(/^.*\) /s, '')
    .split(' ')
  // The state is the third field of the line, the session the sixth, the start time the 22nd.
  const [, , session] = fields
  const startedAt = fields[18]
  if (startedAt === undefined || state === 'Z' || state === 'X') return undefined
  return { state, session: Number(session), startedAt }
}

/** Lets a stopped process go on. */
export function continueIfStopped(pid: number): void {
  if (['T', 't'].includes(readProcessState(pid)?.state ?? '')) signalProcess(pid, 'SIGCONT')
}

/**
 * Only valid for a pid of this machine and this pid namespace. Without /proc, a process with this pid is believed to be
 * the same until its start time has been read, which begins here, and if it cannot be read.
 */
export function isSameProcessAlive(identity: ProcessIdentity, startTimes = START_TIMES): boolean {
  const current = identifyProcess(identity.pid)
  if (!current || current.startedAt !== identity.startedAt || current.boot !== identity.boot) return false
  if (identity.startedAtMs === undefined) return true
  const startedAtMs = identity.pid === process.pid ? performance.timeOrigin : startTimes.get(identity)
  if (startedAtMs === undefined) void readStartTimes([identity], startTimes)
  return startedAtMs === undefined || Math.abs(startedAtMs - identity.startedAtMs) < START_TOLERANCE_MS
}

/** Makes the answer about these processes exact where the system allows it. Never rejects. */
export async function readStartTimes(
  identities: readonly ProcessIdentity[],
  startTimes: StartTimes = START_TIMES,
): Promise<void> {
  const unsure = identities.filter(({ pid, startedAtMs }) => startedAtMs !== undefined && pid !== process.pid)
  await startTimes.read(unsure.filter(({ pid }) => signalProcess(pid, 0)))
}

export function readBootId(): string {
  return readFileOrEmpty('/proc/sys/kernel/random/boot_id').trim()
}

/** The pid namespace of this process; empty where there are none. */
export function pidNamespace(): string {
  try {
    return readlinkSync('/proc/self/ns/pid')
  } catch {
    return ''
  }
}

/**
 * A Mac takes another host name in another network, also while a server runs. A process that has the pid and was started
 * at that second is the same.
 */
function isRecognized(owner: ProcessIdentity, startTimes: StartTimes): boolean {
  const isRead = owner.startedAtMs !== undefined && startTimes.get(owner) !== undefined
  return isRead && isSameProcessAlive(owner, startTimes)
}

export function isProcessIdentity(value: unknown): value is ProcessIdentity {
  if (!isJsonObject(value)) return false
  const { pid, startedAt, boot, startedAtMs } = value
  if (startedAtMs !== undefined && typeof startedAtMs !== 'number') return false
  return Number.isInteger(pid) && typeof startedAt === 'string' && typeof boot === 'string'
}

/**
 * Where a process runs, in a form that can be stored, so that others can tell whether it is still running. A process on
 * another machine, or in a container or sandbox with its own pid namespace, cannot be seen from here.
 */
export interface ProcessLocation {
  readonly owner: ProcessIdentity
  readonly host: string
  /** The pid namespace in which its pid is valid. */
  readonly pidSpace: string
}

export function locateProcess(owner: ProcessIdentity): ProcessLocation {
  return { owner, host: hostname(), pidSpace: pidNamespace() }
}

export function currentProcessLocation(): ProcessLocation {
  return locateProcess(currentProcessIdentity())
}

export function isProcessLocation(value: unknown): value is ProcessLocation {
  if (!isJsonObject(value)) return false
  return isProcessIdentity(value.owner) && typeof value.host === 'string' && typeof value.pidSpace === 'string'
}

/** Whether the process is known to be dead (true) or running (false); undefined if it cannot be seen from here. */
export function isKnownDead(
  { owner, host, pidSpace: namespace }: ProcessLocation,
  startTimes = START_TIMES,
  platform = process.platform,
): boolean | undefined {
  if (host !== hostname()) return isRecognized(owner, startTimes) ? false : undefined
  if (owner.boot !== readBootId()) return true
  if (platform === 'win32' && isForbidden(owner.pid)) return undefined
  return namespace === pidNamespace() ? !isSameProcessAlive(owner, startTimes) : undefined
}

/** For Windows a process of the same user that runs as administrator, or one that has just exited. */
function isForbidden(pid: number): boolean {
  return isPidRunning(pid) && !signalProcess(pid, 0)
}
