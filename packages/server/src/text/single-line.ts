// Turns text into a single line without control characters and bidi overrides, truncated to a maximum length at a
// character boundary.

export function toSingleLine(text: string, maxLength: number): string {
  const line = text
    .replaceAll(/[\u202A-\u202E\u2066-\u2069]/g, '')
    .replaceAll(/[\p{Cc}\s]+/gu, ' ')
    .trim()
  return line.length <= maxLength ? line : `${line.slice(0, maxLength - 1).replace(/[\uD800-\uDBFF]$/, '')}…`
}
