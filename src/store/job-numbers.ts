// Allocates job ids by creating a folder, which only one process can do. Ids increase and are never reused, even with
// several servers and while old jobs are removed. The highest folder records the last id, so it is never removed, even
// if the allocation failed halfway.

import { mkdirSync, readdirSync, rmdirSync } from 'node:fs'
import { join } from 'node:path'

import { hasCode } from '../lib/error-code.js'
import { Failure } from '../lib/failure.js'

const MAX_ID = 999_999_999

export function takeNumber(folder: string): number {
  for (;;) {
    const id = findHighestId(folder) + 1
    if (id > MAX_ID) throw new Failure(`No job ids are left; delete ${folder} to start again at 1`)
    if (!tryCreateFolder(join(folder, String(id)))) continue
    // Since the folder was read, another process may have allocated, used and removed this id; then higher ids exist.
    if (findHighestId(folder) === id) return id
    removeEmptyFolder(join(folder, String(id)))
  }
}

export function isJobNumber(name: string): boolean {
  return /^[1-9]\d{0,8}$/.test(name)
}

function findHighestId(folder: string): number {
  return readdirSync(folder).reduce(
    (highest, name) => (isJobNumber(name) ? Math.max(highest, Number(name)) : highest),
    0,
  )
}

function tryCreateFolder(path: string): boolean {
  try {
    mkdirSync(path, { mode: 0o700 })
    return true
  } catch (error) {
    if (hasCode(error, 'EEXIST')) return false
    throw error
  }
}

function removeEmptyFolder(path: string): void {
  try {
    rmdirSync(path)
  } catch {
    // An empty folder does no harm.
  }
}
