// How much memory the processes of a browser have for themselves alone. Where /proc is missing, nothing is known.

import { readFile } from 'node:fs/promises'

import { isObject } from '../../lib/json.js'
import type { LiveBrowser } from './launch.js'

const PAGE_BYTES = 4096

export interface Share {
  readonly pid: number
  readonly isPage: boolean
  readonly bytes: number
}

export async function memoryOf({ devtools }: LiveBrowser): Promise<readonly Share[]> {
  const { processInfo } = await devtools.root.ask('SystemInfo.getProcessInfo')
  if (!Array.isArray(processInfo)) return []
  const processes = processInfo
    .filter(isObject)
    .map(({ id, type }) => ({ pid: Number(id), isPage: type === 'renderer' }))
  // Some numbers mean many processes, and none of them a browser's.
  const real = processes.filter(({ pid }) => Number.isInteger(pid) && pid > 1)
  return Promise.all(real.map(async (each) => Object.assign(each, { bytes: await privateBytes(each.pid) })))
}

async function privateBytes(pid: number): Promise<number> {
  try {
    const [, resident = 0, shared = 0] = (await readFile(`/proc/${pid}/statm`, 'latin1')).split(' ').map(Number)
    return (resident - shared) * PAGE_BYTES
  } catch {
    return 0
  }
}
