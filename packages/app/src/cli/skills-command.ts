// `scorpiox-code skills`: for each skill directory, whether it exists, the skills in it, which skills are shadowed, and
// which entries were skipped and why. Called by cli/commands.ts. Reads the directories again instead of using the
// index. Changes nothing.

import type { Config } from '@scorpiox/server/config/load-config'
import { findProjectRoot } from '@scorpiox/server/config/paths'
import {
  BUILT_IN_SKILLS,
  type DirectorySnapshot,
  type IndexedDirectory,
  type IndexedSkill,
  listSkillLocations,
  type SkillLocation,
  snapshotDirectories,
} from '@scorpiox/server/features/skills/index'
import { readChangedSkills } from '@scorpiox/server/features/skills/lazy'
import { runToEnd } from '@scorpiox/server/async/sliced-work'

export interface SkillDirectoryReport {
  readonly folder: string
  readonly path: string | undefined
  readonly level: 'project' | 'user' | 'built-in'
  readonly exists: boolean
  /** Why the directory is not used: it cannot be read, or another one takes precedence. */
  readonly problem: string | undefined
  readonly skills: readonly SkillReport[]
  readonly skipped: readonly { readonly name: string; readonly reason: string }[]
}

interface SkillReport {
  readonly name: string
  readonly description: string
  readonly script: boolean
  /** The directory whose skill of the same name is used instead. */
  readonly shadowedBy: string | undefined
  readonly notes: readonly string[]
}

export function inspectSkillDirectories({ cwd, home, settings }: Config): readonly SkillDirectoryReport[] {
  const places = listSkillLocations({
    cwd,
    project: findProjectRoot(cwd),
    home,
    additional: settings.ADDITIONAL_SKILLS,
  })
  const surveyed = runToEnd(snapshotDirectories(places, []))
  const indexed = runToEnd(readChangedSkills(surveyed, []))
  const skillOwners = new Map<string, string>()
  const reports = surveyed.flatMap((place, index) =>
    [reportDirectory(place, indexed[index], skillOwners)].concat(shadowedDirectories(place)),
  )
  return [...reports, reportBuiltIns(skillOwners)]
}

export function formatSkillDirectories(folders: readonly SkillDirectoryReport[]): string {
  return folders.map((folder) => `${formatHeadline(folder)}\n${formatLines(folder).join('')}`).join('')
}

/** Existing directories that are not used because another one takes precedence. */
function shadowedDirectories({ location, directory }: DirectorySnapshot): readonly SkillDirectoryReport[] {
  const { level } = location
  const others = location.candidates
    .filter(({ path }) => path !== directory.path)
    .map((other): SkillLocation => ({ level, allowedRoot: location.allowedRoot, candidates: [other] }))
  return runToEnd(snapshotDirectories(others, []))
    .filter(({ mark: fingerprint }) => fingerprint !== '')
    .map(({ directory: { displayPath, path } }) => {
      const problem = `is not used, because ${directory.displayPath} exists`
      return { folder: displayPath, path, level, exists: true, problem, skills: [], skipped: [] }
    })
}

function reportDirectory(
  { directory, mark: fingerprint, problem }: DirectorySnapshot,
  indexed: IndexedDirectory | undefined,
  skillOwners: Map<string, string>,
): SkillDirectoryReport {
  const { level = 'user', entries = [], excess = 0 } = indexed ?? {}
  const skipped = entries.flatMap((entry) => ('reason' in entry ? [{ name: entry.name, reason: entry.reason }] : []))
  const rest =
    excess > 0
      ? [{ name: `${excess} more`, reason: `only the first ${entries.length} entries of a directory are read` }]
      : []
  const skills = entries.flatMap((entry) =>
    'reason' in entry ? [] : [reportSkill(entry, directory.displayPath, skillOwners)],
  )
  const { displayPath, path } = directory
  return {
    folder: displayPath,
    path,
    level,
    exists: fingerprint !== '',
    problem,
    skills,
    skipped: [...skipped, ...rest],
  }
}

function reportBuiltIns(skillOwners: Map<string, string>): SkillDirectoryReport {
  const skills = BUILT_IN_SKILLS.map((skill) => reportSkill({ ...skill, mark: '' }, 'built-in', skillOwners))
  return {
    folder: 'built-in',
    path: undefined,
    level: 'built-in',
    exists: true,
    problem: undefined,
    skills,
    skipped: [],
  }
}

function reportSkill(
  { name, description, isScript, notes }: Exclude<IndexedSkill, { readonly reason: string }>,
  folder: string,
  skillOwners: Map<string, string>,
): SkillReport {
  const shadowedBy = skillOwners.get(name)
  if (shadowedBy === undefined) skillOwners.set(name, folder)
  return { name, description, script: isScript, shadowedBy, notes }
}

function formatHeadline({ folder, level, exists, problem, skills }: SkillDirectoryReport): string {
  const suffix = level === 'built-in' ? '' : ` (${level})`
  const summary = problem ?? `${skills.length} ${skills.length === 1 ? 'skill' : 'skills'}`
  return `${folder}${suffix}: ${exists ? summary : 'does not exist'}`
}

function formatLines({ skills, skipped }: SkillDirectoryReport): readonly string[] {
  return [
    ...skills.map(({ name, description, script, shadowedBy, notes }) => {
      const symbol = shadowedBy === undefined ? '✓' : '–'
      const text =
        shadowedBy === undefined
          ? `${script ? '(script) ' : ''}${description}`
          : `hidden by the skill of the same name in ${shadowedBy}`
      return `  ${symbol} ${name}: ${text}\n${notes.map((note) => `      ${note}\n`).join('')}`
    }),
    ...skipped.map(({ name, reason }) => `  ✗ ${JSON.stringify(name)} skipped: ${reason}\n`),
  ]
}
