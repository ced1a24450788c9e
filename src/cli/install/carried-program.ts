// Copies the package, with what it needs, out of a place that may vanish, such as the cache of npx. Each version has a
// folder of its own: a server that runs goes on loading its parts from the one it was started in.

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

import { Failure } from '../../lib/failure.js'
import { isObject, parseJson } from '../../lib/json.js'
import { reasonOf } from '../../lib/reason-of.js'
import { VERSION } from '../../lib/version.js'
import { ensurePrivateFolder } from '../../store/private-folder.js'

const PACKAGE = 'scorpiox-code'
/** The one that is used, and the one that servers may still run from. */
const KEPT = 2
/** Longer than this nobody copies. */
const LONG_MS = 3_600_000

const CARRIED = /^\d+\.\d+\.\d+.*-[\da-f]{8}$/
const UNFINISHED = /^\.[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/

/** Whether what lies there may be gone tomorrow. `temporary` is the folder for such things. */
export function isPassing(path: string, temporary: string): boolean {
  const isBelow = (folder: string): boolean => !/^(\.\.|[A-Za-z]:|[\\/]|$)/.test(relative(folder, path))
  return isBelow(temporary) || /[\\/](_npx|dlx|dlx-[^\\/]+|bunx-[^\\/]+|xfs-[^\\/]+)[\\/]/.test(path)
}

/** Where the program will lie, once it is carried there. */
export function carriedPlace(folder: string, script: string): string {
  return join(folder, `${VERSION}-${fingerprint(dirname(script))}`, 'node_modules', PACKAGE, 'dist', basename(script))
}

/** Gives the new name of the script. */
export function carryProgram(folder: string, script: string): string {
  const place = carriedPlace(folder, script)
  if (existsSync(place)) return place
  const version = join(place, '..', '..', '..', '..')
  const beside = join(folder, `.${randomUUID()}`)
  try {
    ensurePrivateFolder(folder)
    copyPackages(dirname(dirname(script)), join(beside, 'node_modules'))
    putInPlace(beside, version, place)
  } catch (error) {
    if (error instanceof Failure) throw error
    throw new Failure(`${version} cannot be made (${reasonOf(error)})`, { cause: error })
  } finally {
    rmSync(beside, { recursive: true, force: true })
  }
  forgetOldOnes(folder, version)
  return place
}

function putInPlace(beside: string, version: string, place: string): void {
  try {
    renameSync(beside, version)
  } catch (error) {
    // Another process was faster.
    if (!existsSync(place)) throw error
  }
}

interface Wanted {
  readonly name: string
  /** Where it lies, without links. */
  readonly from: string
  /** The folder of packages it is put into. */
  readonly into: string
}

/** Flat where it can be; what is needed in two versions lies where it is needed. */
function copyPackages(root: string, top: string): void {
  const placed = new Map<string, string>()
  const waiting: Wanted[] = [{ name: PACKAGE, from: root, into: top }]
  for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
    const { name, from, into } = next
    const to = join(into, name)
    if (placed.has(to)) continue
    placed.set(to, from)
    copyPackage(from, to, name === PACKAGE)
    for (const [needed, isOptional] of needsOf(from)) {
      const found = findPackage(from, needed)
      if (found === undefined && isOptional) continue
      if (found === undefined) throw notWhole(needed)
      const flat =
        placed.get(join(top, needed)) ?? waiting.find((other) => other.name === needed && other.into === top)?.from
      const place = flat === undefined || flat === found ? top : join(to, 'node_modules')
      waiting.push({ name: needed, from: found, into: place })
    }
  }
}

function copyPackage(from: string, to: string, isOwn: boolean): void {
  mkdirSync(dirname(to), { recursive: true })
  const isWanted = (path: string): boolean => {
    const [first = '', ...rest] = relative(from, path).split(/[\\/]/)
    if (first === '') return true
    if (isOwn) return ['dist', 'package.json', 'LICENSE'].includes(first) && !(first === 'dist' && rest[0] === 'judge')
    return first !== 'node_modules'
  }
  cpSync(from, to, { recursive: true, dereference: true, filter: isWanted })
}

function needsOf(folder: string): readonly (readonly [name: string, isOptional: boolean])[] {
  const described = parseJson(readFileSync(join(folder, 'package.json'), 'utf8'))
  if (!isObject(described)) return []
  const optional = namesOf(described.optionalDependencies)
  const needed = namesOf(described.dependencies).filter((name) => !optional.includes(name))
  return [...needed.map((name) => [name, false] as const), ...optional.map((name) => [name, true] as const)]
}

function namesOf(dependencies: unknown): readonly string[] {
  return isObject(dependencies) ? Object.keys(dependencies) : []
}

function findPackage(from: string, name: string): string | undefined {
  for (let folder = from; ; folder = dirname(folder)) {
    const candidate = join(folder, 'node_modules', name)
    if (existsSync(join(candidate, 'package.json'))) return realpathSync(candidate)
    if (dirname(folder) === folder) return undefined
  }
}

function notWhole(needed: string): Failure {
  const advice = 'install it first, with `npm install -g scorpiox-code`, and then run: scorpiox-code install'
  return new Failure(`the program cannot be copied from here, because ${needed} is not found beside it; ${advice}`)
}

/** Of all that the program consists of. */
function fingerprint(dist: string): string {
  const hash = createHash('sha256')
  for (const name of readdirSync(dist, { recursive: true, encoding: 'utf8' }).toSorted()) {
    const path = join(dist, name)
    const isPart = /\.(js|mjs|json|css|html)$/.test(name) && !name.startsWith('judge') && statSync(path).isFile()
    if (isPart) hash.update(name).update('\0').update(readFileSync(path))
  }
  return hash.digest('hex').slice(0, 8)
}

/** What was carried to this folder before, and what was left of an attempt. Nothing else there is ours. */
export function carriedOnes(folder: string): readonly string[] {
  try {
    const names = readdirSync(folder).filter((name) => CARRIED.test(name) || UNFINISHED.test(name))
    return names.map((name) => join(folder, name))
  } catch {
    return []
  }
}

function forgetOldOnes(folder: string, newest: string): void {
  const others = carriedOnes(folder)
    .filter((path) => path !== newest)
    .map((path) => ({ path, at: statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0 }))
    .toSorted((a, b) => b.at - a.at)
  const outdated = others.filter(({ path }) => !isUnfinished(path)).slice(KEPT - 1)
  // Somebody may be at work on what is not finished.
  const abandoned = others.filter(({ path, at }) => isUnfinished(path) && at < Date.now() - LONG_MS)
  for (const { path } of [...outdated, ...abandoned]) rmSync(path, { recursive: true, force: true })
}

function isUnfinished(path: string): boolean {
  return UNFINISHED.test(basename(path))
}
