// The day that an engine gives with a hit, whichever way it writes it. What says only "yesterday" says nothing: it is
// not known when the page was seen.

const ISO = /^(\d{4})[-/](\d{2})(?:[-/](\d{2}))?(?:[T ]|$)/
const WORDS = /^(?:[A-Z][a-z]{2}, )?(?:\d{1,2} [A-Z][a-z]{2,8}|[A-Z][a-z]{2,8} \d{1,2},) \d{4}/
const FIRST_YEAR = 1990
/** Somewhere it is tomorrow already. */
const AHEAD_MS = 2 * 86_400_000

/** `now` in milliseconds since 1970. */
export function dayOf(date: unknown, now = Date.now()): string | null {
  if (typeof date === 'number') return dayAt(date < 1e11 ? date * 1000 : date, now)
  if (typeof date !== 'string') return null
  const text = date.trim()
  const [, year, month, day = '01'] = ISO.exec(text) ?? []
  if (year !== undefined && month !== undefined) {
    const found = dayAt(Date.parse(`${year}-${month}-${day}`), now)
    // February has no 31st, which a date would count on from.
    return found === `${year}-${month}-${day}` ? found : null
  }
  const [words] = WORDS.exec(text) ?? []
  return words === undefined ? null : dayAt(Date.parse(`${words} UTC`), now)
}

/** A day that is still to come is none on which something was written. */
function dayAt(time: number, now: number): string | null {
  if (Number.isNaN(time) || time > now + AHEAD_MS || time < -8.64e15) return null
  const day = new Date(time)
  return day.getUTCFullYear() >= FIRST_YEAR ? day.toISOString().slice(0, 10) : null
}
