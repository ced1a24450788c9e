// Takes snapshots of the skill directories by stat, without reading files: the names in each, and fingerprints (`mark`)
// that differ after every change. Runs at every start and every few seconds, so names are read only from directories that
// changed. Used by skill-index in slices, and by the command line (skills). Reads directories, synchronously.

import { readdirSync, type Stats, statSync } from 'node:fs'
import { sep } from 'node:path'

import { hasErrorCode } from '@scorpiox/mcp/os'
import type { SlicedWork } from '../../async/sliced-work.js'
import type { SkillDirectory, SkillLocation } from './skill-locations.js'
import { MANIFEST_FILE } from './skill.js'

/** Two changes within this time may have equal timestamps, so a fingerprint this fresh is not trusted later. */
const TOO_RECENT_MS = 20
const TOO_RECENT = '~'

/** Maximum number of names read from a directory. */
const MAX_NAMES = 2000

export interface DirectorySnapshot {
  readonly location: SkillLocation
  readonly directory: SkillDirectory
  /** Empty if the directory does not exist. */
  readonly mark: string
  readonly entries: readonly SnapshotEntry[]
  /** Number of names beyond the maximum. */
  readonly excess: number
  /** Why the directory cannot be read. */
  readonly problem?: string | undefined
}

export interface SnapshotEntry {
  readonly name: string
  /** Of its SKILL.md; empty if there is none. */
  readonly mark: string
}

/** The previous snapshot, which saves reading the names of unchanged directories. */
export type PreviousSnapshot = readonly {
  readonly path: string
  readonly level: SkillLocation['level']
  readonly mark: string
  readonly entries: readonly SnapshotEntry[]
  readonly excess: number
}[]

/** Yields after each entry: thousands of them take longer than the event loop may be blocked. */
export function* snapshotDirectories(
  locations: readonly SkillLocation[],
  previous: PreviousSnapshot,
): SlicedWork<readonly DirectorySnapshot[]> {
  const snapshots: DirectorySnapshot[] = []
  for (const location of locations) {
    const { folder: directory, mark } = chooseDirectory(location)
    const isTrusted = mark !== '' && !mark.endsWith(TOO_RECENT)
    const unchanged = isTrusted ? previous.find((one) => one.path === directory.path && one.mark === mark) : undefined
    const { names, excess, problem } = unchanged
      ? { names: unchanged.entries.map(({ name }) => name), excess: unchanged.excess, problem: undefined }
      : readNames(mark === '' ? undefined : directory.path)
    const entries: SnapshotEntry[] = []
    for (const name of names) {
      entries.push({ name, mark: fingerprintOf(`${directory.path}${sep}${name}${sep}${MANIFEST_FILE}`) })
      yield
    }
    snapshots.push({ location, directory, mark, entries, excess, problem })
  }
  return snapshots
}

export function isUnchanged(snapshots: readonly DirectorySnapshot[], previous: PreviousSnapshot): boolean {
  return (
    snapshots.length === previous.length &&
    snapshots.every(({ location, directory, mark, entries }, index) => {
      const before = previous[index]
      if (before?.path !== directory.path || before.level !== location.level || before.mark !== mark) return false
      if (before.entries.length !== entries.length) return false
      return entries.every(
        ({ name, mark: currentMark }, at) =>
          before.entries[at]?.name === name && before.entries[at].mark === currentMark,
      )
    })
  )
}

function chooseDirectory({ candidates }: SkillLocation): { readonly folder: SkillDirectory; readonly mark: string } {
  for (const folder of candidates) {
    const mark = fingerprintOf(folder.path)
    if (mark !== '') return { folder, mark }
  }
  return { folder: candidates[0] ?? { path: '', displayPath: '' }, mark: '' }
}

interface DirectoryNames {
  readonly names: readonly string[]
  readonly excess: number
  readonly problem: string | undefined
}

function readNames(path: string | undefined): DirectoryNames {
  try {
    const names = path === undefined ? [] : readdirSync(path).sort()
    return { names: names.slice(0, MAX_NAMES), excess: Math.max(0, names.length - MAX_NAMES), problem: undefined }
  } catch (error) {
    const problem = hasErrorCode(error, 'ENOTDIR') ? 'is not a folder' : `cannot be read (${errorCodeOf(error)})`
    return { names: [], excess: 0, problem }
  }
}

function fingerprintOf(path: string): string {
  try {
    const stats: Stats | undefined = statSync(path, { throwIfNoEntry: false })
    if (!stats) return ''
    const suffix = Math.abs(Date.now() - stats.ctimeMs) < TOO_RECENT_MS ? TOO_RECENT : ''
    return `${stats.dev}:${stats.ino}:${stats.size}:${stats.mtimeMs}:${stats.ctimeMs}${suffix}`
  } catch (error) {
    // It exists but cannot be inspected; the reason is reported when it is read.
    return errorCodeOf(error)
  }
}

function errorCodeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : '?'
}
