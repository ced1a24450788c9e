// The day that an engine gives with a hit, whichever way it writes it. What says only "yesterday" says nothing: it is
// not known when the page was seen.

const ISO = /^(\d{4})-(\d{2})(?:-(\d{2}))?(?:[T ]|$)/
const WORDS = /^(?:[A-Z][a-z]{2}, )?(?:\d{1,2} [A-Z][a-z]{2,8}|[A-Z][a-z]{2,8} \d{1,2},) \d{4}/
const FIRST_YEAR = 1990

export function dayOf(date: unknown): string | null {
  if (typeof date === 'number') return dayAt(date < 1e11 ? date * 1000 : date)
  if (typeof date !== 'string') return null
  const text = date.trim()
  const [, year, month, day = '01'] = ISO.exec(text) ?? []
  if (year !== undefined && month !== undefined) return dayAt(Date.parse(`${year}-${month}-${day}`))
  const [words] = WORDS.exec(text) ?? []
  return words === undefined ? null : dayAt(Date.parse(`${words} UTC`))
}

function dayAt(time: number): string | null {
  if (Number.isNaN(time) || Math.abs(time) > 8.64e15) return null
  const day = new Date(time)
  return day.getUTCFullYear() >= FIRST_YEAR && day.getUTCFullYear() < 2100 ? day.toISOString().slice(0, 10) : null
}
