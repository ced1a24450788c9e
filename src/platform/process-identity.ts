// Identifies a process beyond its pid, which is soon reused: on Linux by its start time and the boot of the machine.
// Elsewhere only the pid is known.

import { existsSync, readFileSync, readlinkSync } from 'node:fs'

import { isObject } from '../lib/json.js'

export interface Owner {
  readonly pid: number
  /** Clock ticks between the boot and its start; empty without /proc. */
  readonly startedAt: string
  /** The ID of this boot of the machine; empty if there is none. */
  readonly boot: string
}

/** This process. */
export function ourselves(): Owner {
  return ownerOf() ?? { pid: process.pid, startedAt: '', boot: '' }
}

/** Undefined if no such process is running; a zombie is not. */
export function ownerOf(pid: number = process.pid): Owner | undefined {
  if (!existsSync('/proc/self/stat')) return canSignal(pid) ? { pid, startedAt: '', boot: '' } : undefined
  const state = processState(pid)
  return state && { pid, startedAt: state.startedAt, boot: bootId() }
}

interface ProcessState {
  /** As in /proc/<pid>/stat: `T` and `t` are stopped. */
  readonly state: string
  readonly session: number
  readonly startedAt: string
}

/** Undefined if no such process is running or /proc is missing; a zombie is not running. */
export function processState(pid: number): ProcessState | undefined {
  // The program name is in parentheses and may contain any character, also parentheses.
  const [state = '', ...fields] = readOrEmpty(`/proc/${pid}/stat`)
    .replace(/^.*\) /s, '')
    .split(' ')
  // The state is the third field of the line, the session the sixth, the start time the 22nd.
  const [, , session] = fields
  const startedAt = fields[18]
  if (startedAt === undefined || state === 'Z' || state === 'X') return undefined
  return { state, session: Number(session), startedAt }
}

/** Only valid for a pid of this machine and this pid namespace. */
export function isAlive(identity: Owner): boolean {
  const current = ownerOf(identity.pid)
  return current !== undefined && current.startedAt === identity.startedAt && current.boot === identity.boot
}

export function bootId(): string {
  return readOrEmpty('/proc/sys/kernel/random/boot_id').trim()
}

/** The pid namespace of this process; empty where there are none. */
export function pidSpace(): string {
  try {
    return readlinkSync('/proc/self/ns/pid')
  } catch {
    return ''
  }
}

export function isOwner(value: unknown): value is Owner {
  if (!isObject(value)) return false
  const { pid, startedAt, boot } = value
  return Number.isInteger(pid) && typeof startedAt === 'string' && typeof boot === 'string'
}

function readOrEmpty(path: string): string {
  try {
    return readFileSync(path, 'latin1')
  } catch {
    return ''
  }
}

// A process that may not be signalled belongs to another user, and is not the one that was recorded.
function canSignal(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}
