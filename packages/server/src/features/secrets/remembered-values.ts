// The secrets that users entered, kept in memory so that they can be redacted from the output of their commands: as
// they are, and as they look in an address or a JSON text. Bounded in number and time. Used by secret-service. Sets timers.

/** A shorter one would also hide a part of ordinary words, and can be guessed from what is left. */
const MIN_REDACTED_BYTES = 4
const MAX_PER_USER = 64
const MAX_USERS = 1000
const KEEP_MS = 24 * 60 * 60 * 1000

export interface RememberedValues {
  add(user: string, value: string): void
  clear(): void
}

/** By user: what is to be redacted. */
type Patterns = Map<string, readonly Buffer[]>

export function createRememberedValues(patterns: Patterns, keepMs = KEEP_MS): RememberedValues {
  /** By user and value: when it was entered. */
  const users = new Map<string, Map<string, number>>()
  let timer: NodeJS.Timeout | undefined

  function update(user: string, values: Map<string, number>): void {
    for (const value of values.keys()) if (values.size > MAX_PER_USER) values.delete(value)
    patterns.set(user, [...values.keys()].flatMap(toPatterns))
  }

  function forget(user: string): void {
    users.delete(user)
    patterns.delete(user)
  }

  function removeExpired(): void {
    timer = undefined
    const cutoff = performance.now() - keepMs
    for (const [user, values] of users) {
      for (const [value, enteredAt] of values) if (enteredAt <= cutoff) values.delete(value)
      if (values.size === 0) forget(user)
      else update(user, values)
    }
    schedule()
  }

  function schedule(): void {
    const oldest = Math.min(...[...users.values()].flatMap((values) => [...values.values()].slice(0, 1)))
    if (oldest < Infinity) timer ??= setTimeout(removeExpired, oldest + keepMs - performance.now() + 1).unref()
  }

  return {
    add(user, value) {
      if (Buffer.byteLength(value) < MIN_REDACTED_BYTES) return
      const values = users.get(user) ?? new Map<string, number>()
      // The users are in the order in which they last entered one.
      users.delete(user)
      const [first] = users.keys()
      if (first !== undefined && users.size >= MAX_USERS) forget(first)
      users.set(user, values)
      values.delete(value)
      values.set(value, performance.now())
      update(user, values)
      schedule()
    },
    clear() {
      clearTimeout(timer)
      for (const user of users.keys()) forget(user)
    },
  }
}

function toPatterns(value: string): readonly Buffer[] {
  const forms = new Set([value, encodeURIComponent(value.toWellFormed()), JSON.stringify(value).slice(1, -1)])
  return [...forms].map((form) => Buffer.from(form))
}
