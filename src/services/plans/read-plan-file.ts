// Reads and writes plan files. A plan is a regular, non-empty UTF-8 text file of at most 1 MB.

import type { FileHandle } from 'node:fs/promises'

import { Failure } from '../../lib/failure.js'
import { reasonOf } from '../../lib/reason-of.js'
import { readBounded } from '../../platform/read-bounded.js'
import { openRegularFile } from '../../store/private-file.js'

export const MAX_PLAN_BYTES = 1024 * 1024

/** Throws a Failure that explains what is wrong; does not follow links. */
export async function readPlanFile(path: string, verify?: (file: FileHandle) => Promise<boolean>): Promise<string> {
  const file = await openOrFail(path)
  try {
    if (verify && !(await verify(file))) throw new Failure(`${path} was replaced while it was read.`)
    const text = decodeText(await readBounded(file, MAX_PLAN_BYTES + 1), path)
    if (text.trim() === '') throw new Failure(`${path} is empty.`)
    return text
  } catch (error) {
    throw error instanceof Failure ? error : unreadable(path, error)
  } finally {
    await file.close()
  }
}

async function openOrFail(path: string): Promise<FileHandle> {
  try {
    const file = await openRegularFile(path)
    if (file) return file
  } catch (error) {
    throw unreadable(path, error)
  }
  throw new Failure(`There is no regular file at ${path}.`)
}

function unreadable(path: string, error: unknown): Failure {
  return new Failure(`${path} cannot be read (${reasonOf(error)}).`)
}

function decodeText(bytes: Buffer, path: string): string {
  if (bytes.length > MAX_PLAN_BYTES) throw new Failure(`${path} is larger than 1 MB, which is too much for a plan.`)
  try {
    // A NUL byte is valid UTF-8, but text files do not contain it.
    if (!bytes.includes(0)) return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    // Reported below.
  }
  throw new Failure(`${path} is not text in UTF-8.`)
}
