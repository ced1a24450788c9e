// Stores task handles as JSON files, one each, in a folder per user: they survive the process that created them. Files
// are replaced atomically. Implements task-handle-store.ts. Opened by create-server.ts of the app, or by programs on
// the library. Reads and writes files.

import { createHash } from 'node:crypto'
import { readdir, readFile, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'

import { isJsonObject } from '../json/json.js'
import { makePrivateFolder, replaceFileAsync } from '../atomic-file.js'
import { isTaskHandleExpired, selectExcess, type TaskHandleRecord, type TaskHandleStore } from './task-handle-store.js'

const CLEANUP_INTERVAL_MS = 60 * 60 * 1000
const CHECK_EVERY_COUNT = 20
const CHECK_EVERY_BYTES = 4 * 1024 * 1024

/** Removes expired records now, and every hour while records are saved. */
export async function openTaskHandleFolder(folder: string): Promise<TaskHandleStore> {
  await removeExpired(folder)
  let nextCleanup = Date.now() + CLEANUP_INTERVAL_MS
  const savedByUser = new Map<string, { count: number; bytes: number }>()

  /** Files are counted once for so many finished records. */
  function isCheckDue({ user, result = '' }: TaskHandleRecord): boolean {
    const saved = savedByUser.get(user) ?? { count: 0, bytes: 0 }
    savedByUser.set(user, saved)
    saved.count++
    saved.bytes += result.length
    if (saved.count < CHECK_EVERY_COUNT && saved.bytes < CHECK_EVERY_BYTES) return false
    savedByUser.delete(user)
    return true
  }

  return {
    async save(record) {
      const userFolder = userFolderPath(folder, record.user)
      makePrivateFolder(userFolder)
      await replaceFileAsync(join(userFolder, `${record.id}.json`), JSON.stringify(record))
      if (record.status !== 'working' && isCheckDue(record)) await removeExcess(userFolder)
      if (Date.now() < nextCleanup) return
      nextCleanup = Date.now() + CLEANUP_INTERVAL_MS
      void removeExpired(folder)
    },
    async load(user, id) {
      if (!/^[\w-]{1,64}$/.test(id)) return undefined
      const record = await readRecord(join(userFolderPath(folder, user), `${id}.json`))
      return record === undefined || record.user !== user || isTaskHandleExpired(record, Date.now())
        ? undefined
        : record
    },
  }
}

function userFolderPath(folder: string, user: string): string {
  return join(folder, createHash('sha256').update(user).digest('hex').slice(0, 32))
}

async function readRecord(path: string): Promise<TaskHandleRecord | undefined> {
  try {
    const value: unknown = JSON.parse(await readFile(path, 'utf8'))
    return isRecord(value) ? value : undefined
  } catch {
    return undefined
  }
}

function isRecord(value: unknown): value is TaskHandleRecord {
  if (!isJsonObject(value)) return false
  const { id, user, pid, createdAt, updatedAt, ttlMs, pollMs, status } = value
  const numbers = [pid, createdAt, updatedAt, ttlMs, pollMs]
  return [id, user, status].every((text) => typeof text === 'string') && numbers.every(Number.isFinite)
}

/** Removes expired records and temporary files left by a crash. Never throws. */
async function removeExpired(folder: string): Promise<void> {
  const users = await readdir(folder).catch(() => [])
  for (const user of users) {
    for (const name of await readdir(join(folder, user)).catch(() => [])) {
      const path = join(folder, user, name)
      if (await isRemovable(path)) await rm(path, { force: true }).catch(() => undefined)
    }
  }
}

/** Removes the oldest finished records of a user if there are too many. Never throws. */
async function removeExcess(userFolder: string): Promise<void> {
  const names = await readdir(userFolder).catch(() => [])
  const files = await Promise.all(
    names
      .filter((name) => name.endsWith('.json'))
      .map(async (name) => ({
        id: join(userFolder, name),
        info: await stat(join(userFolder, name)).catch(() => undefined),
      })),
  )
  const newestFirst = files
    .map(({ id, info }) => ({ id, bytes: info?.size ?? 0, changedAt: info?.mtimeMs ?? Infinity }))
    .toSorted((one, other) => other.changedAt - one.changedAt)
  for (const { id } of selectExcess(newestFirst)) {
    // A running task has an old record, and is limited by itself.
    const record = await readRecord(id)
    if (record?.status !== 'working') await rm(id, { force: true }).catch(() => undefined)
  }
}

async function isRemovable(path: string): Promise<boolean> {
  if (path.endsWith('.tmp')) {
    const info = await stat(path).catch(() => undefined)
    return info !== undefined && Date.now() - info.mtimeMs > CLEANUP_INTERVAL_MS
  }
  const record = path.endsWith('.json') ? await readRecord(path) : undefined
  return record !== undefined && isTaskHandleExpired(record, Date.now())
}
