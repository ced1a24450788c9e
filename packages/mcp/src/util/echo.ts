// Truncates text of a client that is repeated in a message to it.

export function echo(text: string, maxCharacters = 500): string {
  return text.slice(0, maxCharacters)
}
