// A name for a file or folder that stands for any text, such as a path or a user.

import { createHash } from 'node:crypto'

export function hashedName(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 16)
}
