// Reads and writes the record of what was installed (install.json), so that uninstall removes exactly that. An
// unreadable record counts as empty. Used by install, uninstall and doctor.

import { join } from 'node:path'

import { errorMessage, Failure } from '@scorpiox/mcp/errors'
import { isJsonObject, tryParseJson } from '@scorpiox/mcp/json/json'
import { replaceFile } from '@scorpiox/mcp/atomic-file'
import { withFileLock } from '@scorpiox/server/storage/file-lock'
import { ensurePrivateFolder } from '@scorpiox/server/storage/private-files'
import { readFileOrEmpty } from '@scorpiox/server/files/read-file-or-empty'
import type { InsertionRecord } from './config-format.js'

export interface InstallRecord {
  /** Hash of the executable as it was written. */
  readonly executable: string | undefined
  /** What was created together with our entry, by configuration file. */
  readonly files: ReadonlyMap<string, FileRecord>
}

export interface FileRecord extends InsertionRecord {
  /** Whether `install` created the file. */
  readonly isNew: boolean
}

export const INSTALL_RECORD_FILE = 'install.json'

export function readInstallRecord(directory: string): InstallRecord {
  const record = tryParseJson(readFileOrEmpty(join(directory, INSTALL_RECORD_FILE)))
  if (!isJsonObject(record)) return { executable: undefined, files: new Map() }
  const files = isJsonObject(record.files) ? Object.entries(record.files) : []
  return {
    executable: typeof record.executable === 'string' ? record.executable : undefined,
    files: new Map(files.flatMap(([file, fileRecord]) => (isFileRecord(fileRecord) ? [[file, fileRecord]] : []))),
  }
}

/** Reads, changes and writes the record under a lock, because other processes may install at the same time. */
export function updateInstallRecord(directory: string, change: (record: InstallRecord) => InstallRecord): void {
  ensurePrivateFolder(directory)
  const path = join(directory, INSTALL_RECORD_FILE)
  try {
    withFileLock(`${path}.lock`, (isStillLocked) => {
      const { executable, files } = change(readInstallRecord(directory))
      const text = `${JSON.stringify({ executable, files: Object.fromEntries(files) }, null, 2)}\n`
      if (!replaceFile(path, text, isStillLocked)) throw new Failure('another process changed it')
    })
  } catch (error) {
    const advice = 'correct that and run this again, or uninstall may leave something behind'
    throw new Failure(`done, but not recorded in ${path} (${errorMessage(error)}); ${advice}`, { cause: error })
  }
}

function isFileRecord(value: unknown): value is FileRecord {
  return (
    isJsonObject(value) &&
    typeof value.made === 'string' &&
    ['entry', 'container', 'document'].includes(value.made) &&
    typeof value.lead === 'string' &&
    typeof value.tail === 'string' &&
    typeof value.isNew === 'boolean'
  )
}
