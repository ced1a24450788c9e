// Says for every folder of skills whether it is there, what was found in it, what hides what, and what was skipped and
// why. The folders are read anew: what is printed is what is.

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
  /** Why nothing in it counts: it cannot be read, or another folder is there in its stead. */
  readonly problem: string | undefined
  readonly skills: readonly SkillReport[]
  readonly skipped: readonly { readonly name: string; readonly reason: string }[]
}

interface SkillReport {
  readonly name: string
  readonly description: string
  readonly script: boolean
  /** The folder whose skill of that name counts instead. */
  readonly shadowedBy: string | undefined
  readonly notes: readonly string[]
}

export async function examineSkills({ cwd, home, settings }: Config): Promise<readonly FolderReport[]> {
  const places = placesOf({ cwd, project: projectOf(cwd), home, additional: settings.ADDITIONAL_SKILLS })
  const seen = survey(places, [])
  const known = await scan(seen, [])
  const owners = new Map<string, string>()
  const reports = seen.flatMap((place, index) => [folderReport(place, known[index], owners)].concat(passedOver(place)))
  return [...reports, builtInReport(owners)]
}

export function skillsReport(folders: readonly FolderReport[]): string {
  return folders.map((folder) => `${headline(folder)}\n${linesOf(folder).join('')}`).join('')
}

/** Folders that would be looked at if the one that was found were not there. */
function passedOver({ place, folder }: Surveyed): readonly FolderReport[] {
  const { level } = place
  const others = place.folders
    .filter(({ path }) => path !== folder.path)
    .map((other): Place => ({ level, inside: place.inside, folders: [other] }))
  return survey(others, [])
    .filter(({ mark }) => mark !== '')
    .map(({ folder: { shown, path } }) => {
      const problem = `is not looked at, because ${folder.shown} is there`
      return { folder: shown, path, level, exists: true, problem, skills: [], skipped: [] }
    })
}

function folderReport(
  { folder, mark, problem }: Surveyed,
  known: Known | undefined,
  owners: Map<string, string>,
): FolderReport {
  const { level = 'user', entries = [], excess = 0 } = known ?? {}
  const skipped = entries.flatMap((entry) => ('reason' in entry ? [{ name: entry.name, reason: entry.reason }] : []))
  const rest =
    excess > 0 ? [{ name: `${excess} more`, reason: `only ${entries.length} names of a folder are looked at` }] : []
  const skills = entries.flatMap((entry) => ('reason' in entry ? [] : [skillReport(entry, folder.shown, owners)]))
  const { shown, path } = folder
  return { folder: shown, path, level, exists: mark !== '', problem, skills, skipped: [...skipped, ...rest] }
}

function builtInReport(owners: Map<string, string>): FolderReport {
  const skills = BUILT_INS.map((skill) => skillReport({ ...skill, mark: '' }, 'built-in', owners))
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

function skillReport(
  { name, description, isScript, notes }: Exclude<KnownEntry, { readonly reason: string }>,
  folder: string,
  owners: Map<string, string>,
): SkillReport {
  const shadowedBy = owners.get(name)
  if (shadowedBy === undefined) owners.set(name, folder)
  return { name, description, script: isScript, shadowedBy, notes }
}

function headline({ folder, level, exists, problem, skills }: FolderReport): string {
  const about = level === 'built-in' ? '' : ` (${level})`
  const found = problem ?? `${skills.length} ${skills.length === 1 ? 'skill' : 'skills'}`
  return `${folder}${about}: ${exists ? found : 'not there'}`
}

function linesOf({ skills, skipped }: FolderReport): readonly string[] {
  return [
    ...skills.map(({ name, description, script, shadowedBy, notes }) => {
      const mark = shadowedBy === undefined ? '✓' : '–'
      const first =
        shadowedBy === undefined ? `${script ? '(script) ' : ''}${description}` : `hidden by the one in ${shadowedBy}`
      return `  ${mark} ${name}: ${first}\n${notes.map((note) => `      ${note}\n`).join('')}`
    }),
    ...skipped.map(({ name, reason }) => `  ✗ ${JSON.stringify(name)} skipped: ${reason}\n`),
  ]
}
