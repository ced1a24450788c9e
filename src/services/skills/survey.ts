// A look at the folders without reading a file: what is there, and marks that differ whenever something has changed.
// Done at every start and every few seconds, so it asks as little as it can: names only of folders that changed.

import { readdirSync, statSync, type Stats } from 'node:fs'
import { sep } from 'node:path'

import { hasCode } from '../../lib/error-code.js'
import type { Folder, Place } from './places.js'
import { MANIFEST } from './skill.js'

/** Within this time two changes may bear the same time, so that a mark which is that fresh is taken anew. */
const UNSETTLED_MS = 20
const UNSETTLED = '~'

/** How many names of a folder are looked at. */
const MAX_NAMES = 2000

export interface Surveyed {
  readonly place: Place
  readonly folder: Folder
  /** Empty where the folder is not there. */
  readonly mark: string
  readonly entries: readonly Entry[]
  /** Names beyond those that are looked at. */
  readonly excess: number
  /** Why its names cannot be read. */
  readonly problem?: string | undefined
}

export interface Entry {
  readonly name: string
  /** Of its SKILL.md; empty where there is none. */
  readonly mark: string
}

/** What was seen before, which saves reading the names of folders that are as they were. */
export type Before = readonly {
  readonly path: string
  readonly level: Place['level']
  readonly mark: string
  readonly entries: readonly Entry[]
  readonly excess: number
}[]

export function survey(places: readonly Place[], before: Before): readonly Surveyed[] {
  return places.map((place) => {
    const { folder, mark } = chosen(place)
    const isSettled = mark !== '' && !mark.endsWith(UNSETTLED)
    const known = isSettled ? before.find((one) => one.path === folder.path && one.mark === mark) : undefined
    const { names, excess, problem } = known
      ? { names: known.entries.map(({ name }) => name), excess: known.excess, problem: undefined }
      : namesIn(mark === '' ? undefined : folder.path)
    const entries = names.map((name) => ({ name, mark: markOf(`${folder.path}${sep}${name}${sep}${MANIFEST}`) }))
    return { place, folder, mark, entries, excess, problem }
  })
}

export function isSame(seen: readonly Surveyed[], before: Before): boolean {
  return (
    seen.length === before.length &&
    seen.every(({ place, folder, mark, entries }, index) => {
      const known = before[index]
      if (known?.path !== folder.path || known.level !== place.level || known.mark !== mark) return false
      if (known.entries.length !== entries.length) return false
      return entries.every(
        ({ name, mark: now }, at) => known.entries[at]?.name === name && known.entries[at].mark === now,
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
    const unsettled = Math.abs(Date.now() - stats.ctimeMs) < UNSETTLED_MS ? UNSETTLED : ''
    return `${stats.dev}:${stats.ino}:${stats.size}:${stats.mtimeMs}:${stats.ctimeMs}${unsettled}`
  } catch (error) {
    // There is something that cannot be looked at; why is said when it is read.
    return codeOf(error)
  }
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : '?'
}
