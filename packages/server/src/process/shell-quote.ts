// Quotes a word for a POSIX shell. Used by the supervisor, scripts, skills, the installer and the doctor. Pure.

export function quoteShellWord(word: string): string {
  return `'${word.replaceAll("'", `'\\''`)}'`
}

/** Quotes the word only if needed, as a person would type it. */
export function quoteShellWordIfNeeded(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : quoteShellWord(word)
}
