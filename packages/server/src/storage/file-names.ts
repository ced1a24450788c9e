// File names made of timestamps and hashes. A timestamp looks like 20260728-093000, so that files sorted by name are in
// order of time.

import { createHash } from 'node:crypto'

export function timestampForFileName(date: Date): string {
  return date
    .toISOString()
    .replaceAll(/[-:]|\.\d+Z/g, '')
    .replace('T', '-')
}

// A file name derived from any text, such as a path or a user name.

export function hashForFileName(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 16)
}
