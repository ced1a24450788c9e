// Keeps when other processes were started, where there is no /proc: asking costs a program, on Windows about a second. Used by
// process-identity.ts. Starts nothing before it is asked, so nothing when the server starts.

/** A process whose pid was assigned again meanwhile is believed for this long. */
const FRESH_MS = 10 * 60_000

export interface StartTimes {
  /** In milliseconds since 1970, to the second; undefined if it has not been read, or could not be. */
  get(pid: number): number | undefined
  /** Reads those that are not known; never rejects, and takes a few seconds at most. */
  read(pids: readonly number[]): Promise<void>
}

interface StartTimesDeps {
  readonly now: () => number
  readonly ask: (pids: readonly number[]) => Promise<ReadonlyMap<number, number>>
}

const SYSTEM_DEPS: StartTimesDeps = {
  now: Date.now,
  ask: async (pids) => (await import('./read-start-times.js')).askForStartTimes(pids),
}

export function createStartTimes({ now, ask }: StartTimesDeps = SYSTEM_DEPS): StartTimes {
  const known = new Map<number, { readonly startedAtMs: number | undefined; readonly readAt: number }>()
  let reading = Promise.resolve()

  async function readUnknown(pids: readonly number[]): Promise<void> {
    for (const [pid, { readAt }] of known) if (now() - readAt > FRESH_MS) known.delete(pid)
    const unknown = [...new Set(pids)].filter((pid) => Number.isInteger(pid) && pid > 0 && !known.has(pid))
    if (unknown.length === 0) return
    const found = await ask(unknown).catch(() => undefined)
    for (const pid of unknown) known.set(pid, { startedAtMs: found?.get(pid), readAt: now() })
  }

  return {
    get: (pid) => known.get(pid)?.startedAtMs,
    // One after the other, so that the same process is asked about once.
    read: (pids) => (reading = reading.then(() => readUnknown(pids))),
  }
}
