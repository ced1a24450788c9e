// Lists the directories searched for skills, in order of precedence: of two skills with one name the first wins. Skills of
// a project may be untrusted, so links must not lead outside the project; the user's own skills may link anywhere. Used by
// skill-index and the command line (skills). Resolves links of directories; reads no skill.

import { join, relative } from 'node:path'

import { expandPath, isHomePath, realPathOrSame, splitList } from '../../config/paths.js'

export type SkillLevel = 'project' | 'user' | 'built-in'

export interface SkillLocation {
  readonly level: Exclude<SkillLevel, 'built-in'>
  /** The first that exists is used. */
  readonly candidates: readonly SkillDirectory[]
  /** Files outside of it are not read; undefined: no restriction. */
  readonly allowedRoot: string | undefined
}

export interface SkillDirectory {
  readonly path: string
  /** As shown to a model: short, and the same on every machine. */
  readonly displayPath: string
}

export interface SkillLocationOptions {
  readonly cwd: string
  /** Root of the project that contains cwd. */
  readonly project: string
  /** Empty if there is none. */
  readonly home: string
  /** Further directories, comma-separated. */
  readonly additional: string
}

export function listSkillLocations({ cwd, project, home, additional }: SkillLocationOptions): readonly SkillLocation[] {
  const workingDirectory = realPathOrSame(cwd)
  const homeDirectory = home === '' ? undefined : realPathOrSame(home)
  // The working directory precedes the project root. The home directory is not a project.
  const bases = [...new Set([workingDirectory, project])].filter((folder) => folder !== homeDirectory)
  const allowedRoot = project === homeDirectory ? workingDirectory : project
  const locations = [
    ...bases.flatMap((base) => defaultLocations('project', base, relative(workingDirectory, base), allowedRoot)),
    ...(homeDirectory === undefined ? [] : defaultLocations('user', homeDirectory, '~', undefined)),
    ...splitList(additional)
      .filter((displayPath) => homeDirectory !== undefined || !isHomePath(displayPath))
      .map((displayPath): SkillLocation => {
        const path = expandPath(displayPath, { cwd: workingDirectory, home: homeDirectory ?? '' })
        return { level: 'user', candidates: [{ path, displayPath }], allowedRoot: undefined }
      }),
  ]
  const seen = new Set<string>()
  return locations.filter(({ candidates: [first] }) => first && !seen.has(first.path) && seen.add(first.path))
}

function defaultLocations(
  level: SkillLocation['level'],
  base: string,
  displayBase: string,
  allowedRoot: string | undefined,
): readonly SkillLocation[] {
  const folder = (name: string): SkillDirectory => ({
    path: join(base, name, 'skills'),
    displayPath: [...(displayBase === '' ? [] : [displayBase]), name, 'skills'].join('/'),
  })
  return [
    { level, candidates: [folder('.claude'), folder('.agents')], allowedRoot },
    { level, candidates: [folder('.scorpiox')], allowedRoot },
  ]
}
