// Returns memory to the system after work. V8 keeps most of what a burst of calls needed, fragmented and with compiled
// code, because nothing that happens later makes it collect. Loaded by services.ts of the app with the first service, and
// called for every call; the database registers what it can release. Sets flags of V8 for the time of a collection, and a
// timer that does not keep the process alive.

import { getHeapCodeStatistics, getHeapStatistics, setFlagsFromString } from 'node:v8'

import { bunVersion } from '@scorpiox/mcp/runtime'
import { exposeGarbageCollector } from './garbage-collector.js'

const CHECK_INTERVAL_MS = 20_000
/** What only compiled code referred to is dropped by the collections after the one that dropped the code. */
const ROUNDS = 4
/** Each blocks the event loop, so they are not made in one turn. */
const ROUND_INTERVAL_MS = 500
/** After one that took longer there are no more. */
const MAX_BLOCK_MS = 100
/** A larger heap would block the event loop for longer than a call should wait. */
const MAX_HEAP_BYTES = 96 * 1024 * 1024
/** The newest Node.js on which the flags below were tried: V8 prints a line about one that it does not know. */
const LAST_KNOWN_NODE = 24
/** Compiled code that was not used lately is dropped too; a function is compiled again when it is called. */
const COMPACTING = ['--compact-on-every-full-gc', '--flush-baseline-code']
/**
 * Collections that are forced do not make code older, so this is code that was not used since V8 last collected on its
 * own. All code is dropped if there is much: the next call then takes 10 ms more.
 */
const UNUSED_CODE = '--bytecode-old-age=1'
const ALL_CODE = '--bytecode-old-age=0'
const MUCH_CODE_BYTES = 5 * 1024 * 1024
const USUAL = ['--no-compact-on-every-full-gc', '--no-flush-baseline-code', '--bytecode-old-age=6']

interface IdleCollectorOptions {
  readonly checkIntervalMs?: number
  readonly collect?: () => void
}

interface IdleCollector {
  /** To be called for every call. */
  readonly noteCall: () => void
  /** Calls this before a collection. Returns a function that ends it. */
  readonly onIdle: (release: () => void) => () => void
}

/** Collects once there was no call for one to two intervals. */
export function createIdleCollector({
  checkIntervalMs = CHECK_INTERVAL_MS,
  collect = collectAndCompact,
}: IdleCollectorOptions = {}): IdleCollector {
  const releases = new Set<() => void>()
  let timer: NodeJS.Timeout | undefined
  let hasWorked = false

  function check(roundsLeft: number): void {
    timer = undefined
    if (hasWorked) {
      hasWorked = false
      return start()
    }
    if (roundsLeft === ROUNDS) for (const release of releases) release()
    const startedAt = performance.now()
    collect()
    const isLast = roundsLeft === 1 || performance.now() - startedAt > MAX_BLOCK_MS
    if (!isLast) timer = setTimeout(check, ROUND_INTERVAL_MS, roundsLeft - 1).unref()
  }

  function start(): void {
    timer ??= setTimeout(check, checkIntervalMs, ROUNDS).unref()
  }

  return {
    noteCall() {
      hasWorked = true
      start()
    },
    onIdle(release) {
      releases.add(release)
      return () => void releases.delete(release)
    },
  }
}

function collectAndCompact(): void {
  if (getHeapStatistics().used_heap_size > MAX_HEAP_BYTES) return
  const collectGarbage = exposeGarbageCollector()
  const isKnown = bunVersion() === undefined && Number.parseInt(process.version.slice(1), 10) <= LAST_KNOWN_NODE
  if (isKnown) for (const flag of [...COMPACTING, chooseCode()]) setFlagsFromString(flag)
  collectGarbage()
  if (isKnown) for (const flag of USUAL) setFlagsFromString(flag)
}

function chooseCode(): string {
  const { code_and_metadata_size: code, bytecode_and_metadata_size: bytecode } = getHeapCodeStatistics()
  return code + bytecode > MUCH_CODE_BYTES ? ALL_CODE : UNUSED_CODE
}

/** One for the process: the heap is that of all servers in it. */
export const { noteCall, onIdle } = createIdleCollector()
