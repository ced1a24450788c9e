// The desks of this machine: a file for each server that names its process and its socket, in a folder that is ours. One
// whose process is gone is struck by whoever finds it. The path of a socket is short by law; where the folder's is too
// long for it, the socket lies in a private folder for temporary files.

import { lstatSync, mkdtempSync, rmSync, rmdirSync } from 'node:fs'
import { chmod, readdir, rename, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'

import { Failure } from '../lib/failure.js'
import { isObject, parseJson, type JsonObject } from '../lib/json.js'
import { isSeenGone, isWhereabouts, ourWhereabouts, type Whereabouts } from '../platform/whereabouts.js'
import { readSmallFile } from './private-file.js'
import { ensurePrivateFolder, isPrivateFolder, notKept } from './private-folder.js'

/** Linux takes 107 bytes, macOS 103. */
const MAX_ADDRESS = 100
const MAX_BYTES = 16 * 1024
const MAX_ENTRIES = 200
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
export async function lodge(folder: string, id: string): Promise<string> {
  ensurePrivateFolder(folder)
  try {
    // Nobody else may even look: whoever can enter can knock.
    await chmod(folder, 0o700)
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

/** Says that a desk is open. */
export async function enterDesk(folder: string, id: string, address: string): Promise<void> {
  const path = entryOf(folder, id)
  const entry = { id, ...ourWhereabouts(), address }
  try {
    await writeFile(`${path}.tmp`, JSON.stringify(entry), { mode: 0o600, flag: 'wx' })
    await rename(`${path}.tmp`, path)
  } catch (error) {
    throw notKept(folder, error)
  }
}

/** Takes back all of it. */
export function leaveDesk(folder: string, id: string, address: string): void {
  remove(entryOf(folder, id), address)
}

/** Those that may be connected to; the dead are struck. */
export async function openDesks(folder: string): Promise<readonly DeskEntry[]> {
  if (!isPrivateFolder(folder)) return []
  const names = await readdir(folder).catch(() => [])
  const ids = names.filter((name) => name.endsWith('.json')).map((name) => basename(name, '.json'))
  const known = ids.filter((id) => ID.test(id)).slice(0, MAX_ENTRIES)
  const entries = await Promise.all(known.map((id) => readEntry(folder, id)))
  return entries.filter((entry) => entry !== undefined).filter((entry) => !strikeLost(entry) && isOurs(entry.address))
}

/** Its process may live, but nobody answers there. */
export function strikeRefused(entry: DeskEntry): void {
  if (isSeenGone(entry) !== undefined || Date.now() - entry.changedAt > SILENCE_MS) remove(entry.path, entry.address)
}

function strikeLost(entry: DeskEntry): boolean {
  const isLost = isSeenGone(entry) ?? false
  if (isLost) remove(entry.path, entry.address)
  return isLost
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
  const value = file && parseJson(file.text)
  if (!isObject(value) || value.id !== id || !isWhereabouts(value)) return undefined
  const { owner, host, pidSpace, address }: JsonObject & Whereabouts = value
  if (typeof address !== 'string' || !isPossible(folder, id, address)) return undefined
  return { id, owner, host, pidSpace, address, path, changedAt: file?.changedAt ?? 0 }
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
