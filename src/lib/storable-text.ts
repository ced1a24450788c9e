// Replaces lone surrogates and NUL, which databases do not return unchanged, by U+FFFD.

export function storableText(text: string): string {
  return text.toWellFormed().replaceAll('\0', '\uFFFD')
}
