// What a terminal sends for keys that are not letters.
export const keys = { enter: '\r', down: '\u001b[B', right: '\u001b[C' }
