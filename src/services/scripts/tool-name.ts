// Makes a tool name from a file name, using only characters that every client and model accepts.

const MAX_LENGTH = 64

/** Undefined if no letter or digit remains. */
export function toolNameOf(file: string): string | undefined {
  const stem = file.replace(/(?<=.)\.[^.]*$/, '')
  const plain = stem.normalize('NFKD').replace(/\p{M}+/gu, '')
  const name = plain
    .replaceAll(/[^A-Za-z0-9_-]+/g, '_')
    .slice(0, MAX_LENGTH)
    .replace(/_+$/, '')
  return /[A-Za-z0-9]/.test(name) ? name : undefined
}
