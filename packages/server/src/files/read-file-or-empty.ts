// The content of a small file, such as those in /proc and /sys; empty if it cannot be read. Reads synchronously. Used
// by process-identity, clock, the sandbox and the installer.

import { readFileSync } from 'node:fs'

export function readFileOrEmpty(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}
