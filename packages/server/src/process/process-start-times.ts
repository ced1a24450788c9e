// Keeps when other processes were started, where there is no /proc: asking costs a program, on Windows about a second. Used by
// process-identity.ts. Starts nothing before it is asked, so nothing when the server starts.

/** A process whose pid was assigned again meanwhile is believed for this long. */
const FRESH_MS = 10 * 60_000

export interface RecordedProcess {
  readonly pid: number
  /** As it was recorded: what was read before that is about an earlier process with its pid. */
  readonly startedAtMs?: number | undefined
}

export interface StartTimes {
  /** In milliseconds since 1970, to the second; undefined if it has not been read, or could not be. */
  get(recorded: RecordedProcess): number | undefined
  /** Reads those that are not known; never rejects, and takes a few seconds at most. */
  read(recorded: readonly RecordedProcess[]): Promise<void>
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
  const known = new Map<number, KnownStart>()
  let reading = Promise.resolve()

  function findKnown({ pid, startedAtMs = 0 }: RecordedProcess): KnownStart | undefined {
    const found = known.get(pid)
    // A time to come was recorded before the clock was set back.
    return found && found.readAt < startedAtMs && startedAtMs <= now() ? undefined : found
  }

  async function readUnknown(recorded: readonly RecordedProcess[]): Promise<void> {
    for (const [pid, { readAt }] of known) if (now() - readAt > FRESH_MS) known.delete(pid)
    const pids = recorded.filter((each) => findKnown(each) === undefined).map(({ pid }) => pid)
    const unknown = [...new Set(pids)].filter((pid) => Number.isInteger(pid) && pid > 0)
    if (unknown.length === 0) return
    const readAt = now()
    const found = await ask(unknown).catch(() => undefined)
    for (const pid of unknown) known.set(pid, { startedAtMs: found?.get(pid), readAt })
  }

  return {
    get: (recorded) => findKnown(recorded)?.startedAtMs,
    // One after the other, so that the same process is asked about once.
    read: (recorded) => (reading = reading.then(() => readUnknown(recorded))),
  }
}

interface KnownStart {
  readonly startedAtMs: number | undefined
  /** When the question began. */
  readonly readAt: number
}
