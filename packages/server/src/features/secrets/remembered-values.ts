// The secrets that users entered, kept in memory so that they can be redacted from the output of their commands: as
// they are, and as they look in an address or a JSON text. Bounded in number and time. Used by secret-service. No I/O.

/** A shorter one would also hide a part of ordinary words, and can be guessed from what is left. */
const MIN_REDACTED_BYTES = 4
const MAX_PER_USER = 64
const MAX_USERS = 1000
const KEEP_MS = 24 * 60 * 60 * 1000

export interface RememberedValues {
  add(user: string, value: string): void
  /** What is to be redacted for this user. */
  patternsOf(user: string): readonly Buffer[]
  clear(): void
}

interface UserValues {
  /** By value: when it was entered. */
  readonly enteredAt: Map<string, number>
  patterns: readonly Buffer[]
  /** When the oldest is too old. */
  until: number
}

const NONE: readonly Buffer[] = []

export function createRememberedValues(now = () => performance.now()): RememberedValues {
  const users = new Map<string, UserValues>()

  function update(user: string, values: UserValues): void {
    for (const [value, enteredAt] of values.enteredAt) if (now() - enteredAt >= KEEP_MS) values.enteredAt.delete(value)
    for (const value of values.enteredAt.keys())
      if (values.enteredAt.size > MAX_PER_USER) values.enteredAt.delete(value)
    values.patterns = [...values.enteredAt.keys()].flatMap(toPatterns)
    const [oldest = Infinity] = values.enteredAt.values()
    values.until = oldest + KEEP_MS
    if (values.enteredAt.size === 0) users.delete(user)
  }

  return {
    add(user, value) {
      if (Buffer.byteLength(value) < MIN_REDACTED_BYTES) return
      const values = users.get(user) ?? { enteredAt: new Map<string, number>(), patterns: NONE, until: Infinity }
      // The users are in the order in which they last entered one.
      users.delete(user)
      const [first] = users.keys()
      if (first !== undefined && users.size >= MAX_USERS) users.delete(first)
      users.set(user, values)
      values.enteredAt.delete(value)
      values.enteredAt.set(value, now())
      update(user, values)
    },
    patternsOf(user) {
      const values = users.get(user)
      if (!values) return NONE
      if (now() >= values.until) update(user, values)
      return values.patterns
    },
    clear: () => users.clear(),
  }
}

function toPatterns(value: string): readonly Buffer[] {
  const forms = new Set([value, encodeURIComponent(value.toWellFormed()), JSON.stringify(value).slice(1, -1)])
  return [...forms].map((form) => Buffer.from(form))
}
