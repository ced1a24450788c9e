// Where a text stops being JSON, which the engine does not always say. A beginning that may still become JSON fails at
// its very end; the first that fails earlier ends with the character that cannot stand there.

/** The index of that character; the length of the text where it merely ends too early. */
export function jsonErrorAt(text: string): number {
  let good = 0
  let bad = text.length + 1
  while (bad - good > 1) {
    const middle = (good + bad) >> 1
    if (mayGoOn(text.slice(0, middle))) good = middle
    else bad = middle
  }
  return good
}

function mayGoOn(beginning: string): boolean {
  try {
    JSON.parse(beginning)
    return true
  } catch (error) {
    const message = error instanceof Error ? error.message : ''
    const [, position] = /at position (\d+)/.exec(message) ?? []
    return position === undefined ? message.includes('end of JSON') : Number(position) >= beginning.length
  }
}
