// Writes the Seatbelt profile of a sandboxed command on macOS, from the same mount plan that bubblewrap gets on Linux:
// readable, writable and hidden paths, the network, and the services that ordinary programs need. Of rules for the same
// operation the last that matches decides, so inner paths come after outer ones. Used by seatbelt.ts. Pure.

import { dirname } from 'node:path'

import { Failure } from '@scorpiox/mcp/errors'
import { isInsideDirectory } from '../files/path-containment.js'
import { anyCasePattern, escapeRegex } from './any-case-pattern.js'
import type { FileSystemView, MountKind, MountPlan } from './mount-plan.js'
import { DEVICE_RULES, FILE_EVENT_RULES, NETWORK_RULES, PROCESS_RULES } from './seatbelt-services.js'

export interface SeatbeltProfileOptions {
  readonly plan: MountPlan
  readonly base: FileSystemView['base']
  readonly hasNetwork: boolean
}

export function buildSeatbeltProfile({ plan, base, hasNetwork }: SeatbeltProfileOptions): string {
  const access = [...plan].toSorted(([one], [other]) => (one < other ? -1 : 1))
  const writable = access.flatMap(([path, mount]) => (mount === 'write' ? [path] : []))
  return [
    '(version 1)',
    '(deny default)',
    PROCESS_RULES,
    ...baseRules(base),
    // After the base, which may contain /dev.
    DEVICE_RULES,
    // Where it must not reach the network, a socket file of the project could belong to a program that does.
    ...(hasNetwork ? [NETWORK_RULES, ...access.flatMap(([path, mount]) => socketRules(writable, path, mount))] : []),
    ...access.flatMap(([path, mount]) => accessRules(writable, path, mount)),
    ...visibleParentRules(access),
    ...FIRMLINKS.map((path) => metadataRule(`${DATA_VOLUME}${path}`)),
    // Renaming one of them away would let a command replace what is protected or hidden in it.
    ...writable.map((path) => `(deny file-write-unlink file-write-create (literal ${quote(path)}))`),
    ...writable
      .filter((path) => findWritableRoot(writable, path) === undefined)
      .map((root) => `(deny file-write-create (regex ${ignoredCharacterRegex(root)}))`),
    '',
  ].join('\n')
}

/** Where the volume of the user's files is mounted: everything on it has a second path there. */
export const DATA_VOLUME = '/System/Volumes/Data'

/**
 * What the volume of the system takes from the other one. The system may know these folders by their second path, and
 * programs that resolve a path (`realpath`) ask for each folder of it.
 */
const FIRMLINKS = ['', '/Applications', '/Library', '/Users', '/Volumes', '/cores', '/opt', '/private', '/usr/local']

/** Links in the root folder, through which programs name what is below /private. */
const ROOT_LINKS = ['/etc', '/tmp', '/var']

function baseRules(base: FileSystemView['base']): readonly string[] {
  if (base === 'everything') return ['(allow file-read*)', FILE_EVENT_RULES]
  const parents = new Set(base.flatMap(({ path }) => listParents(path)))
  return [
    '(allow file-read* (literal "/"))',
    ...[...parents, ...ROOT_LINKS].map(metadataRule),
    ...base.map(({ path }) => `(allow file-read* ${pathFilter(path)})`),
  ]
}

/** A path is resolved folder by folder, also where the folders above it are hidden. Their content stays hidden. */
function visibleParentRules(access: readonly (readonly [string, string])[]): readonly string[] {
  const visible = access.flatMap(([path, mount]) => (mount === 'read' || mount === 'write' ? [path] : []))
  return [...new Set(visible.flatMap(listParents))].map(metadataRule)
}

function metadataRule(path: string): string {
  return `(allow file-read-metadata (literal ${quote(path)}))`
}

function listParents(path: string): readonly string[] {
  const parent = dirname(path)
  return parent === '/' || parent === path ? [] : [parent, ...listParents(parent)]
}

function accessRules(writable: readonly string[], path: string, mount: MountKind): readonly string[] {
  if (isWritable(mount)) return [`(allow file-read* file-write* ${pathFilter(path)})`]
  const filters = listFilters(writable, path)
  if (mount === 'read') {
    return [`(allow file-read* ${pathFilter(path)})`, ...filters.map((filter) => `(deny file-write* ${filter})`)]
  }
  return filters.map((filter) => `(deny file-read* file-write* ${filter})`)
}

/** A program that listens in a protected or hidden folder does what a client asks for. */
function socketRules(writable: readonly string[], path: string, mount: MountKind): readonly string[] {
  if (isWritable(mount)) {
    return [
      `(allow network-outbound (remote unix-socket ${pathFilter(path)}))`,
      `(allow network-bind (local unix-socket ${pathFilter(path)}))`,
    ]
  }
  // Elsewhere all of them are refused already.
  if (findWritableRoot(writable, path) === undefined) return []
  return listFilters(writable, path, 'path-regex').flatMap((filter) => [
    `(deny network-outbound (remote unix-socket ${filter}))`,
    `(deny network-bind (local unix-socket ${filter}))`,
  ])
}

function isWritable(mount: MountKind): boolean {
  return mount === 'write' || mount === 'private tmp'
}

/** In a writable folder a command can create what does not exist yet, in any letter case: most disks ignore the case. */
function listFilters(writable: readonly string[], path: string, regex = 'regex'): readonly string[] {
  const root = findWritableRoot(writable, path)
  return root === undefined ? [pathFilter(path)] : [pathFilter(path), `(${regex} ${anyCaseRegex(path, root)})`]
}

/** The outermost of the writable folders, which are sorted, that contains the path. */
function findWritableRoot(writable: readonly string[], path: string): string | undefined {
  return writable.find((folder) => folder !== path && isInsideDirectory(path, folder))
}

/** The path itself and everything in it. */
function pathFilter(path: string): string {
  return `(subpath ${quote(path)})`
}

/** Of a long path as many of the last names as fit, in any folder of the root: it matches more than the path. */
function anyCaseRegex(path: string, root: string): string {
  const prefix = root === '/' ? '' : root
  const names = path.slice(prefix.length + 1).split('/')
  for (let start = 0; start < names.length; start++) {
    const between = start === 0 ? '/' : '/(.*/)?'
    const regex = `^${escapeRegex(prefix)}${between}${anyCasePattern(names.slice(start).join('/'))}(/.*)?$`
    if (literalLength(regex) <= MAX_LITERAL_BYTES) return quote(regex)
  }
  throw tooLongFailure(path)
}

/** Disks with HFS+ take a name with these characters for the one without them (TN1150; in git, CVE-2014-9390). */
const IGNORED_CHARACTERS = Array.from(
  '\u200C\u200D\u200E\u200F\u202A\u202B\u202C\u202D\u202E\u206A\u206B\u206C\u206D\u206E\u206F\uFEFF',
).join('|')

/** Matches names of ASCII and at least one of them: others, such as those of emoji, are not names of protected files. */
function ignoredCharacterRegex(root: string): string {
  const prefix = escapeRegex(root === '/' ? '' : root)
  return quote(`^${prefix}/(.*/)?[ -.0-~]*(${IGNORED_CHARACTERS})([ -.0-~]|${IGNORED_CHARACTERS})*(/.*)?$`)
}

/** Longer ones are an error in the whole profile: `Error reading string`. */
const MAX_LITERAL_BYTES = 1000

function quote(text: string): string {
  if (literalLength(text) > MAX_LITERAL_BYTES) throw tooLongFailure(text)
  return formatLiteral(text)
}

function literalLength(text: string): number {
  return Buffer.byteLength(formatLiteral(text))
}

function formatLiteral(text: string): string {
  return `"${text.replaceAll(/["\\]/g, String.raw`\$&`)}"`
}

function tooLongFailure(path: string): Failure {
  return new Failure(
    `The command was not started: the sandbox of macOS cannot have a rule for ${path.slice(0, SHOWN_LENGTH)}…, whose path is too ` +
      'long. Use a shorter name, or move the project to a folder with a shorter path.',
  )
}

const SHOWN_LENGTH = 200
