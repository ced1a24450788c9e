// Formats numbers, durations, single lines and the notes after an output, for the text of all tools. Also used by the
// console. Pure.

/** The output followed by each note in brackets on a line of its own. */
export function appendNotes(output: string, notes: readonly string[]): string {
  if (notes.length === 0) return output
  const lines = notes.map((note) => `[${note}]`).join('\n')
  return output === '' ? lines : `${output.endsWith('\n') ? output : `${output}\n`}${lines}`
}

/** Of an integer. Not toLocaleString: its first call takes 14 ms. */
export function formatNumber(number: number): string {
  return String(number).replace(/\B(?=(?:\d{3}){1,7}$)/g, ',')
}

export function formatCount(number: number, one: string, many: string): string {
  return `${formatNumber(number)} ${number === 1 ? one : many}`
}

/** For example "1.5 s", "42 s", "4 min 32 s", "3 h 5 min". */
export function formatDuration(ms: number): string {
  const seconds = ms / 1000
  if (seconds < 10) return `${Number(seconds.toFixed(1))} s`
  if (seconds < 60) return `${Math.round(seconds)} s`
  const minutes = Math.floor(seconds / 60)
  if (minutes < 60) return `${minutes} min ${Math.floor(seconds % 60)} s`
  const hours = Math.floor(minutes / 60)
  return hours < 48 ? `${hours} h ${minutes % 60} min` : `${Math.floor(hours / 24)} days ${hours % 24} h`
}

// Turns text into a single line without control characters and bidi overrides, truncated to a maximum length at a
// character boundary.
export function toSingleLine(text: string, maxLength: number): string {
  const line = text
    .replaceAll(/[\u202A-\u202E\u2066-\u2069]/g, '')
    .replaceAll(/[\p{Cc}\s]+/gu, ' ')
    .trim()
  return line.length <= maxLength ? line : `${line.slice(0, maxLength - 1).replace(/[\uD800-\uDBFF]$/, '')}…`
}
