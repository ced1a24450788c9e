// The desks of this machine: a file for each server that names its process and its socket, in a folder that is ours. One
// whose process is gone is struck by whoever finds it. The path of a socket is short by law; where the folder's is too
// long for it, the socket lies in a private folder for temporary files.

import {
  chmodSync,
  lstatSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
  rmdirSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { readdir } from 'node:fs/promises'
import { hostname, tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'

import { Failure } from '../lib/failure.js'
import { isObject, parseJson, type JsonObject } from '../lib/json.js'
import { isSeenGone, isWhereabouts, ourWhereabouts, type Whereabouts } from '../platform/whereabouts.js'
import { readSmallFile } from './private-file.js'
import { ensurePrivateFolder, isPrivateFolder, notKept, problemOfFolder } from './private-folder.js'

/** Linux takes 107 bytes, macOS 103. */
const MAX_ADDRESS = 100
const MAX_BYTES = 16 * 1024
const MAX_ENTRIES = 200
/** So many may lie about that are none. */
const MAX_READ = 5000
/** Where there are more files, some will be of the dead. */
const MANY_FILES = 100
/** What cannot be seen from here is left alone for so long. */
const SILENCE_MS = 24 * 60 * 60 * 1000

const ID = /^[0-9a-f]{16}$/
const LODGING = 'scorpiox-desk-'

export interface DeskEntry extends Whereabouts {
  readonly id: string
  readonly address: string
  readonly path: string
  readonly changedAt: number
}

export function desksIn(stateDir: string): string {
  return join(stateDir, 'desks')
}

/** Where the socket of a desk goes. Throws a Failure where there is no place for one. */
export function lodge(folder: string, id: string): string {
  ensurePrivateFolder(folder)
  try {
    // Nobody else may even look: whoever can enter can knock.
    chmodSync(folder, 0o700)
    if (process.platform === 'win32') return `\\\\.\\pipe\\scorpiox-${id}`
    const address = join(folder, `${id}.sock`)
    if (Buffer.byteLength(address) <= MAX_ADDRESS) return address
    const lodging = join(mkdtempSync(join(tmpdir(), LODGING)), 'desk.sock')
    if (Buffer.byteLength(lodging) <= MAX_ADDRESS) return lodging
    rmdirSync(dirname(lodging))
  } catch (error) {
    throw notKept(folder, error)
  }
  throw new Failure(`no socket can be made: the paths of ${folder} and of ${tmpdir()} are too long`)
}

/** Says that a desk is open. At once: every server does this, and threads for it would stay with each. */
export function enterDesk(folder: string, id: string, address: string): void {
  const path = entryOf(folder, id)
  const entry = { id, ...ourWhereabouts(), address }
  try {
    writeFileSync(`${path}.tmp`, JSON.stringify(entry), { mode: 0o600, flag: 'wx' })
    renameSync(`${path}.tmp`, path)
  } catch (error) {
    rmSync(`${path}.tmp`, { force: true })
    throw notKept(folder, error)
  }
}

/** Takes back all of it. */
export function leaveDesk(folder: string, id: string, address: string): void {
  remove(entryOf(folder, id), address)
}

/** Says so again: whoever cannot see the process believes no entry for ever. */
export function renewDesk(folder: string, id: string, address: string): void {
  try {
    utimesSync(entryOf(folder, id), new Date(), new Date())
  } catch {
    enterDesk(folder, id, address)
  }
}

/** Strikes the dead where they have become many, because nobody ever looks. */
export async function tidyDesks(folder: string): Promise<void> {
  if (readdirSync(folder).length > MANY_FILES) await openDesks(folder)
}

/** Why no desk is found there although there may be some. */
export function problemOfDesks(folder: string): string | undefined {
  return lstatSync(folder, { throwIfNoEntry: false }) && problemOfFolder(folder)
}

/** Those that may be connected to; the dead are struck. */
export async function openDesks(folder: string): Promise<readonly DeskEntry[]> {
  if (!isPrivateFolder(folder)) return []
  const names = await readdir(folder).catch(() => [])
  const ids = names.filter((name) => name.endsWith('.json')).map((name) => basename(name, '.json'))
  const known = ids.filter((id) => ID.test(id)).slice(0, MAX_READ)
  const entries = await Promise.all(known.map((id) => readEntry(folder, id)))
  return entries
    .filter((entry) => entry !== undefined)
    .filter((entry) => !strikeLost(entry) && isOurs(entry.address))
    .slice(0, MAX_ENTRIES)
}

/** Its process may live, but nobody answers there. */
export function strikeRefused(entry: DeskEntry): void {
  if (isSeenGone(entry) !== undefined || isSilent(entry)) remove(entry.path, entry.address)
}

function strikeLost(entry: DeskEntry): boolean {
  const isElsewhere = entry.host !== hostname()
  const isLost = isSeenGone(entry) ?? (isElsewhere && isSilent(entry) && !isOurs(entry.address))
  if (isLost) remove(entry.path, entry.address)
  return isLost
}

function isSilent({ changedAt }: { readonly changedAt: number }): boolean {
  return Date.now() - changedAt > SILENCE_MS
}

/** Whether nobody but us can have put it there. */
function isOurs(address: string): boolean {
  if (process.platform === 'win32') return address.startsWith('\\\\.\\pipe\\scorpiox-')
  try {
    const stat = lstatSync(address)
    return stat.isSocket() && stat.uid === process.geteuid?.() && isPrivateFolder(dirname(address))
  } catch {
    return false
  }
}

async function readEntry(folder: string, id: string): Promise<DeskEntry | undefined> {
  const path = entryOf(folder, id)
  const file = await readSmallFile(path, MAX_BYTES)
  if (!file) return undefined
  const entry = entryIn(file.text, folder, id)
  if (entry) return { ...entry, path, changedAt: file.changedAt }
  // What a machine that lost its power leaves is nobody's.
  if (isSilent(file)) remove(path, join(folder, `${id}.sock`))
  return undefined
}

function entryIn(text: string, folder: string, id: string): Omit<DeskEntry, 'path' | 'changedAt'> | undefined {
  const value = parseJson(text)
  if (!isObject(value) || value.id !== id || !isWhereabouts(value)) return undefined
  const { owner, host, pidSpace, address }: JsonObject & Whereabouts = value
  if (typeof address !== 'string' || !isPossible(folder, id, address)) return undefined
  return { id, owner, host, pidSpace, address }
}

function entryOf(folder: string, id: string): string {
  return join(folder, `${id}.json`)
}

/** What is struck is removed: an entry must not name anything else. */
function isPossible(folder: string, id: string, address: string): boolean {
  if (process.platform === 'win32') return address === `\\\\.\\pipe\\scorpiox-${id}`
  if (address === join(folder, `${id}.sock`)) return true
  return basename(address) === 'desk.sock' && basename(dirname(address)).startsWith(LODGING)
}

function remove(path: string, address: string): void {
  try {
    if (process.platform !== 'win32') rmSync(address, { force: true })
    if (basename(dirname(address)).startsWith(LODGING)) rmdirSync(dirname(address))
  } catch {
    // The folder of temporary files may have been cleared before.
  }
  try {
    rmSync(path, { force: true })
  } catch {
    // Whoever comes next tries again.
  }
}
