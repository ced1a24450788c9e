// Tickets as files, one each, in a folder per user: they survive the process that made them. Whoever reads one sees all
// of it, or what was before.

import { createHash } from 'node:crypto'
import { readdir, readFile, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'

import { isObject } from '../lib/json.js'
import { makePrivateFolder, replaceFileLater } from './atomic-file.js'
import { isOver, type TicketRecord, type TicketStore } from './ticket-store.js'

const SWEEP_MS = 60 * 60 * 1000

/** Looks at once for what is over, and from time to time while records are saved. */
export async function openTicketFiles(folder: string): Promise<TicketStore> {
  await sweep(folder)
  let nextSweep = Date.now() + SWEEP_MS
  return {
    async save(record) {
      const home = folderOf(folder, record.user)
      makePrivateFolder(home)
      await replaceFileLater(join(home, `${record.id}.json`), JSON.stringify(record))
      if (Date.now() < nextSweep) return
      nextSweep = Date.now() + SWEEP_MS
      void sweep(folder)
    },
    async load(user, id) {
      if (!/^[\w-]{1,64}$/.test(id)) return undefined
      const record = await read(join(folderOf(folder, user), `${id}.json`))
      return record === undefined || record.user !== user || isOver(record, Date.now()) ? undefined : record
    },
  }
}

function folderOf(folder: string, user: string): string {
  return join(folder, createHash('sha256').update(user).digest('hex').slice(0, 32))
}

async function read(path: string): Promise<TicketRecord | undefined> {
  try {
    const value: unknown = JSON.parse(await readFile(path, 'utf8'))
    return isRecord(value) ? value : undefined
  } catch {
    return undefined
  }
}

function isRecord(value: unknown): value is TicketRecord {
  if (!isObject(value)) return false
  const { id, user, pid, createdAt, updatedAt, ttlMs, pollMs, status } = value
  const numbers = [pid, createdAt, updatedAt, ttlMs, pollMs]
  return [id, user, status].every((text) => typeof text === 'string') && numbers.every(Number.isFinite)
}

/** Removes what is over and what a crash left half-written; the rest is none of our business. Never throws. */
async function sweep(folder: string): Promise<void> {
  const users = await readdir(folder).catch(() => [])
  for (const user of users) {
    for (const name of await readdir(join(folder, user)).catch(() => [])) {
      const path = join(folder, user, name)
      if (await isRubbish(path)) await rm(path, { force: true }).catch(() => undefined)
    }
  }
}

async function isRubbish(path: string): Promise<boolean> {
  if (path.endsWith('.tmp')) {
    const found = await stat(path).catch(() => undefined)
    return found !== undefined && Date.now() - found.mtimeMs > SWEEP_MS
  }
  const record = path.endsWith('.json') ? await read(path) : undefined
  return record !== undefined && isOver(record, Date.now())
}
