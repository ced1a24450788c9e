// Keeps what scripts printed for --schema, in the state directory, so that a start need not run each of them. An entry
// counts only for the same file, unchanged by its inode, size, mode and times; the cache only in folders that belong to
// this user alone. Opened by script-tools for script-index. Reads and writes one file, synchronously.

import { dirname, join } from 'node:path'

import { isJsonObject, tryParseJson } from '@scorpiox/mcp/json/json'
import { isPrivateFolder, readOwnFileNow } from '../../storage/private-files.js'
import { writeCacheFile } from '../../storage/write-cache-file.js'
import { VERSION } from '../../config/version.js'
import { type DescribeScriptResult, parseDescription } from './describe-script.js'

const MAX_BYTES = 8 * 1024 * 1024
/** Two changes within this time may have equal timestamps, so a file this fresh is asked again by the next start. */
const TOO_RECENT_MS = 20

export interface CachedDescription {
  readonly path: string
  /** Of the file before the script was run. Its last part is the time of the last change. */
  readonly fingerprint: string
  /** When the script was run. */
  readonly startedAt: number
  readonly printed: string
}

export interface ScriptDescriptionCache {
  /** The description that this file printed. */
  find(path: string, fingerprint: string): DescribeScriptResult | undefined
  /** Never throws: without the cache a start only is slower. */
  save(descriptions: readonly CachedDescription[]): void
}

export function openScriptDescriptionCache(stateDir: string, directory: string): ScriptDescriptionCache {
  // The end of a path distinguishes folders better than its beginning; the paths inside tell which folder it is.
  const cachePath = join(stateDir, 'script-index', `${encodeURIComponent(directory).slice(-120)}.json`)
  let entries: ReadonlyMap<string, string> | undefined
  return {
    find(path, fingerprint) {
      entries ??= readEntries(cachePath)
      const printed = entries.get(keyOf(path, fingerprint))
      return printed === undefined ? undefined : parseIfValid(printed)
    },
    save(descriptions) {
      const scripts = descriptions
        .filter(({ fingerprint, startedAt }) => startedAt - changedAt(fingerprint) > TOO_RECENT_MS)
        .map(({ path, fingerprint, printed }) => [keyOf(path, fingerprint), printed])
      const text = JSON.stringify({ version: VERSION, scripts })
      if (text.length <= MAX_BYTES) writeCacheFile(cachePath, text)
    },
  }
}

function keyOf(path: string, fingerprint: string): string {
  return `${path}\0${fingerprint}`
}

function changedAt(fingerprint: string): number {
  return Number(fingerprint.slice(fingerprint.lastIndexOf(':') + 1))
}

function readEntries(cachePath: string): ReadonlyMap<string, string> {
  const folder = dirname(cachePath)
  const isTrusted = isPrivateFolder(dirname(folder)) && isPrivateFolder(folder)
  const value = tryParseJson((isTrusted ? readOwnFileNow(cachePath, MAX_BYTES) : undefined) ?? '')
  if (!isJsonObject(value) || value.version !== VERSION || !Array.isArray(value.scripts)) return new Map()
  return new Map(value.scripts.filter(isEntry))
}

function isEntry(value: unknown): value is [string, string] {
  return Array.isArray(value) && value.length === 2 && value.every((text) => typeof text === 'string')
}

function parseIfValid(printed: string): DescribeScriptResult | undefined {
  try {
    return { description: parseDescription(printed), printed }
  } catch {
    return undefined
  }
}
