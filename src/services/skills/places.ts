// Directories searched for skills, in order of precedence: of two skills with one name the first wins. Skills of a
// project may be untrusted, so links must not lead outside the project; the user's own skills may link anywhere.

import { realpathSync } from 'node:fs'
import { join, relative, resolve } from 'node:path'

export type Level = 'project' | 'user' | 'built-in'

export interface Place {
  readonly level: Exclude<Level, 'built-in'>
  /** The first that exists is used. */
  readonly folders: readonly Folder[]
  /** Files outside of it are not read; undefined: no restriction. */
  readonly inside: string | undefined
}

export interface Folder {
  readonly path: string
  /** As shown to a model: short, and the same on every machine. */
  readonly shown: string
}

export interface Whereabouts {
  readonly cwd: string
  /** Root of the project that contains cwd. */
  readonly project: string
  /** Empty if there is none. */
  readonly home: string
  /** Further directories, comma-separated. */
  readonly additional: string
}

export function placesOf({ cwd, project, home, additional }: Whereabouts): readonly Place[] {
  const workingDirectory = real(cwd)
  const homeDirectory = home === '' ? undefined : real(home)
  // The working directory precedes the project root. The home directory is not a project.
  const bases = [...new Set([workingDirectory, project])].filter((folder) => folder !== homeDirectory)
  const allowedRoot = project === homeDirectory ? workingDirectory : project
  const locations = [
    ...bases.flatMap((base) => usual('project', base, relative(workingDirectory, base), allowedRoot)),
    ...(homeDirectory === undefined ? [] : usual('user', homeDirectory, '~', undefined)),
    ...listed(additional)
      .filter((displayPath) => homeDirectory !== undefined || !isOfHome(displayPath))
      .map((displayPath): Place => {
        const path = isOfHome(displayPath)
          ? join(homeDirectory ?? '', displayPath.slice(1))
          : resolve(workingDirectory, displayPath)
        return { level: 'user', folders: [{ path, shown: displayPath }], inside: undefined }
      }),
  ]
  const seen = new Set<string>()
  return locations.filter(({ folders: [first] }) => first && !seen.has(first.path) && seen.add(first.path))
}

function usual(
  level: Place['level'],
  base: string,
  displayBase: string,
  allowedRoot: string | undefined,
): readonly Place[] {
  const folder = (name: string): Folder => ({
    path: join(base, name, 'skills'),
    shown: [...(displayBase === '' ? [] : [displayBase]), name, 'skills'].join('/'),
  })
  return [
    { level, folders: [folder('.claude'), folder('.agents')], inside: allowedRoot },
    { level, folders: [folder('.scorpiox')], inside: allowedRoot },
  ]
}

function isOfHome(path: string): boolean {
  return path === '~' || path.startsWith('~/')
}

function listed(value: string): readonly string[] {
  return value
    .split(',')
    .map((path) => path.trim())
    .filter((path) => path !== '')
}

function real(path: string): string {
  try {
    return realpathSync.native(path)
  } catch {
    return path
  }
}
