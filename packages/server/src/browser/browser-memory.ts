// Reads the private memory of each browser process. Without /proc, nothing is known.

import { readFile } from 'node:fs/promises'

import { isJsonObject } from '@scorpiox/mcp/json/json'
import type { BrowserProcess } from './browser-process.js'

const PAGE_BYTES = 4096

interface ProcessMemory {
  readonly pid: number
  readonly isPage: boolean
  readonly bytes: number
}

export async function readBrowserMemory({ devtools }: BrowserProcess): Promise<readonly ProcessMemory[]> {
  const { processInfo } = await devtools.root.send('SystemInfo.getProcessInfo')
  if (!Array.isArray(processInfo)) return []
  const processes = processInfo
    .filter(isJsonObject)
    .map(({ id, type }) => ({ pid: Number(id), isPage: type === 'renderer' }))
  // Values up to 1 are not the pid of a browser process.
  const real = processes.filter(({ pid }) => Number.isInteger(pid) && pid > 1)
  return Promise.all(
    real.map(async (browserProcess) =>
      Object.assign(browserProcess, { bytes: await privateBytes(browserProcess.pid) }),
    ),
  )
}

async function privateBytes(pid: number): Promise<number> {
  try {
    const [, resident = 0, shared = 0] = (await readFile(`/proc/${pid}/statm`, 'latin1')).split(' ').map(Number)
    return (resident - shared) * PAGE_BYTES
  } catch {
    return 0
  }
}
