// Replaces secrets in a stream of bytes, also where one is split across chunks. Bytes that may be the beginning of a
// secret are held back until more arrives, or for a short time. Used by command-execution of features/shell, and
// for whole texts by features/history. Sets timers.

const REPLACEMENT = Buffer.from('[secret]')
/** The end of a prompt may look like the beginning of a secret. */
const SHORT_HOLD_MS = 250
/** So many matching bytes are hardly a coincidence. */
const LONG_MATCH = 4
const LONG_HOLD_MS = 1000
const EMPTY = Buffer.alloc(0)

export interface SecretRedactor {
  readonly write: (chunk: Buffer) => void
  /** Passes on what is held back: nothing follows. */
  readonly end: () => void
}

/** `secrets` is called for each chunk; as long as it returns none, chunks are passed on as they are. */
export function createSecretRedactor(
  secrets: () => readonly Buffer[],
  passOn: (bytes: Buffer) => void,
): SecretRedactor {
  /** Passed on already, but a secret may have begun in it. */
  let shown: Buffer = EMPTY
  let held: Buffer = EMPTY
  let timer: NodeJS.Timeout | undefined

  function advance(chunk: Buffer, isComplete: boolean): void {
    clearTimeout(timer)
    timer = undefined
    const text = Buffer.concat([shown, held, chunk])
    const { output, rest, restStart } = redact(text, shown.length, secrets(), isComplete)
    const shownOfRest = Math.max(shown.length - restStart, 0)
    shown = rest.subarray(0, shownOfRest)
    held = rest.subarray(shownOfRest)
    if (output.length > 0) passOn(output)
    if (held.length > 0) timer = setTimeout(release, rest.length < LONG_MATCH ? SHORT_HOLD_MS : LONG_HOLD_MS).unref()
  }

  /** What is shown now stays part of a possible secret, the rest of which is still replaced. */
  function release(): void {
    timer = undefined
    const bytes = held
    shown = Buffer.concat([shown, held])
    held = EMPTY
    passOn(redactWhole(bytes, secrets()))
  }

  return {
    write(chunk) {
      if (held.length === 0 && shown.length === 0 && secrets().length === 0) passOn(chunk)
      else advance(chunk, false)
    },
    end() {
      if (held.length > 0) advance(EMPTY, true)
      shown = EMPTY
    },
  }
}

/** Replaces the secrets in a whole text. */
export function redactWhole(bytes: Buffer, secrets: readonly Buffer[]): Buffer {
  return redact(bytes, 0, secrets, true).output
}

interface Redacted {
  readonly output: Buffer
  /** The end of the text, which may be the beginning of a secret. */
  readonly rest: Buffer
  readonly restStart: number
}

/** `from`: bytes before it were passed on already. */
function redact(text: Buffer, from: number, secrets: readonly Buffer[], isComplete: boolean): Redacted {
  const output: Buffer[] = []
  let at = 0
  const restStart = isComplete ? () => text.length : () => findPartialSecret(text, at, secrets)
  const findSecret = createSecretFinder(text, secrets)
  let end = restStart()
  for (let match = findSecret(at); match && match.start < end; match = findSecret(at)) {
    output.push(text.subarray(Math.min(Math.max(at, from), match.start), match.start))
    if (match.end > from) output.push(REPLACEMENT)
    at = match.end
    end = restStart()
  }
  output.push(text.subarray(Math.min(Math.max(at, from), end), end))
  return { output: Buffer.concat(output), rest: text.subarray(end), restStart: end }
}

/**
 * Finds the first secret after a position, and the longest of those that begin there; the positions grow. Each secret is
 * searched once in the whole text, not again after each match of another.
 */
function createSecretFinder(text: Buffer, secrets: readonly Buffer[]) {
  const starts = new Map(secrets.map((secret) => [secret, -1]))
  return (at: number) => {
    let found: { readonly start: number; readonly end: number } | undefined
    for (const [secret, known] of starts) {
      const start = known < at ? text.indexOf(secret, at) : known
      if (start < 0) {
        starts.delete(secret)
        continue
      }
      if (start !== known) starts.set(secret, start)
      const end = start + secret.length
      if (!found || start < found.start || (start === found.start && end > found.end)) found = { start, end }
    }
    return found
  }
}

/** Where the text begins that may go on as a secret; its end if there is none. */
function findPartialSecret(text: Buffer, at: number, secrets: readonly Buffer[]): number {
  let found = text.length
  for (const secret of secrets) {
    const first = secret[0] ?? 0
    for (
      let start = text.indexOf(first, Math.max(at, text.length - secret.length + 1));
      start >= 0 && start < found;
      start = text.indexOf(first, start + 1)
    ) {
      if (text.compare(secret, 0, text.length - start, start) === 0) found = start
    }
  }
  return found
}
