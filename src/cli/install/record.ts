// What installing has put where, so that uninstalling takes away that and nothing else. A record that cannot be read
// is an empty one.

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
  /** Of the executable at its place, as it was put there. */
  readonly executable: string | undefined
  /** What our entry came with, by the file it is in. */
  readonly files: ReadonlyMap<string, FileTrace>
}

export interface FileTrace extends Trace {
  /** Whether there was no file before. */
  readonly isNew: boolean
}

export const RECORD = 'install.json'

export function readRecord(folder: string): Installed {
  const record = parseJson(textOf(join(folder, RECORD)))
  if (!isObject(record)) return { executable: undefined, files: new Map() }
  const files = isObject(record.files) ? Object.entries(record.files) : []
  return {
    executable: typeof record.executable === 'string' ? record.executable : undefined,
    files: new Map(files.flatMap(([file, trace]) => (isTrace(trace) ? [[file, trace]] : []))),
  }
}

/** Other processes may be installing too: each changes what it finds at that moment. */
export function updateRecord(folder: string, change: (record: Installed) => Installed): void {
  ensurePrivateFolder(folder)
  const path = join(folder, RECORD)
  try {
    withFileLock(`${path}.lock`, (isStillLocked) => {
      const { executable, files } = change(readRecord(folder))
      const text = `${JSON.stringify({ executable, files: Object.fromEntries(files) }, null, 2)}\n`
      if (!replaceFile(path, text, isStillLocked)) throw new Failure('another process changed it')
    })
  } catch (error) {
    const advice = 'uninstalling may leave something behind, unless that is put right and this is run again'
    throw new Failure(`done, but it could not be noted in ${path} (${reasonOf(error)}); ${advice}`, { cause: error })
  }
}

function isTrace(value: unknown): value is FileTrace {
  return (
    isObject(value) &&
    typeof value.made === 'string' &&
    ['entry', 'container', 'document'].includes(value.made) &&
    typeof value.lead === 'string' &&
    typeof value.tail === 'string' &&
    typeof value.isNew === 'boolean'
  )
}

function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}
