// Text on one line, without what a terminal would obey or what turns the rest of the line around; cut where it is too
// long, never within a character.

export function oneLine(text: string, most: number): string {
  const line = text
    .replaceAll(/[\u202A-\u202E\u2066-\u2069]/g, '')
    .replaceAll(/[\p{Cc}\s]+/gu, ' ')
    .trim()
  return line.length <= most ? line : `${line.slice(0, most - 1).replace(/[\uD800-\uDBFF]$/, '')}…`
}
