// Text of others without what turns it around or cannot be seen: it could be read as what it is not.

export function harmless(text: string): string {
  return text.replaceAll(/[\u202A-\u202E\u2066-\u2069]|(?![\n\t])\p{Cc}/gu, '')
}
