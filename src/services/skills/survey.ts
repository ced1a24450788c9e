// Snapshots of the skill directories by stat, without reading files: names, and fingerprints (`mark`) that differ after
// every change. Runs at every start and every few seconds, so names are read only from directories that changed.

import { readdirSync, statSync, type Stats } from 'node:fs'
import { sep } from 'node:path'

import { hasCode } from '../../lib/error-code.js'
import type { Folder, Place } from './places.js'
import { MANIFEST } from './skill.js'

/** Two changes within this time may have equal timestamps, so a fingerprint this fresh is not trusted later. */
const UNSETTLED_MS = 20
const UNSETTLED = '~'

/** Maximum number of names read from a directory. */
const MAX_NAMES = 2000

export interface Surveyed {
  readonly place: Place
  readonly folder: Folder
  /** Empty if the directory does not exist. */
  readonly mark: string
  readonly entries: readonly Entry[]
  /** Number of names beyond the maximum. */
  readonly excess: number
  /** Why the directory cannot be read. */
  readonly problem?: string | undefined
}

export interface Entry {
  readonly name: string
  /** Of its SKILL.md; empty if there is none. */
  readonly mark: string
}

/** The previous snapshot, which saves reading the names of unchanged directories. */
export type Before = readonly {
  readonly path: string
  readonly level: Place['level']
  readonly mark: string
  readonly entries: readonly Entry[]
  readonly excess: number
}[]

export function survey(locations: readonly Place[], previous: Before): readonly Surveyed[] {
  return locations.map((place): Surveyed => {
    const { folder, mark } = chosen(place)
    const isTrusted = mark !== '' && !mark.endsWith(UNSETTLED)
    const unchanged = isTrusted ? previous.find((one) => one.path === folder.path && one.mark === mark) : undefined
    const { names, excess, problem } = unchanged
      ? { names: unchanged.entries.map(({ name }) => name), excess: unchanged.excess, problem: undefined }
      : namesIn(mark === '' ? undefined : folder.path)
    const entries = names.map((name) => ({ name, mark: markOf(`${folder.path}${sep}${name}${sep}${MANIFEST}`) }))
    return { place, folder, mark, entries, excess, problem }
  })
}

export function isSame(snapshots: readonly Surveyed[], previous: Before): boolean {
  return (
    snapshots.length === previous.length &&
    snapshots.every(({ place, folder, mark, entries }, index) => {
      const before = previous[index]
      if (before?.path !== folder.path || before.level !== place.level || before.mark !== mark) return false
      if (before.entries.length !== entries.length) return false
      return entries.every(
        ({ name, mark: currentMark }, at) =>
          before.entries[at]?.name === name && before.entries[at].mark === currentMark,
      )
    })
  )
}

function chosen({ folders }: Place): { readonly folder: Folder; readonly mark: string } {
  for (const folder of folders) {
    const mark = markOf(folder.path)
    if (mark !== '') return { folder, mark }
  }
  return { folder: folders[0] ?? { path: '', shown: '' }, mark: '' }
}

interface Names {
  readonly names: readonly string[]
  readonly excess: number
  readonly problem: string | undefined
}

function namesIn(path: string | undefined): Names {
  try {
    const names = path === undefined ? [] : readdirSync(path).sort()
    return { names: names.slice(0, MAX_NAMES), excess: Math.max(0, names.length - MAX_NAMES), problem: undefined }
  } catch (error) {
    const problem = hasCode(error, 'ENOTDIR') ? 'is not a folder' : `cannot be read (${codeOf(error)})`
    return { names: [], excess: 0, problem }
  }
}

function markOf(path: string): string {
  try {
    const stats: Stats | undefined = statSync(path, { throwIfNoEntry: false })
    if (!stats) return ''
    const suffix = Math.abs(Date.now() - stats.ctimeMs) < UNSETTLED_MS ? UNSETTLED : ''
    return `${stats.dev}:${stats.ino}:${stats.size}:${stats.mtimeMs}:${stats.ctimeMs}${suffix}`
  } catch (error) {
    // It exists but cannot be inspected; the reason is reported when it is read.
    return codeOf(error)
  }
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : '?'
}
