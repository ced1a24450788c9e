// Says for every folder of skills whether it is there, what was found in it, what hides what, and what was skipped and
// why. The folders are read anew: what is printed is what is.

import type { Config } from '../config/load.js'
import { projectOf } from '../platform/project.js'
import { BUILT_INS } from '../services/skills/built-in/built-ins.js'
import type { Known, KnownEntry } from '../services/skills/index-cache.js'
import { placesOf } from '../services/skills/places.js'
import { scan } from '../services/skills/scan.js'
import { survey, type Surveyed } from '../services/skills/survey.js'

export interface FolderReport {
  readonly folder: string
  readonly path: string | undefined
  readonly level: 'project' | 'user' | 'built-in'
  readonly exists: boolean
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
  const reports = seen.map((place, index) => folderReport(place, known[index], owners))
  return [...reports, builtInReport(owners)]
}

export function skillsReport(folders: readonly FolderReport[]): string {
  return folders.map((folder) => `${headline(folder)}\n${linesOf(folder).join('')}`).join('')
}

function folderReport({ folder, mark }: Surveyed, known: Known | undefined, owners: Map<string, string>): FolderReport {
  const { level = 'user', entries = [], excess = 0 } = known ?? {}
  const skipped = entries.flatMap((entry) => ('reason' in entry ? [{ name: entry.name, reason: entry.reason }] : []))
  const rest =
    excess > 0 ? [{ name: `${excess} more`, reason: `only ${entries.length} names of a folder are looked at` }] : []
  const skills = entries.flatMap((entry) => ('reason' in entry ? [] : [skillReport(entry, folder.shown, owners)]))
  return { folder: folder.shown, path: folder.path, level, exists: mark !== '', skills, skipped: [...skipped, ...rest] }
}

function builtInReport(owners: Map<string, string>): FolderReport {
  const skills = BUILT_INS.map((skill) => skillReport({ ...skill, mark: '' }, 'built-in', owners))
  return { folder: 'built-in', path: undefined, level: 'built-in', exists: true, skills, skipped: [] }
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

function headline({ folder, level, exists, skills }: FolderReport): string {
  const about = level === 'built-in' ? '' : ` (${level})`
  return `${folder}${about}: ${exists ? `${skills.length} ${skills.length === 1 ? 'skill' : 'skills'}` : 'not there'}`
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
