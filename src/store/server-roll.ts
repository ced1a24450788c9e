// Registry of the servers of a project, so that the next server can clean up after one that was killed. A server
// counts as dead if its process does not exist or the machine was restarted. Processes on other machines and in other
// pid namespaces are not visible: their entries, which are renewed every minute, expire.

import { rmSync, utimesSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'

import { isObject, parseJson } from '../lib/json.js'
import type { Owner } from '../platform/process-identity.js'
import { isSeenGone, isWhereabouts, whereaboutsOf, type Whereabouts } from '../platform/whereabouts.js'
import { replaceFile } from './atomic-file.js'
import { readSmallFile } from './private-file.js'
import { ensurePrivateFolder, isPrivateFolder, notKept } from './private-folder.js'

const RENEW_MS = 60 * 1000
const EXPIRY_MS = 15 * 60 * 1000
const MAX_ENTRY_BYTES = 64 * 1024

export interface Server {
  readonly owner: Owner
  /** The process tag of everything it starts. */
  readonly family: string
  /** True if its jobs outlive it. */
  readonly outlive: boolean
}

export interface RollEntry extends Server, Whereabouts {
  readonly renewedAt: number
  readonly path: string
}

/**
 * Registers a server and returns a function that removes the entry. Throws a Failure if the entry cannot be written.
 */
export function signIn(folder: string, { owner, family, outlive }: Server): () => void {
  const path = join(registryFolder(folder), `${family}.json`)
  const text = JSON.stringify({ ...whereaboutsOf(owner), family, outlive })
  ensurePrivateFolder(folder)
  ensurePrivateFolder(registryFolder(folder))
  try {
    replaceFile(path, text, () => true)
  } catch (error) {
    throw notKept(folder, error)
  }
  const renewTimer = setInterval(() => renew(path, text), RENEW_MS).unref()
  return () => {
    clearInterval(renewTimer)
    removeFile(path)
  }
}

/**
 * Lists the dead servers. The caller removes an entry after its cleanup, so that an interrupted cleanup is repeated.
 */
export async function lost(folder: string): Promise<readonly RollEntry[]> {
  const registry = registryFolder(folder)
  if (!isPrivateFolder(folder) || !isPrivateFolder(registry)) return []
  const names = await readdir(registry).catch(() => [])
  const paths = names.filter((name) => name.endsWith('.json')).map((name) => join(registry, name))
  const entries = await Promise.all(paths.map(readEntry))
  return entries.filter((entry) => entry !== undefined).filter(isLost)
}

/** Whether the server with this tag is still running. */
export async function isServed(folder: string, family: string): Promise<boolean> {
  const entry = await readEntry(join(registryFolder(folder), `${family}.json`))
  return entry !== undefined && !isLost(entry)
}

export function strike({ path }: RollEntry): void {
  removeFile(path)
}

function registryFolder(folder: string): string {
  return join(folder, 'servers')
}

function renew(path: string, text: string): void {
  try {
    utimesSync(path, new Date(), new Date())
  } catch {
    restoreEntry(path, text)
  }
}

// Another server removed the entry because it was not renewed in time, for example while the machine was suspended.
function restoreEntry(path: string, text: string): void {
  try {
    replaceFile(path, text, () => true)
  } catch {
    // Tried again in a minute.
  }
}

function removeFile(path: string): void {
  try {
    rmSync(path, { force: true })
  } catch {
    // The next server finds the entry and tries again.
  }
}

async function readEntry(path: string): Promise<RollEntry | undefined> {
  const file = await readSmallFile(path, MAX_ENTRY_BYTES)
  const entry = file && parseEntry(file.text)
  return entry && { ...entry, renewedAt: file.changedAt, path }
}

function parseEntry(text: string): Omit<RollEntry, 'renewedAt' | 'path'> | undefined {
  const value = parseJson(text)
  return isEntry(value) ? value : undefined
}

function isEntry(value: unknown): value is Omit<RollEntry, 'renewedAt' | 'path'> {
  if (!isObject(value)) return false
  return isWhereabouts(value) && typeof value.family === 'string' && typeof value.outlive === 'boolean'
}

/** Whether a process is dead, or is not visible and has not renewed its entry. */
export function isLost(entry: Whereabouts & Pick<RollEntry, 'renewedAt'>): boolean {
  return isSeenGone(entry) ?? Date.now() - entry.renewedAt > EXPIRY_MS
}
