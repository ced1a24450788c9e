// State of each search engine on this machine, shared by all processes: circuit breaker and rate limit. A small JSON file
// that is replaced atomically under a lock. If it cannot be read or written, each process uses its own state, and `problem`
// says why. Used by search-service and search-health. Reads and writes that file, synchronously.

import { readFileSync, statSync } from 'node:fs'
import { dirname } from 'node:path'

import { errorMessage } from '@scorpiox/mcp/errors'
import { isJsonObject, tryParseJson } from '@scorpiox/mcp/json/json'
import { makePrivateFolder } from '@scorpiox/mcp/atomic-file'
import { withFileLock } from '../../storage/file-lock.js'
import { replaceOwnFile } from '../../storage/private-files.js'

const MAX_BYTES = 64 * 1024
const MAX_ENGINES = 200
/** Work under the lock takes about a millisecond; waiting longer is not worth it. */
const LOCK_TIMEOUT_MS = 100

export interface EngineState {
  /** The engine is not used until this time, in milliseconds since 1970; 0 if it is available. */
  readonly until: number
  /** The outcome of the last failure; '' if there was none. */
  readonly why: string
  /** Failures in a row. */
  readonly strikes: number
  /** Until this time another request is testing whether the engine works again. */
  readonly probeUntil: number
  /** Tokens of the rate limit at `drawnAt`. */
  readonly drops: number
  readonly drawnAt: number
}

export type EngineStateMap = Map<string, EngineState>

export interface EngineStateFile {
  /** The current states. */
  read(): ReadonlyMap<string, EngineState>
  /** Changes the states under a lock. */
  change<T>(update: (states: EngineStateMap) => T): T
  /** Why the states are not shared or not stored; undefined if they are. */
  readonly problem: () => string | undefined
}

export function openEngineStateFile(path: string): EngineStateFile {
  /** The state in memory, used if the file is not available. */
  let inMemory: EngineStateMap = new Map()
  let isShared = true
  let problem: string | undefined

  function readShared(): EngineStateMap {
    const { states, problemFound } = readStates(path)
    problem = problemFound ?? problem
    return problemFound === undefined ? states : inMemory
  }

  function changeShared<T>(update: (states: EngineStateMap) => T): T {
    makePrivateFolder(dirname(path))
    const changeUnderLock = (): T => {
      const states = readShared()
      const before = formatStates(states)
      const value = update(states)
      inMemory = new Map(states)
      const text = formatStates(states)
      // Not synced: after a power failure an engine may be asked slightly too early, which does no harm.
      if (text !== before) replaceOwnFile(path, text)
      isShared = true
      return value
    }
    return withFileLock(`${path}.lock`, changeUnderLock, LOCK_TIMEOUT_MS)
  }

  return {
    read: () => (isShared ? readShared() : inMemory),
    change(update) {
      let result: { readonly value: ReturnType<typeof update> } | undefined
      const runOnce = (states: EngineStateMap) => (result ??= { value: update(states) }).value
      try {
        return changeShared(runOnce)
      } catch (error) {
        isShared = false
        problem = `${path} cannot be written (${errorMessage(error)})`
        return runOnce(inMemory)
      }
    },
    problem: () => problem,
  }
}

function formatStates(states: EngineStateMap): string {
  return JSON.stringify({ version: 1, engines: Object.fromEntries(states) })
}

interface ReadResult {
  readonly states: EngineStateMap
  readonly problemFound?: string
}

function readStates(path: string): ReadResult {
  const states: EngineStateMap = new Map()
  const text = readText(path)
  if (typeof text === 'object') return { states, problemFound: `${path} cannot be read (${text.reason})` }
  if (text === '') return { states }
  const value = tryParseJson(text)
  if (!isJsonObject(value) || !isJsonObject(value.engines))
    return { states, problemFound: `${path} is damaged and will be replaced` }
  const entries = Object.entries(value.engines).slice(0, MAX_ENGINES)
  for (const [id, state] of entries) if (/^[\w-]{1,30}$/.test(id) && isEngineState(state)) states.set(id, state)
  return { states }
}

function readText(path: string): string | { readonly reason: string } {
  try {
    const stat = statSync(path, { throwIfNoEntry: false })
    if (!stat) return ''
    // Reading a FIFO would block.
    if (!stat.isFile() || stat.size > MAX_BYTES) return { reason: 'it is not a small regular file' }
    return readFileSync(path, 'utf8') || '{}'
  } catch (error) {
    return { reason: errorMessage(error) }
  }
}

function isEngineState(value: unknown): value is EngineState {
  if (!isJsonObject(value) || typeof value.why !== 'string' || !/^[a-z_]{0,30}$/.test(value.why)) return false
  const numbers = [value.until, value.strikes, value.probeUntil, value.drops, value.drawnAt]
  return numbers.every((number) => typeof number === 'number' && Number.isFinite(number))
}
