// Copies the package and its dependencies out of a temporary directory such as the npx cache, when the program is
// installed from there. Each version has its own directory, because a running server keeps loading files from the one
// it was started in. Used by installed-program.ts. Reads, copies and removes files.

import { createHash, randomUUID } from 'node:crypto'
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs'
import { basename, dirname, join, relative } from 'node:path'

import { errorMessage, Failure } from '@scorpiox/mcp/errors'
import { isJsonObject, tryParseJson } from '@scorpiox/mcp/json/json'
import { renameOver } from '@scorpiox/mcp/atomic-file'
import { ensurePrivateFolder } from '@scorpiox/server/storage/private-files'
import { VERSION } from '@scorpiox/server/config/version'

const PACKAGE = 'scorpiox-code'
/** The current copy, and one that servers may still run from. */
const MAX_COPIES = 2
/** An incomplete copy that is older was abandoned. */
const ABANDONED_AFTER_MS = 3_600_000

const COPY_NAME = /^\d+\.\d+\.\d.*-[\da-f]{8}$/
const INCOMPLETE_NAME = /^\.[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/

/** Whether the path may be deleted by the system or a package manager. `temporary` is the system's temporary directory. */
export function isTemporaryPath(path: string, temporary: string): boolean {
  const isInside = (directory: string): boolean => !/^(\.\.|[A-Za-z]:|[\\/]|$)/.test(relative(directory, path))
  return isInside(temporary) || /[\\/](_npx|dlx|dlx-[^\\/]+|bunx-[^\\/]+|xfs-[^\\/]+)[\\/]/.test(path)
}

/** The path of the script in its copy. */
export function programCopyPath(directory: string, script: string): string {
  return join(
    directory,
    `${VERSION}-${fingerprint(dirname(script))}`,
    'node_modules',
    PACKAGE,
    'dist',
    basename(script),
  )
}

/** Returns the path of the script in the copy. */
export function copyProgram(directory: string, script: string): string {
  const scriptPath = programCopyPath(directory, script)
  if (existsSync(scriptPath)) return scriptPath
  const copyDirectory = join(scriptPath, '..', '..', '..', '..')
  const temporaryDirectory = join(directory, `.${randomUUID()}`)
  try {
    ensurePrivateFolder(directory)
    copyPackages(dirname(dirname(script)), join(temporaryDirectory, 'node_modules'))
    renameInto(temporaryDirectory, copyDirectory, scriptPath)
  } catch (error) {
    if (error instanceof Failure) throw error
    throw new Failure(`${copyDirectory} cannot be created (${errorMessage(error)})`, { cause: error })
  } finally {
    rmSync(temporaryDirectory, { recursive: true, force: true })
  }
  removeOldCopies(directory, copyDirectory)
  return scriptPath
}

function renameInto(temporaryDirectory: string, copyDirectory: string, scriptPath: string): void {
  try {
    // A scanner may have a new file open.
    renameOver(temporaryDirectory, copyDirectory, (from, to) => {
      if (!existsSync(scriptPath)) renameSync(from, to)
    })
  } catch (error) {
    // Another process created it first.
    if (!existsSync(scriptPath)) throw error
  }
}

interface PackageToCopy {
  readonly name: string
  /** Its real path. */
  readonly from: string
  /** The node_modules directory it is copied into. */
  readonly into: string
}

/** Copies flat; a package needed in a second version goes into the node_modules of its dependent. */
function copyPackages(root: string, top: string): void {
  const copied = new Map<string, string>()
  const queue: PackageToCopy[] = [{ name: PACKAGE, from: root, into: top }]
  for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
    const { name, from, into } = next
    const to = join(into, name)
    if (copied.has(to)) continue
    copied.set(to, from)
    copyPackage(from, to, name === PACKAGE)
    for (const [dependency, isOptional] of listDependencies(from)) {
      const resolved = findPackage(from, dependency)
      if (resolved === undefined && isOptional) continue
      if (resolved === undefined) throw missingDependency(dependency)
      const flat =
        copied.get(join(top, dependency)) ??
        queue.find((other) => other.name === dependency && other.into === top)?.from
      const nodeModules = flat === undefined || flat === resolved ? top : join(to, 'node_modules')
      queue.push({ name: dependency, from: resolved, into: nodeModules })
    }
  }
}

function copyPackage(from: string, to: string, isProgram: boolean): void {
  mkdirSync(dirname(to), { recursive: true })
  const shouldCopy = (path: string): boolean => {
    const [first = '', ...rest] = relative(from, path).split(/[\\/]/)
    if (first === '') return true
    if (isProgram)
      return ['dist', 'package.json', 'LICENSE'].includes(first) && !(first === 'dist' && rest[0] === 'judge')
    return first !== 'node_modules'
  }
  cpSync(from, to, { recursive: true, dereference: true, filter: shouldCopy })
}

function listDependencies(directory: string): readonly (readonly [name: string, isOptional: boolean])[] {
  const manifest = tryParseJson(readFileSync(join(directory, 'package.json'), 'utf8'))
  if (!isJsonObject(manifest)) return []
  const optional = keysOf(manifest.optionalDependencies)
  const required = keysOf(manifest.dependencies).filter((name) => !optional.includes(name))
  return [...required.map((name) => [name, false] as const), ...optional.map((name) => [name, true] as const)]
}

function keysOf(dependencies: unknown): readonly string[] {
  return isJsonObject(dependencies) ? Object.keys(dependencies) : []
}

function findPackage(from: string, name: string): string | undefined {
  for (let directory = from; ; directory = dirname(directory)) {
    const candidate = join(directory, 'node_modules', name)
    if (existsSync(join(candidate, 'package.json'))) return realpathSync(candidate)
    if (dirname(directory) === directory) return undefined
  }
}

function missingDependency(dependency: string): Failure {
  const advice = 'install it first with `npm install -g scorpiox-code`, then run: scorpiox-code install'
  return new Failure(`the program cannot be copied, because its dependency ${dependency} was not found; ${advice}`)
}

/** Hash of all files of the program. */
function fingerprint(dist: string): string {
  const hash = createHash('sha256')
  for (const name of readdirSync(dist, { recursive: true, encoding: 'utf8' }).toSorted()) {
    const path = join(dist, name)
    const isPart = /\.(js|mjs|json|css|html)$/.test(name) && !name.startsWith('judge') && statSync(path).isFile()
    if (isPart) hash.update(name).update('\0').update(readFileSync(path))
  }
  return hash.digest('hex').slice(0, 8)
}

/** Complete and incomplete copies in this directory. Other files there are not ours. */
export function listProgramCopies(directory: string): readonly string[] {
  try {
    const names = readdirSync(directory).filter((name) => COPY_NAME.test(name) || INCOMPLETE_NAME.test(name))
    return names.map((name) => join(directory, name))
  } catch {
    return []
  }
}

/** On Windows, a copy that a server runs from cannot be renamed, and is left to a later installation. */
export function removeOldCopies(directory: string, newest: string, rename = renameSync): void {
  const others = listProgramCopies(directory)
    .filter((path) => path !== newest)
    .map((path) => ({ path, at: statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0 }))
    .toSorted((a, b) => b.at - a.at)
  const oldCopies = others.filter(({ path }) => !isIncomplete(path)).slice(MAX_COPIES - 1)
  // Another process may still be writing a recent incomplete copy.
  const abandoned = others.filter(({ path, at }) => isIncomplete(path) && at < Date.now() - ABANDONED_AFTER_MS)
  for (const { path } of [...oldCopies, ...abandoned]) {
    // Renamed first, so that no copy that is still used loses a part of its files.
    const removed = join(directory, `.${randomUUID()}`)
    try {
      rename(path, removed)
      rmSync(removed, { recursive: true, force: true })
    } catch {
      // Still in use.
    }
  }
}

function isIncomplete(path: string): boolean {
  return INCOMPLETE_NAME.test(basename(path))
}
