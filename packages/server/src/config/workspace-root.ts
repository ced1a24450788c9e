// WORKSPACE_ROOT: the directories of users, or of tenants, in one folder. Parses the setting, encodes the name of a
// user as a unique file name, and creates the directory. Used by serve-http.ts, join-machines.ts and workspaces.ts of
// the app, writable-roots.ts and the sandbox policy. Only the open functions use the file system.

import { createHash } from 'node:crypto'
import { lstatSync, mkdirSync } from 'node:fs'
import { basename, dirname, isAbsolute, join } from 'node:path'

import { errorMessage, Failure } from '@scorpiox/mcp/errors'
import { hasErrorCode } from '@scorpiox/mcp/os'
import { makePrivateFolder } from '@scorpiox/mcp/atomic-file'
import { realPathOrSame } from './paths.js'

export interface WorkspaceRoot {
  /** The folder with the directories. */
  readonly folder: string
  /** What each directory belongs to. */
  readonly of: 'user' | 'tenant'
}

/** Undefined if the setting is empty. */
export function parseWorkspaceRoot(setting: string): WorkspaceRoot | undefined {
  if (setting === '') return undefined
  const folder = dirname(setting)
  const [, of] = /^\{(user|tenant)\}$/.exec(basename(setting)) ?? []
  const isUsable = isAbsolute(setting) && dirname(folder) !== folder && !folder.includes('{')
  if (isUsable && (of === 'user' || of === 'tenant')) return { folder, of }
  throw new Failure(
    `WORKSPACE_ROOT must be an absolute path that ends in /{user} or /{tenant}, such as /srv/work/{user}, got ${setting}`,
  )
}

/** The folder of WORKSPACE_ROOT; undefined if it is not set, or not usable, which the start of the server reports. */
export function findWorkspaceFolder(setting: string): string | undefined {
  return isAbsolute(setting) ? dirname(setting) : undefined
}

/** The longest name of most file systems has 255 bytes. */
const MAX_ENCODED = 200
const KEPT_OF_LONG = 100

/**
 * The file name of a user or tenant. Small letters, digits, `-`, `_`, `.` and `@` stay, other bytes become `+` and two
 * digits, capital letters too, because some file systems ignore case. A long name ends in `~` and its hash.
 */
export function encodeWorkspaceName(name: string, platform: NodeJS.Platform = process.platform): string {
  if (name === '' || !name.isWellFormed())
    throw new Failure('The name of the user or tenant is empty or not valid text.')
  const plain = Array.from(Buffer.from(name), encodeByte).join('')
  const encoded = platform === 'win32' ? avoidWindowsNames(plain) : plain
  if (encoded.length <= MAX_ENCODED) return encoded
  return `${encoded.slice(0, KEPT_OF_LONG)}~${createHash('sha256').update(name).digest('hex')}`
}

/** A name never begins with `.` or `-`, which programs treat specially. */
function encodeByte(byte: number, at: number): string {
  const character = String.fromCharCode(byte)
  const isPlain = at === 0 ? /[\da-z_@]/.test(character) : /[\d.@_a-z-]/.test(character)
  return isPlain ? character : toEscape(byte)
}

function toEscape(byte: number): string {
  return `+${byte.toString(16).padStart(2, '0')}`
}

/** Windows takes some names for devices, also before a period, and removes a period at the end. */
function avoidWindowsNames(encoded: string): string {
  return encoded
    .replace(/^(?:con|prn|aux|nul|(?:com|lpt)\d)(?=\.|$)/, (device) => toEscape(device.charCodeAt(0)) + device.slice(1))
    .replace(/\.$/, toEscape(0x2e))
}

/** Creates the folder with the directories, unless it exists. Returns its real path. */
export function openWorkspaceFolder({ folder }: WorkspaceRoot): string {
  try {
    makePrivateFolder(folder)
  } catch (error) {
    throw new Failure(`The folder of WORKSPACE_ROOT cannot be created: ${errorMessage(error)}`)
  }
  return realPathOrSame(folder)
}

/** Creates the directory of a user or tenant in the folder, unless it exists. Returns its path. */
export function openWorkspaceDirectory(folder: string, name: string): string {
  const path = join(folder, encodeWorkspaceName(name))
  try {
    mkdirSync(path, { mode: 0o700 })
  } catch (error) {
    if (!hasErrorCode(error, 'EEXIST'))
      throw new Failure(`The workspace ${path} cannot be created: ${errorMessage(error)}`)
  }
  // A link could lead to the directory of another user.
  if (lstatSync(path).isDirectory()) return path
  throw new Failure(
    `The workspace ${path} is not a directory, or is a link; the operator of the server must remove it.`,
  )
}
