// This program as others see it: how to start it again, and what it runs on.

import type { Launch } from './connect.js'

export function launch(): Launch {
  const script = process.argv[1]
  return { command: process.execPath, args: script === undefined || isCompiled() ? [] : [script] }
}

export function runtime(): string {
  const { bun } = process.versions
  return bun === undefined ? `Node.js ${process.version}` : `Bun ${bun} (Node.js ${process.version})`
}

/** Whether runtime and program are one file; its parts then lie in a folder that only it can see. */
export function isCompiled(script = process.argv[1] ?? ''): boolean {
  return process.versions.bun !== undefined && /^(\/\$bunfs\/|[A-Za-z]:[\\/]~BUN[\\/])/.test(script)
}
