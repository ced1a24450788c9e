// The name of a tool, made from that of a file: what every client and every model takes.

const MAX_LENGTH = 64

/** Undefined where nothing of it is left. */
export function toolNameOf(file: string): string | undefined {
  const stem = file.replace(/(?<=.)\.[^.]*$/, '')
  const plain = stem.normalize('NFKD').replace(/\p{M}+/gu, '')
  const name = plain
    .replaceAll(/[^A-Za-z0-9_-]+/g, '_')
    .slice(0, MAX_LENGTH)
    .replace(/_+$/, '')
  return /[A-Za-z0-9]/.test(name) ? name : undefined
}
