// Registry of the console sockets on this machine: one file per server with its process and its socket, in a private
// folder. Servers register (console-socket.ts), consoles list (feed-connections.ts); entries of dead processes are
// removed when they are found. If the path is too long for a socket address, the socket is in a private folder under
// the temporary directory. Reads and writes files.

import { chmodSync, lstatSync, mkdtempSync, readdirSync, rmdirSync, rmSync, utimesSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { hostname, tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'

import { Failure } from '@scorpiox/mcp/errors'
import { isJsonObject, type JsonObject, tryParseJson } from '@scorpiox/mcp/json/json'
import {
  currentProcessLocation,
  isKnownDead,
  isProcessLocation,
  type ProcessLocation,
} from '@scorpiox/server/process/process-identity'
import {
  describeFolderProblem,
  ensurePrivateFolder,
  isPrivateFolder,
  readOwnFile,
  replaceOwnFile,
  toWriteFailure,
} from '@scorpiox/server/storage/private-files'

/** The limit is 107 bytes on Linux and 103 on macOS. */
const MAX_ADDRESS_BYTES = 100
const MAX_ENTRY_BYTES = 16 * 1024
const MAX_ENTRIES = 200
/** The most files to read, including invalid ones. */
const MAX_FILES_READ = 5000
/** Above this number of files, dead entries are removed at registration. */
const MANY_FILES = 100
/** An entry whose process is not visible from here is kept for this long without renewal. */
const EXPIRY_MS = 24 * 60 * 60 * 1000

const ID_PATTERN = /^[0-9a-f]{16}$/
const TMP_FOLDER_PREFIX = 'scorpiox-desk-'

export interface ConsoleSocketEntry extends ProcessLocation {
  readonly id: string
  readonly address: string
  /** What a console must send first, where any user can connect: to the named pipes of Windows. */
  readonly key?: string | undefined
  readonly path: string
  readonly changedAt: number
}

export function consoleSocketFolder(stateDir: string): string {
  return join(stateDir, 'desks')
}

/** Chooses the address for the socket of a server. Throws a Failure if no address is possible. */
export function chooseSocketAddress(folder: string, id: string): string {
  ensurePrivateFolder(folder)
  try {
    // Access to this folder is access to the sockets in it.
    chmodSync(folder, 0o700)
    if (process.platform === 'win32') return `\\\\.\\pipe\\scorpiox-${id}`
    const address = join(folder, `${id}.sock`)
    if (Buffer.byteLength(address) <= MAX_ADDRESS_BYTES) return address
    const tempAddress = join(mkdtempSync(join(tmpdir(), TMP_FOLDER_PREFIX)), 'desk.sock')
    if (Buffer.byteLength(tempAddress) <= MAX_ADDRESS_BYTES) return tempAddress
    rmdirSync(dirname(tempAddress))
  } catch (error) {
    throw toWriteFailure(folder, error)
  }
  throw new Failure(`cannot create a socket: the paths of ${folder} and of ${tmpdir()} are too long`)
}

/**
 * Registers a socket. Synchronous: every server calls this at start, and asynchronous file access would keep its
 * thread pool alive.
 */
export function registerSocket(folder: string, id: string, address: string, key?: string): void {
  const path = entryPath(folder, id)
  const entry = { id, ...currentProcessLocation(), address, key }
  try {
    replaceOwnFile(path, JSON.stringify(entry))
  } catch (error) {
    throw toWriteFailure(folder, error)
  }
}

/** Removes the entry and the socket. */
export function unregisterSocket(folder: string, id: string, address: string): void {
  removeEntryAndSocket(entryPath(folder, id), address)
}

/** Renews an entry: if the process is not visible, entries expire. */
export function renewSocketRegistration(folder: string, id: string, address: string, key?: string): void {
  try {
    utimesSync(entryPath(folder, id), new Date(), new Date())
  } catch {
    registerSocket(folder, id, address, key)
  }
}

/** Removes dead entries if there are many, in case no console ever lists them. */
export async function removeDeadSocketsIfMany(folder: string): Promise<void> {
  if (readdirSync(folder).length > MANY_FILES) await listLiveSockets(folder)
}

/** Describes why the folder cannot be used; undefined if it can, or does not exist. */
export function describeSocketFolderProblem(folder: string): string | undefined {
  return lstatSync(folder, { throwIfNoEntry: false }) && describeFolderProblem(folder)
}

/** Lists the entries that can be connected to and removes those of dead processes. */
export async function listLiveSockets(folder: string): Promise<readonly ConsoleSocketEntry[]> {
  if (!isPrivateFolder(folder)) return []
  const names = await readdir(folder).catch(() => [])
  const ids = names.filter((name) => name.endsWith('.json')).map((name) => basename(name, '.json'))
  const validIds = ids.filter((id) => ID_PATTERN.test(id)).slice(0, MAX_FILES_READ)
  const entries = await Promise.all(validIds.map((id) => readEntry(folder, id)))
  return entries
    .filter((entry) => entry !== undefined)
    .filter((entry) => !removeIfDead(entry) && isOwnSocket(entry))
    .slice(0, MAX_ENTRIES)
}

/** Removes an entry whose socket refuses connections, unless its process is not visible and was active recently. */
export function removeUnreachableSocket(entry: ConsoleSocketEntry): void {
  if (isKnownDead(entry) !== undefined || isExpired(entry)) removeEntryAndSocket(entry.path, entry.address)
}

function removeIfDead(entry: ConsoleSocketEntry): boolean {
  const isOtherHost = entry.host !== hostname()
  const isDead = isKnownDead(entry) ?? (isOtherHost && isExpired(entry) && !isOwnSocket(entry))
  if (isDead) removeEntryAndSocket(entry.path, entry.address)
  return isDead
}

function isExpired({ changedAt }: { readonly changedAt: number }): boolean {
  return Date.now() - changedAt > EXPIRY_MS
}

/** Checks that only this user can have created the socket. A named pipe is one of this machine. */
function isOwnSocket({ address, host }: Pick<ConsoleSocketEntry, 'address' | 'host'>): boolean {
  if (process.platform === 'win32') return address.startsWith('\\\\.\\pipe\\scorpiox-') && host === hostname()
  try {
    const stat = lstatSync(address)
    return stat.isSocket() && stat.uid === process.geteuid?.() && isPrivateFolder(dirname(address))
  } catch {
    return false
  }
}

async function readEntry(folder: string, id: string): Promise<ConsoleSocketEntry | undefined> {
  const path = entryPath(folder, id)
  const file = await readOwnFile(path, MAX_ENTRY_BYTES)
  if (!file) return undefined
  const entry = parseEntry(file.text, folder, id)
  if (entry) return { ...entry, path, changedAt: file.changedAt }
  // An incomplete entry, as left by a power failure, is removed when it is old.
  if (isExpired(file)) removeEntryAndSocket(path, join(folder, `${id}.sock`))
  return undefined
}

function parseEntry(
  text: string,
  folder: string,
  id: string,
): Omit<ConsoleSocketEntry, 'path' | 'changedAt'> | undefined {
  const value = tryParseJson(text)
  if (!isJsonObject(value) || value.id !== id || !isProcessLocation(value)) return undefined
  const { owner, host, pidSpace, address, key }: JsonObject & ProcessLocation = value
  if (typeof address !== 'string' || !isExpectedAddress(folder, id, address)) return undefined
  if (key !== undefined && typeof key !== 'string') return undefined
  return { id, owner, host, pidSpace, address, key }
}

function entryPath(folder: string, id: string): string {
  return join(folder, `${id}.json`)
}

/** Only these addresses are accepted, because removing an entry also removes its socket file. */
function isExpectedAddress(folder: string, id: string, address: string): boolean {
  if (process.platform === 'win32') return address === `\\\\.\\pipe\\scorpiox-${id}`
  if (address === join(folder, `${id}.sock`)) return true
  return basename(address) === 'desk.sock' && basename(dirname(address)).startsWith(TMP_FOLDER_PREFIX)
}

function removeEntryAndSocket(path: string, address: string): void {
  try {
    if (process.platform !== 'win32') rmSync(address, { force: true })
    if (basename(dirname(address)).startsWith(TMP_FOLDER_PREFIX)) rmdirSync(dirname(address))
  } catch {
    // The temporary directory may have been cleaned.
  }
  try {
    rmSync(path, { force: true })
  } catch {
    // The next process tries again.
  }
}
