// A file name derived from any text, such as a path or a user name.

import { createHash } from 'node:crypto'

export function hashedName(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 16)
}
