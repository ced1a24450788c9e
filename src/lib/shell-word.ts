// Quotes a word for a POSIX shell.

export function quotedWord(word: string): string {
  return `'${word.replaceAll("'", `'\\''`)}'`
}

/** Quotes the word only if needed, as a person would type it. */
export function shellWord(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : quotedWord(word)
}
