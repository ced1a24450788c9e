// The current list of skills. Rescans the skill directories cheaply and in slices, reads only what changed, and notifies
// clients when the list changes. openSkillIndex builds it from the settings, for skill-registrations. Also used by skill-service. Reads
// files, and writes the cache of the index. Sets timers.

import { sep } from 'node:path'

import type { ChangeEvents } from '@scorpiox/mcp/definitions/change-events'
import { errorMessage } from '@scorpiox/mcp/errors'
import type { Log } from '@scorpiox/mcp/log'
import type { Config } from '../../config/load-config.js'
import { findProjectRoot, findStateDir } from '../../config/paths.js'
import { createPollingIndex, type IndexUpdate, type PollingIndex } from '../../storage/polling-index.js'
import { runInSlices, runSlice, type SlicedWork } from '../../async/sliced-work.js'
import { BUILT_IN_SKILLS } from './built-in-skills.js'
import {
  formatSkillIndexCache,
  type IndexedDirectory,
  readSkillIndexCache,
  skillIndexCachePath,
} from './skill-index-cache.js'
import { listSkillLocations, type SkillLocation } from './skill-locations.js'
import type { Skill } from './skill.js'
import { type DirectorySnapshot, isUnchanged, snapshotDirectories } from './snapshot-directories.js'

const CACHE_WRITE_DELAY_MS = 100
/** A list request waits no longer than this; the client is notified when the rest is known. */
const MAX_WAIT_MS = 5000

export interface SkillIndex extends PollingIndex {
  /** Effective skills, sorted by name. */
  readonly skills: readonly Skill[]
  readonly locations: readonly SkillLocation[]
  readonly directories: readonly IndexedDirectory[]
}

export interface SkillIndexDeps {
  readonly locations: readonly SkillLocation[]
  /** Path of the cached index; undefined: not cached. */
  readonly cachePath: string | undefined
  readonly changeEvents: ChangeEvents
  /** Called with problems that do not prevent the list from being shown. */
  readonly warn: (message: string) => void
  readonly maxWaitMs?: number
}

export function createSkillIndex(settings: SkillIndexDeps): SkillIndex {
  const { locations, cachePath, changeEvents, warn, maxWaitMs = MAX_WAIT_MS } = settings
  let directories: readonly IndexedDirectory[] | undefined
  let skills: readonly Skill[] = selectByPrecedence([])

  function scan(): IndexUpdate | undefined {
    const previous = directories ?? (cachePath === undefined ? [] : readSkillIndexCache(cachePath))
    const survey = snapshotDirectories(locations, previous)
    // At once for as many skills as people have, so that no request waits for a promise.
    const result = runSlice(survey)
    if (!result) return finishSurvey(survey, previous)
    const work = compare(result.value, previous)
    return work && { work }
  }

  function finishSurvey(
    survey: SlicedWork<readonly DirectorySnapshot[]>,
    previous: readonly IndexedDirectory[],
  ): IndexUpdate {
    const startedAt = performance.now()
    let scanMs = 0
    const work = runInSlices(survey).then((snapshots) => {
      scanMs = performance.now() - startedAt
      return compare(snapshots, previous)
    })
    return { work, scanMs: () => scanMs }
  }

  /** Returns a promise only if skills must be read. */
  function compare(
    snapshots: readonly DirectorySnapshot[],
    previous: readonly IndexedDirectory[],
  ): Promise<void> | undefined {
    const isFirst = directories === undefined
    if (isUnchanged(snapshots, previous)) {
      if (isFirst) setDirectories(previous)
      return undefined
    }
    if (isFirst && snapshots.every(({ mark }) => mark === '')) {
      setDirectories(snapshots.map(toEmptyDirectory))
      return undefined
    }
    return read(snapshots, previous)
  }

  async function read(snapshots: readonly DirectorySnapshot[], previous: readonly IndexedDirectory[]): Promise<void> {
    try {
      const { readChangedSkills } = await import('./read-skills.js')
      const current = await runInSlices(readChangedSkills(snapshots, previous))
      setDirectories(current)
      // Delayed, because the list request is still waiting.
      if (cachePath !== undefined)
        setTimeout(() => void writeCacheIfSmall(cachePath, current), CACHE_WRITE_DELAY_MS).unref()
    } catch (error) {
      warn(`cannot read skills: ${errorMessage(error)}`)
      directories ??= []
    }
  }

  function setDirectories(current: readonly IndexedDirectory[]): void {
    const previous = directories
    const listed = skills
    directories = current
    skills = selectByPrecedence(current)
    if (previous === undefined) return
    for (const uri of changedManifestUris(previous, current)) changeEvents.notifyResourceUpdated(uri)
    if (isSameList(listed, skills)) return
    for (const list of ['tools', 'prompts', 'resources'] as const) changeEvents.notifyListChanged(list)
  }

  const polling = createPollingIndex({
    scan,
    maxWaitMs,
    onWaitExpired: () => void (directories ??= []),
    waitKeepsAlive: false,
  })
  return {
    get skills() {
      return skills
    },
    locations,
    get directories() {
      return directories ?? []
    },
    refresh: (maxAgeMs) => polling.refresh(maxAgeMs),
    close: () => polling.close(),
  }
}

async function writeCacheIfSmall(cachePath: string, current: readonly IndexedDirectory[]): Promise<void> {
  const text = formatSkillIndexCache(current)
  if (text === undefined) return
  const { writeCacheFile } = await import('../../storage/write-cache-file.js')
  writeCacheFile(cachePath, text)
}

/** The first skill of each name, sorted by name independent of the locale. */
function selectByPrecedence(directories: readonly IndexedDirectory[]): readonly Skill[] {
  const byName = new Map<string, Skill>()
  for (const { path, level, entries } of directories) {
    for (const entry of entries) {
      if ('reason' in entry || byName.has(entry.name)) continue
      // Copied member by member: spreading fifty entries took longer than the rest of the start.
      const { name, description, hint, isScript, frontmatter, notes } = entry
      const directory = `${path}${sep}${name}`
      byName.set(name, { name, description, hint, isScript, frontmatter, notes, level, directory })
    }
  }
  for (const skill of BUILT_IN_SKILLS) if (!byName.has(skill.name)) byName.set(skill.name, skill)
  return [...byName.values()].sort((one, other) => (one.name < other.name ? -1 : 1))
}

/** Compares everything that clients see of the skills. */
function isSameList(some: readonly Skill[], others: readonly Skill[]): boolean {
  return (
    some.length === others.length &&
    some.every(({ name, description, hint, frontmatter, level, directory }, index) => {
      const other = others[index]
      return (
        other?.name === name &&
        other.description === description &&
        other.hint === hint &&
        other.level === level &&
        other.directory === directory &&
        // The same object if the skill was not read again.
        (other.frontmatter === frontmatter || JSON.stringify(other.frontmatter) === JSON.stringify(frontmatter))
      )
    })
  )
}

function changedManifestUris(
  previous: readonly IndexedDirectory[],
  current: readonly IndexedDirectory[],
): readonly string[] {
  const previousMarks = new Map(
    previous.flatMap(({ path, entries }) => entries.map(({ name, mark }) => [`${path}${sep}${name}`, mark])),
  )
  return current.flatMap(({ path, entries }) =>
    entries
      .filter(({ name, mark }) => (previousMarks.get(`${path}${sep}${name}`) ?? mark) !== mark)
      .map(({ name }) => `skill://${name}/SKILL.md`),
  )
}

function toEmptyDirectory({ location, directory }: DirectorySnapshot): IndexedDirectory {
  return { path: directory.path, level: location.level, mark: '', entries: [], excess: 0 }
}

/** Opens the skill index for the directories and the cache path of the settings. */
export function openSkillIndex(config: Config, changeEvents: ChangeEvents, log: Log): SkillIndex {
  const { cwd, home, settings } = config
  const project = findProjectRoot(cwd)
  const stateDir = findStateDir(settings)
  return createSkillIndex({
    locations: listSkillLocations({ cwd, project, home, additional: settings.ADDITIONAL_SKILLS }),
    cachePath: stateDir === undefined ? undefined : skillIndexCachePath(stateDir, project),
    changeEvents,
    warn: (message) => log.warn(message),
  })
}
