// Which skills there are, as cheaply as that can be known: a look at the folders, and only what changed is read. Whoever
// was shown the list is told when it is another.

import { join, sep } from 'node:path'

import { reasonOf } from '../../lib/reason-of.js'
import type { Notices } from '../notices.js'
import { BUILT_INS } from './built-in/built-ins.js'
import { cacheText, readCache, type Known } from './index-cache.js'
import type { Place } from './places.js'
import type { Skill } from './skill.js'
import { isSame, survey, type Surveyed } from './survey.js'

/** Lists that are asked for one after the other are answered from one look. */
const PATIENCE_MS = 50
const LOOK_EVERY_MS = 2000
const WRITE_AFTER_MS = 100
/** Longer than this no list waits for files; whoever was shown less is told when the rest is known. */
const WAIT_MS = 5000
/** Of all time, no more than this share is spent looking. */
const SHARE = 1 / 500

export interface SkillIndex {
  /** The skills that count, by name. */
  readonly skills: readonly Skill[]
  readonly places: readonly Place[]
  readonly known: readonly Known[]
  /** Looks again; there is something to wait for only where files must be read. */
  refresh(patienceMs?: number): Promise<void> | undefined
  close(): void
}

export interface IndexSettings {
  readonly places: readonly Place[]
  /** Where it is kept; undefined: nowhere. */
  readonly cache: string | undefined
  readonly notices: Notices
  /** Told what went wrong where the list is shown all the same. */
  readonly complain: (message: string) => void
  readonly waitMs?: number
}

export function createSkillIndex(settings: IndexSettings): SkillIndex {
  const { places, cache, notices, complain, waitMs = WAIT_MS } = settings
  let known: readonly Known[] | undefined
  let skills: readonly Skill[] = effective([])
  let reading: Promise<void> | undefined
  /** Somebody has waited long enough for what is being read. */
  let isLate = false
  let lookedAt = -Infinity
  let timer: NodeJS.Timeout | undefined
  let isClosed = false

  function refresh(patienceMs = PATIENCE_MS): Promise<void> | undefined {
    if (reading) return isLate && patienceMs > 0 ? undefined : soon(reading)
    const startedAt = performance.now()
    if (startedAt - lookedAt < patienceMs) return undefined
    const isFirst = known === undefined
    const before = known ?? (cache === undefined ? [] : readCache(cache))
    const seen = survey(places, before)
    lookedAt = performance.now()
    const costMs = lookedAt - startedAt
    lookLater(costMs)
    if (isSame(seen, before)) {
      if (isFirst) accept(before)
      return undefined
    }
    if (isFirst && seen.every(({ mark }) => mark === '')) {
      accept(seen.map(asNothing))
      return undefined
    }
    isLate = false
    reading = read(seen, before).finally(() => {
      reading = undefined
      // The next look may have come while this was read, and gone.
      lookLater(costMs)
    })
    return soon(reading)
  }

  function soon(work: Promise<void>): Promise<void> {
    let limit: NodeJS.Timeout | undefined
    const late = new Promise<void>((resolve) => {
      limit = setTimeout(resolve, waitMs).unref()
    }).then(() => {
      isLate = true
      known ??= []
    })
    return Promise.race([work, late]).finally(() => clearTimeout(limit))
  }

  async function read(seen: readonly Surveyed[], before: readonly Known[]): Promise<void> {
    try {
      const { scan } = await import('./scan.js')
      const found = await scan(seen, before)
      accept(found)
      // Not while somebody waits for the list.
      if (cache !== undefined) setTimeout(() => void keep(cache, found), WRITE_AFTER_MS).unref()
    } catch (error) {
      complain(`the list of skills: ${reasonOf(error)}`)
      known ??= []
    }
  }

  function accept(now: readonly Known[]): void {
    const before = known
    const shown = skills
    known = now
    skills = effective(now)
    if (before === undefined) return
    for (const uri of changedFiles(before, now)) notices.updated(uri)
    if (faceOf(shown) === faceOf(skills)) return
    for (const list of ['tools', 'prompts', 'resources'] as const) notices.changed(list)
  }

  function lookLater(costMs: number): void {
    if (isClosed) return
    clearTimeout(timer)
    timer = setTimeout(() => void refresh(0), Math.max(LOOK_EVERY_MS, costMs / SHARE)).unref()
  }

  return {
    get skills() {
      return skills
    },
    places,
    get known() {
      return known ?? []
    },
    refresh,
    close() {
      isClosed = true
      clearTimeout(timer)
    },
  }
}

async function keep(cache: string, found: readonly Known[]): Promise<void> {
  const text = cacheText(found)
  if (text === undefined) return
  const { writeCache } = await import('./index-cache-writing.js')
  writeCache(cache, text)
}

/** The first of each name, sorted by name: the same everywhere. */
function effective(known: readonly Known[]): readonly Skill[] {
  const byName = new Map<string, Skill>()
  for (const { path, level, entries } of known) {
    for (const entry of entries) {
      if ('reason' in entry || byName.has(entry.name)) continue
      // Member by member: to spread fifty of them took longer than all else at a start.
      const { name, description, hint, isScript, frontmatter, notes } = entry
      const folder = `${path}${sep}${name}`
      byName.set(name, { name, description, hint, isScript, frontmatter, notes, level, folder })
    }
  }
  for (const skill of BUILT_INS) if (!byName.has(skill.name)) byName.set(skill.name, skill)
  return [...byName.values()].sort((one, other) => (one.name < other.name ? -1 : 1))
}

/** What clients are shown of all skills. */
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

function changedFiles(before: readonly Known[], now: readonly Known[]): readonly string[] {
  const old = new Map(before.flatMap(({ path, entries }) => entries.map(({ name, mark }) => [join(path, name), mark])))
  return now.flatMap(({ path, entries }) =>
    entries
      .filter(({ name, mark }) => old.has(join(path, name)) && old.get(join(path, name)) !== mark)
      .map(({ name }) => `skill://${name}/SKILL.md`),
  )
}

function asNothing({ place, folder }: Surveyed): Known {
  return { path: folder.path, level: place.level, mark: '', entries: [], excess: 0 }
}
