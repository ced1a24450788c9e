// Registry of the servers of a project, as files in a private folder, for the shell feature: open-shell-service
// registers, startup-tasks cleans up after servers that were killed, user-jobs and list-running-jobs ask it;
// session-leases uses its rule for dead processes. Dead means no such process, or another boot. Processes of other
// machines and pid namespaces are not visible: their entries expire after 15 minutes. A timer renews the own entry
// every minute.

import { rmSync, utimesSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'

import { isJsonObject, tryParseJson } from '@scorpiox/mcp/json/json'
import { replaceFile } from '@scorpiox/mcp/atomic-file'
import {
  isKnownDead,
  isProcessLocation,
  locateProcess,
  type ProcessIdentity,
  type ProcessLocation,
  readStartTimes,
} from '../process/process-identity.js'
import { ensurePrivateFolder, isPrivateFolder, readOwnFile, toWriteFailure } from './private-files.js'

const RENEW_MS = 60 * 1000
const EXPIRY_MS = 15 * 60 * 1000
const MAX_ENTRY_BYTES = 64 * 1024

export interface ServerInfo {
  readonly owner: ProcessIdentity
  /** The process tag of everything it starts. */
  readonly family: string
  /** True if its jobs outlive it. */
  readonly outlive: boolean
}

export interface ServerEntry extends ServerInfo, ProcessLocation {
  readonly renewedAt: number
  readonly path: string
}

/**
 * Registers a server and returns a function that removes the entry. Throws a Failure if the entry cannot be written.
 */
export function registerServer(folder: string, { owner, family, outlive }: ServerInfo): () => void {
  const path = join(registryFolder(folder), `${family}.json`)
  const text = JSON.stringify({ ...locateProcess(owner), family, outlive })
  ensurePrivateFolder(folder)
  ensurePrivateFolder(registryFolder(folder))
  try {
    replaceFile(path, text, () => true)
  } catch (error) {
    throw toWriteFailure(folder, error)
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
export async function listDeadServers(folder: string): Promise<readonly ServerEntry[]> {
  const registry = registryFolder(folder)
  if (!isPrivateFolder(folder) || !isPrivateFolder(registry)) return []
  const names = await readdir(registry).catch(() => [])
  const paths = names.filter((name) => name.endsWith('.json')).map((name) => join(registry, name))
  const entries = (await Promise.all(paths.map(readEntry))).filter((entry) => entry !== undefined)
  await readStartTimes(entries.map(({ owner }) => owner))
  return entries.filter(isPresumedDead)
}

/** Whether the server with this tag is still running. */
export async function isServerAlive(folder: string, family: string): Promise<boolean> {
  const entry = await readEntry(join(registryFolder(folder), `${family}.json`))
  if (entry === undefined) return false
  await readStartTimes([entry.owner])
  return !isPresumedDead(entry)
}

export function removeServerEntry({ path }: ServerEntry): void {
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

async function readEntry(path: string): Promise<ServerEntry | undefined> {
  const file = await readOwnFile(path, MAX_ENTRY_BYTES)
  const entry = file && parseEntry(file.text)
  return entry && { ...entry, renewedAt: file.changedAt, path }
}

function parseEntry(text: string): Omit<ServerEntry, 'renewedAt' | 'path'> | undefined {
  const value = tryParseJson(text)
  return isEntry(value) ? value : undefined
}

function isEntry(value: unknown): value is Omit<ServerEntry, 'renewedAt' | 'path'> {
  if (!isJsonObject(value)) return false
  return isProcessLocation(value) && typeof value.family === 'string' && typeof value.outlive === 'boolean'
}

/** Whether a process is dead, or is not visible and has not renewed its entry. */
export function isPresumedDead(entry: ProcessLocation & Pick<ServerEntry, 'renewedAt'>): boolean {
  return isKnownDead(entry) ?? Date.now() - entry.renewedAt > EXPIRY_MS
}
