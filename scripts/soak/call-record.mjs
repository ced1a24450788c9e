// Every call of the soak with its outcome, and which failures are those of a fault. A failure is the fault's own only if
// the call, or the work it asks about, overlaps the fault's time, the fault touches what the call needs, and the answer
// says so in a sentence. Everything else counts as failed.

/** What a server may need after a fault until everything is as before it. */
export const MARGIN_MS = 5_000
const [HEAD, TAIL] = [200, 400]
const MAX_FAILURES = 2_000

/** A failure of a call, so that the operation it belongs to ends. */
export class FailedCall extends Error {}

/** `onFailure` is called with each failure when it happens. */
export function createCallRecord(onFailure = () => {}) {
  const counts = new Map()
  const failures = []
  const milliseconds = []
  let [ok, abandoned, writes, inFlight] = [0, 0, 0, 0]

  function fail(record, words) {
    const failure = { ...record, endedAt: Date.now(), words: shorten(words) }
    if (failures.length < MAX_FAILURES) failures.push(failure)
    onFailure(failure)
    throw new FailedCall(words)
  }

  return {
    failures,
    counts,
    figures: () => ({ ok, abandoned, writes, inFlight, failed: failures.length, milliseconds }),
    noteAbandoned: () => void (abandoned += 1),
    /**
     * Runs one call and checks its answer. `needs` are what the call depends on: command, database, disk, worker, session;
     * `since` is when the work began that the call asks about; `expected` is a text or a test of the answer's text.
     */
    async check({ subject, user, client, operation, tool, needs, since, expected = '', mayFail }, call) {
      const startedAt = Date.now()
      const record = { subject, user, client, operation, tool, needs, since: since ?? startedAt, startedAt }
      counts.set(operation, (counts.get(operation) ?? 0) + 1)
      inFlight += 1
      let answer
      try {
        answer = await call()
      } catch (error) {
        fail(record, `no answer: ${error.message}`)
      } finally {
        inFlight -= 1
      }
      const { status, text, isError, error } = answer
      if (status >= 400 || error !== undefined || isError) {
        if (mayFail?.test(text)) return answer
        fail(record, `${status} ${text}`)
      }
      const isRight = typeof expected === 'function' ? expected(answer) : text.includes(expected)
      if (!isRight) fail(record, `another answer than expected: ${text}`)
      ok += 1
      if (needs.includes('database')) writes += 1
      milliseconds.push(Date.now() - startedAt)
      return answer
    },
  }
}

/** What a result says of its output stands at its end. */
function shorten(words) {
  return words.length <= HEAD + TAIL ? words : `${words.slice(0, HEAD)} … ${words.slice(-TAIL)}`
}

/** Splits failures into those of a fault, with its name, and the others. `faults` are {subject, kind, touches, says, startedAt, endedAt}. */
export function attributeFailures(failures, faults) {
  const own = []
  const others = []
  for (const failure of failures) {
    const fault = faults.find((one) => isOfFault(failure, one))
    if (fault) own.push({ ...failure, fault: fault.kind })
    else others.push({ ...failure, near: faults.filter((one) => overlaps(failure, one)).map(({ kind }) => kind) })
  }
  return { own, others }
}

function isOfFault(failure, fault) {
  return (
    overlaps(failure, fault) &&
    failure.needs.some((need) => fault.touches.includes(need)) &&
    fault.says.test(failure.words)
  )
}

function overlaps({ subject, since, endedAt }, fault) {
  return subject === fault.subject && since <= fault.endedAt + MARGIN_MS && endedAt >= fault.startedAt
}
