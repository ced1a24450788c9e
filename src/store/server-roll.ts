// The roll of servers at work on a project, so that the next one finds what a killed server left behind. An entry is
// lost when its process is known to be gone: it is not there, or the machine of that name was started anew since. What
// runs on another machine, or in a container or sandbox with process numbers of its own, cannot be seen from here: it
// is left alone as long as it renews its entry, which every server does each minute, and lost after a long silence.

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
const SILENCE_MS = 15 * 60 * 1000
const MAX_BYTES = 64 * 1024

export interface Server {
  readonly owner: Owner
  /** The tag of everything it starts. */
  readonly family: string
  /** What it starts goes on without it. */
  readonly outlive: boolean
}

export interface RollEntry extends Server, Whereabouts {
  readonly renewedAt: number
  readonly path: string
}

/** Returns the way out. Throws a Failure where nothing can be kept. */
export function signIn(folder: string, { owner, family, outlive }: Server): () => void {
  const path = join(rollOf(folder), `${family}.json`)
  const text = JSON.stringify({ ...whereaboutsOf(owner), family, outlive })
  ensurePrivateFolder(folder)
  ensurePrivateFolder(rollOf(folder))
  try {
    replaceFile(path, text, () => true)
  } catch (error) {
    throw notKept(folder, error)
  }
  const renewing = setInterval(() => renew(path, text), RENEW_MS).unref()
  return () => {
    clearInterval(renewing)
    remove(path)
  }
}

/** Whoever cleans up after one strikes it last, so that it is found again should we be killed meanwhile. */
export async function lost(folder: string): Promise<readonly RollEntry[]> {
  const roll = rollOf(folder)
  if (!isPrivateFolder(folder) || !isPrivateFolder(roll)) return []
  const names = await readdir(roll).catch(() => [])
  const paths = names.filter((name) => name.endsWith('.json')).map((name) => join(roll, name))
  const entries = await Promise.all(paths.map(readEntry))
  return entries.filter((entry) => entry !== undefined).filter(isLost)
}

/** Whether the server that a tag belongs to is still at work. */
export async function isServed(folder: string, family: string): Promise<boolean> {
  const entry = await readEntry(join(rollOf(folder), `${family}.json`))
  return entry !== undefined && !isLost(entry)
}

export function strike({ path }: RollEntry): void {
  remove(path)
}

function rollOf(folder: string): string {
  return join(folder, 'servers')
}

function renew(path: string, text: string): void {
  try {
    utimesSync(path, new Date(), new Date())
  } catch {
    restore(path, text)
  }
}

// Struck by somebody who took our silence, as of a machine that slept, for our end.
function restore(path: string, text: string): void {
  try {
    replaceFile(path, text, () => true)
  } catch {
    // The disk may be back in a minute.
  }
}

function remove(path: string): void {
  try {
    rmSync(path, { force: true })
  } catch {
    // Whoever comes next finds it lost, and tries again.
  }
}

async function readEntry(path: string): Promise<RollEntry | undefined> {
  const file = await readSmallFile(path, MAX_BYTES)
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

/** Whether a process can be given up, as far as can be told from here. */
export function isLost(entry: Whereabouts & Pick<RollEntry, 'renewedAt'>): boolean {
  return isSeenGone(entry) ?? Date.now() - entry.renewedAt > SILENCE_MS
}
