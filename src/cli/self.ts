// This program as others see it: how to start it again, and what it runs on.

import { bunVersion } from '../platform/bun.js'
import { executableEntry } from '../platform/program.js'
import type { Launch } from './connect.js'

export function launch(): Launch {
  const script = process.argv[1]
  const isAlone = script === undefined || executableEntry() !== undefined
  return { command: process.execPath, args: isAlone ? [] : [script] }
}

export function runtime(): string {
  const bun = bunVersion()
  const name = bun === undefined ? `Node.js ${process.version}` : `Bun ${bun} (Node.js ${process.version})`
  return executableEntry() === undefined ? name : `${name}, all in one executable`
}
