// What is known of each search engine on this machine: until when it is left alone and why, and how much of its pace is
// used up. A small file, shared by all processes, replaced whole; it outlives them, also one that is killed. Politeness is
// no reason to fail: where the file cannot be read or written, each process keeps to itself, and says why when asked.

import { randomUUID } from 'node:crypto'
import { readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'

import { isObject, parseJson } from '../lib/json.js'
import { reasonOf } from '../lib/reason-of.js'
import { makePrivateFolder } from './atomic-file.js'
import { withFileLock } from './file-lock.js'

const MAX_BYTES = 64 * 1024
const MAX_ENGINES = 200
/** Work under the lock takes a millisecond; whoever holds it longer is not worth waiting for. */
const PATIENCE_MS = 100

export interface EngineState {
  /** Until when it is left alone, in milliseconds since 1970; 0 where it is not. */
  readonly until: number
  /** What happened last, as an outcome names it; '' where all is well. */
  readonly why: string
  /** How often it happened in a row. */
  readonly strikes: number
  /** Until when somebody is trying whether it answers again. */
  readonly probeUntil: number
  /** How many requests may be made at once, as of `drawnAt`. */
  readonly drops: number
  readonly drawnAt: number
}

export type StateMap = Map<string, EngineState>

export interface EngineStates {
  /** As they are now. */
  read(): ReadonlyMap<string, EngineState>
  /** Nobody else changes them meanwhile. */
  change<T>(work: (states: StateMap) => T): T
  /** Why they are not shared with other processes or not kept; undefined where they are. */
  readonly problem: () => string | undefined
}

export function openEngineStates(path: string): EngineStates {
  /** What this process knows, which stands in for a file that cannot be had. */
  let own: StateMap = new Map()
  let isShared = true
  let problem: string | undefined

  function load(): StateMap {
    const { states, complaint } = readStates(path)
    problem = complaint ?? problem
    return complaint === undefined ? states : own
  }

  function changeShared<T>(work: (states: StateMap) => T): T {
    makePrivateFolder(dirname(path))
    const underLock = (): T => {
      const states = load()
      const before = printed(states)
      const value = work(states)
      own = new Map(states)
      const text = printed(states)
      if (text !== before) replace(path, text)
      isShared = true
      return value
    }
    return withFileLock(`${path}.lock`, underLock, PATIENCE_MS)
  }

  return {
    read: () => (isShared ? load() : own),
    change(work) {
      let done: { readonly value: ReturnType<typeof work> } | undefined
      const once = (states: StateMap) => (done ??= { value: work(states) }).value
      try {
        return changeShared(once)
      } catch (error) {
        isShared = false
        problem = `${path} cannot be written (${reasonOf(error)})`
        return once(own)
      }
    },
    problem: () => problem,
  }
}

/** Not forced to the disk: after a power cut an engine may be asked a little too soon, which is no loss. */
function replace(path: string, text: string): void {
  const beside = `${path}.${randomUUID()}.tmp`
  try {
    writeFileSync(beside, text, { flag: 'wx', mode: 0o600 })
    renameSync(beside, path)
  } finally {
    rmSync(beside, { force: true })
  }
}

function printed(states: StateMap): string {
  return JSON.stringify({ version: 1, engines: Object.fromEntries(states) })
}

interface Loaded {
  readonly states: StateMap
  readonly complaint?: string
}

function readStates(path: string): Loaded {
  const states: StateMap = new Map()
  const text = readText(path)
  if (typeof text === 'object') return { states, complaint: `${path} cannot be read (${text.reason})` }
  if (text === '') return { states }
  const value = parseJson(text)
  if (!isObject(value) || !isObject(value.engines))
    return { states, complaint: `${path} is damaged; it is written anew` }
  const entries = Object.entries(value.engines).slice(0, MAX_ENGINES)
  for (const [id, state] of entries) if (/^[\w-]{1,30}$/.test(id) && isState(state)) states.set(id, state)
  return { states }
}

function readText(path: string): string | { readonly reason: string } {
  try {
    const stat = statSync(path, { throwIfNoEntry: false })
    if (!stat) return ''
    // A pipe would hold us up.
    if (!stat.isFile() || stat.size > MAX_BYTES) return { reason: 'it is no small file' }
    return readFileSync(path, 'utf8') || '{}'
  } catch (error) {
    return { reason: reasonOf(error) }
  }
}

function isState(value: unknown): value is EngineState {
  if (!isObject(value) || typeof value.why !== 'string' || !/^[a-z_]{0,30}$/.test(value.why)) return false
  const numbers = [value.until, value.strikes, value.probeUntil, value.drops, value.drawnAt]
  return numbers.every((number) => typeof number === 'number' && Number.isFinite(number))
}
