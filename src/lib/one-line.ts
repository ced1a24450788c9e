// Text on one line, cut where it is too long, never within a character.

export function oneLine(text: string, most: number): string {
  const line = text.replaceAll(/\s+/g, ' ').trim()
  if (line.length <= most) return line
  const end = most - 3
  const code = line.charCodeAt(end - 1)
  return `${line.slice(0, code >= 0xd800 && code < 0xdc00 ? end - 1 : end)}...`
}
