// A text that every database gives back as it was given: no half characters and no NUL, both shown as U+FFFD.

export function storableText(text: string): string {
  return text.toWellFormed().replaceAll('\0', '\uFFFD')
}
