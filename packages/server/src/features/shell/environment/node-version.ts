// Finds the Node.js that `.nvmrc` names among the versions that nvm, fnm and Volta have installed, without their shell
// functions. Used by virtual-environment.ts. Reads the file system only.

import { readdirSync, statSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'

import type { NodeFolder } from '../../../config/environment-files.js'
import { readSmallFile } from './file-stamps.js'

const MAX_BYTES = 1024
const MAX_ALIASES = 5
const LISTED = 5

/** Its program, or why there is none. */
export type NodeVersion = { readonly program: string } | { readonly problem: string }

export function findNodeVersion(file: string, folders: readonly NodeFolder[]): NodeVersion {
  const wanted = readWantedVersion(file)
  if (wanted === undefined) return { problem: `${file} contains no version, so Node.js from PATH is used` }
  const installed = listInstalled(folders)
  const version = resolveAlias(wanted, folders)
  if (version === undefined)
    return {
      problem: `the version "${wanted}" in ${file} is not valid, so Node.js from PATH is used: write a number`,
    }
  const found = installed.filter(({ numbers }) => version.every((number, at) => numbers[at] === number))
  const [best] = found.toSorted(byVersion)
  if (best) return { program: best.program }
  const names = [...new Set(installed.toSorted(byVersion).map(({ numbers }) => numbers.join('.')))]
  const others = names.length === 0 ? 'none is installed' : `installed: ${names.slice(0, LISTED).join(', ')}`
  return {
    problem: `nvm, fnm and Volta have not installed Node.js ${wanted}, which ${file} requires (${others}), so Node.js from PATH is used`,
  }
}

/** The first line that is not a comment. */
function readWantedVersion(file: string): string | undefined {
  const lines = (readSmallFile(file, MAX_BYTES) ?? '').split('\n').map((line) => line.replace(/#.*/, '').trim())
  return lines.find((line) => /^[\w./*-]{1,40}$/.test(line))
}

/** The numbers that are given; none means the newest version. */
function resolveAlias(name: string, folders: readonly NodeFolder[], left = MAX_ALIASES): readonly number[] | undefined {
  if (['node', 'stable', 'current', 'latest'].includes(name)) return []
  const [, numbers] = /^v?(\d{1,4}(?:\.\d{1,4}){0,2})(?:\.[x*])*$/.exec(name) ?? []
  if (numbers !== undefined) return numbers.split('.').map(Number)
  // nvm keeps what they mean in files, `lts/*` among them. No name leads out of that folder.
  if (left === 0 || !/^(?:lts\/)?[\w*-]+$/.test(name)) return undefined
  const aliases = folders.filter(({ folder }) => basename(dirname(folder)) === 'versions')
  const texts = aliases.map(({ folder }) => readSmallFile(join(folder, '../../alias', name), MAX_BYTES)?.trim())
  const target = texts.find((text) => text !== undefined && text !== '')
  return target === undefined ? undefined : resolveAlias(target, folders, left - 1)
}

interface InstalledVersion {
  readonly numbers: readonly number[]
  readonly program: string
}

function listInstalled(folders: readonly NodeFolder[]): readonly InstalledVersion[] {
  return folders.flatMap(({ folder, program }) =>
    listNames(folder).flatMap((name) => {
      const [, numbers] = /^v?(\d+\.\d+\.\d+)$/.exec(name) ?? []
      const path = join(folder, name, program)
      return numbers !== undefined && isFile(path) ? [{ numbers: numbers.split('.').map(Number), program: path }] : []
    }),
  )
}

function listNames(folder: string): readonly string[] {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}

function isFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() ?? false
}

/** The newest first. */
function byVersion({ numbers: a }: InstalledVersion, { numbers: b }: InstalledVersion): number {
  const at = a.findIndex((number, index) => number !== b[index])
  return at === -1 ? 0 : (b[at] ?? 0) - (a[at] ?? 0)
}
