// Who a process is, so that it can be recognised later: its number alone is soon given to another, so on Linux the
// moment it was started and the boot of the machine belong to it. Elsewhere there is only the number.

import { existsSync, readFileSync, readlinkSync } from 'node:fs'

import { isObject } from '../lib/json.js'

export interface Owner {
  readonly pid: number
  /** Ticks between the boot and its start; empty where /proc is missing. */
  readonly startedAt: string
  /** A name that this boot of the machine alone has; empty where there is none. */
  readonly boot: string
}

/** This process. */
export function ourselves(): Owner {
  return ownerOf() ?? { pid: process.pid, startedAt: '', boot: '' }
}

/** Undefined where no such process runs; a zombie does not. */
export function ownerOf(pid: number = process.pid): Owner | undefined {
  if (!existsSync('/proc/self/stat')) return isThere(pid) ? { pid, startedAt: '', boot: '' } : undefined
  const state = processState(pid)
  return state && { pid, startedAt: state.startedAt, boot: bootId() }
}

export interface ProcessState {
  /** As Linux shows it: `T` and `t` are stopped. */
  readonly state: string
  readonly session: number
  readonly startedAt: string
}

/** Undefined where no such process runs or /proc is missing; a zombie does not run. */
export function processState(pid: number): ProcessState | undefined {
  // The name stands in parentheses and may contain any character, also these.
  const [state = '', ...fields] = read(`/proc/${pid}/stat`)
    .replace(/^.*\) /s, '')
    .split(' ')
  // The state is the third field of the line, the session the sixth, the start the 22nd.
  const [, , session] = fields
  const startedAt = fields[18]
  if (startedAt === undefined || state === 'Z' || state === 'X') return undefined
  return { state, session: Number(session), startedAt }
}

/** Only of use where its number means the same as here: on this machine, in this container. */
export function isAlive(owner: Owner): boolean {
  const there = ownerOf(owner.pid)
  return there !== undefined && there.startedAt === owner.startedAt && there.boot === owner.boot
}

export function bootId(): string {
  return read('/proc/sys/kernel/random/boot_id').trim()
}

/** Processes that see the same numbers give the same answer; empty where everybody sees the same. */
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

function read(path: string): string {
  try {
    return readFileSync(path, 'latin1')
  } catch {
    return ''
  }
}

// Whoever may not be signalled belongs to another user, and is none of us.
function isThere(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}
