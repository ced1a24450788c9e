// One word of a shell, whatever is in it.

export function quotedWord(word: string): string {
  return `'${word.replaceAll("'", `'\\''`)}'`
}

/** As a person would type it: with quotes only where they are needed. */
export function shellWord(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : quotedWord(word)
}
