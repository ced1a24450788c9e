// The folders in which skills are looked for, first to last: of two skills with one name the first counts, whole.
// A project's come from whoever wrote the project, so they may not lead out of it; a person's may lead anywhere.

import { realpathSync } from 'node:fs'
import { join, relative, resolve } from 'node:path'

export type Level = 'project' | 'user' | 'built-in'

export interface Place {
  readonly level: Exclude<Level, 'built-in'>
  /** The first of these that exists. */
  readonly folders: readonly Folder[]
  /** What lies outside of it is not read. */
  readonly inside: string | undefined
}

export interface Folder {
  readonly path: string
  /** As it is told to a model: short, and the same on every machine. */
  readonly shown: string
}

export interface Whereabouts {
  readonly cwd: string
  /** The project around it. */
  readonly project: string
  /** Empty where there is none. */
  readonly home: string
  /** Further folders, with commas between them. */
  readonly additional: string
}

export function placesOf({ cwd, project, home, additional }: Whereabouts): readonly Place[] {
  const here = real(cwd)
  const person = home === '' ? undefined : real(home)
  // The directory worked in comes before the project around it. The person's own home is no project.
  const bases = [...new Set([here, project])].filter((folder) => folder !== person)
  const inside = project === person ? here : project
  const places = [
    ...bases.flatMap((base) => usual('project', base, relative(here, base), inside)),
    ...(person === undefined ? [] : usual('user', person, '~', undefined)),
    ...listed(additional)
      .filter((shown) => person !== undefined || !isOfHome(shown))
      .map((shown): Place => {
        const path = isOfHome(shown) ? join(person ?? '', shown.slice(1)) : resolve(here, shown)
        return { level: 'user', folders: [{ path, shown }], inside: undefined }
      }),
  ]
  const seen = new Set<string>()
  return places.filter(({ folders: [first] }) => first && !seen.has(first.path) && seen.add(first.path))
}

function usual(level: Place['level'], base: string, shownBase: string, inside: string | undefined): readonly Place[] {
  const folder = (name: string): Folder => ({
    path: join(base, name, 'skills'),
    shown: [...(shownBase === '' ? [] : [shownBase]), name, 'skills'].join('/'),
  })
  return [
    { level, folders: [folder('.claude'), folder('.agents')], inside },
    { level, folders: [folder('.scorpiox')], inside },
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
