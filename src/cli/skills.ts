// `scorpiox-code skills`: for each skill directory, whether it exists, the skills in it, which skills are shadowed, and
// which entries were skipped and why. Reads the directories again instead of using the index.

import type { Config } from '../config/load.js'
import { projectOf } from '../platform/project.js'
import { BUILT_INS } from '../services/skills/built-in/built-ins.js'
import type { Known, KnownEntry } from '../services/skills/index-cache.js'
import { placesOf, type Place } from '../services/skills/places.js'
import { scan } from '../services/skills/scan.js'
import { survey, type Surveyed } from '../services/skills/survey.js'

export interface FolderReport {
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

export async function examineSkills({ cwd, home, settings }: Config): Promise<readonly FolderReport[]> {
  const places = placesOf({ cwd, project: projectOf(cwd), home, additional: settings.ADDITIONAL_SKILLS })
  const surveyed = survey(places, [])
  const indexed = await scan(surveyed, [])
  const skillOwners = new Map<string, string>()
  const reports = surveyed.flatMap((place, index) =>
    [reportDirectory(place, indexed[index], skillOwners)].concat(shadowedDirectories(place)),
  )
  return [...reports, reportBuiltIns(skillOwners)]
}

export function skillsReport(folders: readonly FolderReport[]): string {
  return folders.map((folder) => `${formatHeadline(folder)}\n${formatLines(folder).join('')}`).join('')
}

/** Existing directories that are not used because another one takes precedence. */
function shadowedDirectories({ place, folder }: Surveyed): readonly FolderReport[] {
  const { level } = place
  const others = place.folders
    .filter(({ path }) => path !== folder.path)
    .map((other): Place => ({ level, inside: place.inside, folders: [other] }))
  return survey(others, [])
    .filter(({ mark: fingerprint }) => fingerprint !== '')
    .map(({ folder: { shown, path } }) => {
      const problem = `is not used, because ${folder.shown} exists`
      return { folder: shown, path, level, exists: true, problem, skills: [], skipped: [] }
    })
}

function reportDirectory(
  { folder, mark: fingerprint, problem }: Surveyed,
  indexed: Known | undefined,
  skillOwners: Map<string, string>,
): FolderReport {
  const { level = 'user', entries = [], excess = 0 } = indexed ?? {}
  const skipped = entries.flatMap((entry) => ('reason' in entry ? [{ name: entry.name, reason: entry.reason }] : []))
  const rest =
    excess > 0
      ? [{ name: `${excess} more`, reason: `only the first ${entries.length} entries of a directory are read` }]
      : []
  const skills = entries.flatMap((entry) => ('reason' in entry ? [] : [reportSkill(entry, folder.shown, skillOwners)]))
  const { shown, path } = folder
  return { folder: shown, path, level, exists: fingerprint !== '', problem, skills, skipped: [...skipped, ...rest] }
}

function reportBuiltIns(skillOwners: Map<string, string>): FolderReport {
  const skills = BUILT_INS.map((skill) => reportSkill({ ...skill, mark: '' }, 'built-in', skillOwners))
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
  { name, description, isScript, notes }: Exclude<KnownEntry, { readonly reason: string }>,
  folder: string,
  skillOwners: Map<string, string>,
): SkillReport {
  const shadowedBy = skillOwners.get(name)
  if (shadowedBy === undefined) skillOwners.set(name, folder)
  return { name, description, script: isScript, shadowedBy, notes }
}

function formatHeadline({ folder, level, exists, problem, skills }: FolderReport): string {
  const suffix = level === 'built-in' ? '' : ` (${level})`
  const summary = problem ?? `${skills.length} ${skills.length === 1 ? 'skill' : 'skills'}`
  return `${folder}${suffix}: ${exists ? summary : 'does not exist'}`
}

function formatLines({ skills, skipped }: FolderReport): readonly string[] {
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
