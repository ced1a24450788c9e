// Parses the date of a hit in the formats that engines use. Relative dates such as "yesterday" are ignored, because the
// time of crawling is unknown.

const ISO = /^(\d{4})[-/](\d{2})(?:[-/](\d{2}))?(?:[T ]|$)/
const WORDS = /^(?:[A-Z][a-z]{2}, )?(?:\d{1,2} [A-Z][a-z]{2,8}|[A-Z][a-z]{2,8} \d{1,2},) \d{4}/
const FIRST_YEAR = 1990
/** Tolerance for time zones. */
const AHEAD_MS = 2 * 86_400_000

/** `now` in milliseconds since 1970. */
export function dayOf(date: unknown, now = Date.now()): string | null {
  if (typeof date === 'number') return dayAt(date < 1e11 ? date * 1000 : date, now)
  if (typeof date !== 'string') return null
  const text = date.trim()
  const [, year, month, day = '01'] = ISO.exec(text) ?? []
  if (year !== undefined && month !== undefined) {
    const parsed = dayAt(Date.parse(`${year}-${month}-${day}`), now)
    // Rejects dates such as February 31, which Date.parse would roll over.
    return parsed === `${year}-${month}-${day}` ? parsed : null
  }
  const [dateText] = WORDS.exec(text) ?? []
  return dateText === undefined ? null : dayAt(Date.parse(`${dateText} UTC`), now)
}

/** Null for future days. */
function dayAt(time: number, now: number): string | null {
  if (Number.isNaN(time) || time > now + AHEAD_MS || time < -8.64e15) return null
  const day = new Date(time)
  return day.getUTCFullYear() >= FIRST_YEAR ? day.toISOString().slice(0, 10) : null
}
