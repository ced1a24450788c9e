// From configured paths to real ones: symbolic links are followed, because what is mounted is what they lead to.

import { accessSync, constants, lstatSync, readlinkSync, realpathSync, statSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'

import { Failure } from '../../lib/failure.js'
import { isWithin } from '../../lib/is-within.js'
import { SCRATCH, type Place, type SystemPart } from './mounts.js'

/** Folders of which nothing may be handed out whole. Whoever can write to one of these owns the machine, or the person. */
const TOO_MUCH = ['/usr', '/etc', '/var', '/boot', '/run', '/bin', '/sbin', '/lib', '/lib64']

/** Not files but the kernel. */
const KERNEL = ['/proc', '/sys', '/dev']

/** Those that are there; what cannot be reached cannot be reached by a command either. */
export function hiddenPlaces(paths: readonly string[]): readonly Place[] {
  return paths.flatMap((path): Place[] => {
    try {
      const stat = statSync(path, { throwIfNoEntry: false })
      if (!stat) return []
      return [{ path: realpathSync.native(path), as: stat.isDirectory() ? 'hidden folder' : 'hidden file' }]
    } catch {
      return []
    }
  })
}

/** Hiding what the system already keeps from this user would only cost time. */
export function isWorthHiding(path: string): boolean {
  try {
    const stat = statSync(path, { throwIfNoEntry: false })
    if (!stat) return true
    return may(path, constants.R_OK) || (stat.isDirectory() && may(path, constants.X_OK))
  } catch {
    return false
  }
}

function may(path: string, mode: number): boolean {
  try {
    accessSync(path, mode)
    return true
  } catch {
    return false
  }
}

/** The real path of a folder that commands may write to; refused where that would be no sandbox. */
export function writableRoot(path: string, home: string): string {
  const real = existing(path)
  const homes = home === '/' ? [] : readablePlaces([home]).map((place) => place.path)
  const kept = [...TOO_MUCH, ...KERNEL, ...homes]
  const lost = kept.find((each) => isWithin(each, real)) ?? KERNEL.find((each) => isWithin(real, each))
  if (lost === undefined || real.startsWith('/dev/shm/')) return notScratch(real)
  throw new Failure(
    `The sandbox cannot let commands write to ${path}: that includes ${lost}, from where they could get out. ` +
      'Work in a folder of its own (--cwd, STARTUP_DIR), or set SANDBOX=read-only.',
  )
}

/** The real path of a folder that commands may only read. */
export function readableRoot(path: string): string {
  return notScratch(existing(path))
}

function notScratch(path: string): string {
  if (!SCRATCH.includes(path)) return path
  throw new Failure(
    `The sandbox gives every command a ${path} of its own: work in another folder (--cwd, STARTUP_DIR).`,
  )
}

export function existing(path: string): string {
  try {
    return realpathSync.native(path)
  } catch (error) {
    const reason = error instanceof Error && 'code' in error ? error.code : error
    throw new Failure(
      `The sandbox needs ${path}, which cannot be opened (${String(reason)}). Create it or remove it from the settings.`,
    )
  }
}

/** Themselves they may be missing; those whose folder is missing nobody can make. */
export function inRealFolders(paths: readonly string[]): readonly string[] {
  return paths.flatMap((path) => readablePlaces([dirname(path)]).map((folder) => join(folder.path, basename(path))))
}

/** Those that are there. */
export function readablePlaces(paths: readonly string[]): readonly Place[] {
  return paths.flatMap((path): Place[] => {
    try {
      return [{ path: realpathSync.native(path), as: 'readable' }]
    } catch {
      return []
    }
  })
}

/** What the system consists of: programs, libraries and their settings. */
const SYSTEM = ['/usr', '/bin', '/sbin', '/lib', '/lib32', '/lib64', '/libx32', '/etc', '/opt', '/nix', '/gnu']

export function systemParts(): readonly SystemPart[] {
  return SYSTEM.flatMap((path): SystemPart[] => {
    const stat = lstatSync(path, { throwIfNoEntry: false })
    if (!stat) return []
    return stat.isSymbolicLink() ? [{ path, link: readlinkSync(path) }] : [{ path }]
  })
}
