// Quotes a word for a POSIX shell, or in text for people for the shell of their system. Used by the supervisor, scripts,
// skills, the installer and the doctor. Pure.

export function quoteShellWord(word: string): string {
  return `'${word.replaceAll("'", `'\\''`)}'`
}

/** Quotes the word only if needed, as a person would type it: on Windows for cmd and PowerShell. */
export function quoteShellWordIfNeeded(word: string, platform = process.platform): string {
  if (platform !== 'win32') return /^[\w@%+=:,./-]+$/.test(word) ? word : quoteShellWord(word)
  // PowerShell takes a comma for a list and @ for a variable. A backslash before the closing quote would escape it.
  return /^[\w+=:.\\/-]+$/.test(word) ? word : `"${word.replace(/(?<!\\)\\+$/, '$&$&')}"`
}

/**
 * A program and its arguments, as a person would type them. PowerShell, which new terminals of Windows open, takes a
 * quoted path for a text unless & stands before it.
 */
export function formatCommandLine(words: readonly string[], platform = process.platform): string {
  const line = words.map((word) => quoteShellWordIfNeeded(word, platform)).join(' ')
  return platform === 'win32' && line.startsWith('"') ? `& ${line}` : line
}
