// The current list of skills. Rescans the directories cheaply and reads only what changed. Notifies clients when the
// list changes.

import { join, sep } from 'node:path'

import { reasonOf } from '../../lib/reason-of.js'
import type { Notices } from '../notices.js'
import { BUILT_INS } from './built-in/built-ins.js'
import { cacheText, readCache, type Known } from './index-cache.js'
import type { Place } from './places.js'
import type { Skill } from './skill.js'
import { isSame, survey, type Surveyed } from './survey.js'

/** List requests within this time share one scan. */
const PATIENCE_MS = 50
const LOOK_EVERY_MS = 2000
const WRITE_AFTER_MS = 100
/** A list request waits no longer than this; the client is notified when the rest is known. */
const WAIT_MS = 5000
/** At most this share of the time is spent scanning. */
const SHARE = 1 / 500

export interface SkillIndex {
  /** Effective skills, sorted by name. */
  readonly skills: readonly Skill[]
  readonly places: readonly Place[]
  readonly known: readonly Known[]
  /** Rescans if the last scan is older. Returns a promise only if files must be read. */
  refresh(maxAgeMs?: number): Promise<void> | undefined
  close(): void
}

export interface IndexSettings {
  readonly places: readonly Place[]
  /** Path of the cached index; undefined: not cached. */
  readonly cache: string | undefined
  readonly notices: Notices
  /** Called with problems that do not prevent the list from being shown. */
  readonly complain: (message: string) => void
  readonly waitMs?: number
}

export function createSkillIndex(settings: IndexSettings): SkillIndex {
  const { places: locations, cache: cachePath, notices: changeEvents, complain: warn, waitMs = WAIT_MS } = settings
  let directories: readonly Known[] | undefined
  let skills: readonly Skill[] = effective([])
  let reading: Promise<void> | undefined
  /** A list request has waited for the maximum time. */
  let waitExpired = false
  let scannedAt = -Infinity
  let timer: NodeJS.Timeout | undefined
  let isClosed = false

  function refresh(maxAgeMs = PATIENCE_MS): Promise<void> | undefined {
    if (reading) return waitExpired && maxAgeMs > 0 ? undefined : waitAtMost(reading)
    const startedAt = performance.now()
    if (startedAt - scannedAt < maxAgeMs) return undefined
    const isFirst = directories === undefined
    const previous = directories ?? (cachePath === undefined ? [] : readCache(cachePath))
    const snapshots = survey(locations, previous)
    scannedAt = performance.now()
    const costMs = scannedAt - startedAt
    scheduleRescan(costMs)
    if (isSame(snapshots, previous)) {
      if (isFirst) setDirectories(previous)
      return undefined
    }
    if (isFirst && snapshots.every(({ mark }) => mark === '')) {
      setDirectories(snapshots.map(asNothing))
      return undefined
    }
    waitExpired = false
    reading = read(snapshots, previous).finally(() => {
      reading = undefined
      // A scheduled rescan may have been skipped during this read.
      scheduleRescan(costMs)
    })
    return waitAtMost(reading)
  }

  function waitAtMost(work: Promise<void>): Promise<void> {
    let timeout: NodeJS.Timeout | undefined
    const expired = new Promise<void>((resolve) => {
      timeout = setTimeout(resolve, waitMs).unref()
    }).then(() => {
      waitExpired = true
      directories ??= []
    })
    return Promise.race([work, expired]).finally(() => clearTimeout(timeout))
  }

  async function read(snapshots: readonly Surveyed[], previous: readonly Known[]): Promise<void> {
    try {
      const { scan } = await import('./scan.js')
      const current = await scan(snapshots, previous)
      setDirectories(current)
      // Delayed, because the list request is still waiting.
      if (cachePath !== undefined) setTimeout(() => void keep(cachePath, current), WRITE_AFTER_MS).unref()
    } catch (error) {
      warn(`cannot read skills: ${reasonOf(error)}`)
      directories ??= []
    }
  }

  function setDirectories(current: readonly Known[]): void {
    const previous = directories
    const listed = skills
    directories = current
    skills = effective(current)
    if (previous === undefined) return
    for (const uri of changedFiles(previous, current)) changeEvents.updated(uri)
    if (faceOf(listed) === faceOf(skills)) return
    for (const list of ['tools', 'prompts', 'resources'] as const) changeEvents.changed(list)
  }

  function scheduleRescan(costMs: number): void {
    if (isClosed) return
    clearTimeout(timer)
    timer = setTimeout(() => void refresh(0), Math.max(LOOK_EVERY_MS, costMs / SHARE)).unref()
  }

  return {
    get skills() {
      return skills
    },
    places: locations,
    get known() {
      return directories ?? []
    },
    refresh,
    close() {
      isClosed = true
      clearTimeout(timer)
    },
  }
}

async function keep(cachePath: string, current: readonly Known[]): Promise<void> {
  const text = cacheText(current)
  if (text === undefined) return
  const { writeCache } = await import('./index-cache-writing.js')
  writeCache(cachePath, text)
}

/** The first skill of each name, sorted by name independent of the locale. */
function effective(directories: readonly Known[]): readonly Skill[] {
  const byName = new Map<string, Skill>()
  for (const { path, level, entries } of directories) {
    for (const entry of entries) {
      if ('reason' in entry || byName.has(entry.name)) continue
      // Copied member by member: spreading fifty entries took longer than the rest of the start.
      const { name, description, hint, isScript, frontmatter, notes } = entry
      const folder = `${path}${sep}${name}`
      byName.set(name, { name, description, hint, isScript, frontmatter, notes, level, folder })
    }
  }
  for (const skill of BUILT_INS) if (!byName.has(skill.name)) byName.set(skill.name, skill)
  return [...byName.values()].sort((one, other) => (one.name < other.name ? -1 : 1))
}

/** Everything that clients see of the skills. */
function faceOf(skills: readonly Skill[]): string {
  return JSON.stringify(
    skills.map(({ name, description, hint, frontmatter, level, folder }) => [
      name,
      description,
      hint,
      frontmatter,
      level,
      folder,
    ]),
  )
}

function changedFiles(previous: readonly Known[], current: readonly Known[]): readonly string[] {
  const previousMarks = new Map(
    previous.flatMap(({ path, entries }) => entries.map(({ name, mark }) => [join(path, name), mark])),
  )
  return current.flatMap(({ path, entries }) =>
    entries
      .filter(({ name, mark }) => previousMarks.has(join(path, name)) && previousMarks.get(join(path, name)) !== mark)
      .map(({ name }) => `skill://${name}/SKILL.md`),
  )
}

function asNothing({ place, folder }: Surveyed): Known {
  return { path: folder.path, level: place.level, mark: '', entries: [], excess: 0 }
}
