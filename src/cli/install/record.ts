// The record of what was installed (install.json), so that uninstall removes exactly that. An unreadable record counts as
// empty.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'

import { Failure } from '../../lib/failure.js'
import { isObject, parseJson } from '../../lib/json.js'
import { reasonOf } from '../../lib/reason-of.js'
import { replaceFile } from '../../store/atomic-file.js'
import { withFileLock } from '../../store/file-lock.js'
import { ensurePrivateFolder } from '../../store/private-folder.js'
import type { Trace } from './format.js'

export interface Installed {
  /** Hash of the executable as it was written. */
  readonly executable: string | undefined
  /** What was created together with our entry, by configuration file. */
  readonly files: ReadonlyMap<string, FileTrace>
}

export interface FileTrace extends Trace {
  /** Whether `install` created the file. */
  readonly isNew: boolean
}

export const RECORD = 'install.json'

export function readRecord(directory: string): Installed {
  const record = parseJson(readText(join(directory, RECORD)))
  if (!isObject(record)) return { executable: undefined, files: new Map() }
  const files = isObject(record.files) ? Object.entries(record.files) : []
  return {
    executable: typeof record.executable === 'string' ? record.executable : undefined,
    files: new Map(files.flatMap(([file, fileRecord]) => (isFileRecord(fileRecord) ? [[file, fileRecord]] : []))),
  }
}

/** Reads, changes and writes the record under a lock, because other processes may install at the same time. */
export function updateRecord(directory: string, change: (record: Installed) => Installed): void {
  ensurePrivateFolder(directory)
  const path = join(directory, RECORD)
  try {
    withFileLock(`${path}.lock`, (isStillLocked) => {
      const { executable, files } = change(readRecord(directory))
      const text = `${JSON.stringify({ executable, files: Object.fromEntries(files) }, null, 2)}\n`
      if (!replaceFile(path, text, isStillLocked)) throw new Failure('another process changed it')
    })
  } catch (error) {
    const advice = 'correct that and run this again, or uninstall may leave something behind'
    throw new Failure(`done, but not recorded in ${path} (${reasonOf(error)}); ${advice}`, { cause: error })
  }
}

function isFileRecord(value: unknown): value is FileTrace {
  return (
    isObject(value) &&
    typeof value.made === 'string' &&
    ['entry', 'container', 'document'].includes(value.made) &&
    typeof value.lead === 'string' &&
    typeof value.tail === 'string' &&
    typeof value.isNew === 'boolean'
  )
}

function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}
