// Reads and writes plan files: plan.md and its numbered versions in the session directory, and files that a caller names. A
// plan is a regular, non-empty UTF-8 text file of at most 1 MB. Used by plan-service, decide-plan and the console. Commands
// can write to these files, so their content is not trusted.

import { type FileHandle, lstat, open, readdir, realpath, rm } from 'node:fs/promises'
import { join, resolve } from 'node:path'

import { errorMessage, Failure } from '@scorpiox/mcp/errors'
import { hasErrorCode } from '@scorpiox/mcp/os'
import { renameOverAsync, replaceFileAsync } from '@scorpiox/mcp/atomic-file'
import { sessionDirectoryPath } from '../../sessions/session-directory.js'
import { openOwnFile } from '../../storage/private-files.js'
import { readBounded } from '../../storage/untrusted-file.js'
import { isInsideDirectory } from '../../files/path-containment.js'
import type { PlanTable } from './plan-table.js'

const MAX_PLAN_BYTES = 1024 * 1024
/** Version files in one session directory; the oldest are deleted. */
const MAX_VERSION_FILES = 100
const MAX_VERSION_FILES_BYTES = 8 * 1024 * 1024

/** Throws a Failure that explains what is wrong; does not follow links. */
export async function readPlanFile(path: string, verify?: (file: FileHandle) => Promise<boolean>): Promise<string> {
  const file = await openOrFail(path)
  try {
    if (verify && !(await verify(file))) throw new Failure(`${path} was replaced while it was read.`)
    const text = decodeText(await readBounded(file, MAX_PLAN_BYTES + 1), path)
    if (text.trim() === '') throw new Failure(`${path} is empty.`)
    return text
  } catch (error) {
    throw error instanceof Failure ? error : unreadable(path, error)
  } finally {
    await file.close()
  }
}

async function openOrFail(path: string): Promise<FileHandle> {
  try {
    const file = await openOwnFile(path)
    if (file) return file
  } catch (error) {
    throw unreadable(path, error)
  }
  throw new Failure(`There is no regular file at ${path}.`)
}

function unreadable(path: string, error: unknown): Failure {
  return new Failure(`${path} cannot be read (${errorMessage(error)}).`)
}

function decodeText(bytes: Buffer, path: string): string {
  if (bytes.length > MAX_PLAN_BYTES) throw new Failure(`${path} is larger than 1 MB, the limit for a plan.`)
  try {
    // A NUL byte is valid UTF-8, but text files do not contain it.
    if (!bytes.includes(0)) return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    // Reported below.
  }
  throw new Failure(`${path} is not UTF-8 text.`)
}

/** The text as it is stored; throws a Failure if it cannot be a plan. */
export function validatePlanText(plan: string): string {
  if (plan.includes('\0')) throw new Failure('The plan contains a NUL character.')
  if (Buffer.byteLength(plan) <= MAX_PLAN_BYTES) return plan.toWellFormed()
  throw new Failure('The plan is larger than 1 MB, the limit for a plan.')
}

export interface PlanFileStore {
  /** Path of plan.md. */
  readonly currentPath: string
  /** Writes plan.md and a new version. */
  save(text: string): Promise<void>
  /** Writes plan.md if it does not contain this text, which was saved before. */
  restore(text: string): Promise<void>
  /** Renames the plan.md of an earlier plan of the session to a version, so that it is not taken for the new plan. */
  archiveCurrent(): Promise<void>
}

/**
 * Writes plan.md, the newest version, and plan.<n>.md, one file per saved version, in the session directory. Commands
 * can write to that directory, so its content is not trusted: links are not followed, and files are replaced instead of
 * overwritten.
 */
export function openPlanFileStore(directory: string): PlanFileStore {
  const currentPath = join(directory, 'plan.md')

  return {
    currentPath,
    save: (text) =>
      withSaveFailure(currentPath, async () => {
        await addVersion(directory, text)
        await replaceFileAsync(currentPath, text)
        await removeOldVersions(directory)
      }),
    async restore(text) {
      const current = await readPlanFile(currentPath).catch(() => undefined)
      if (current !== text) await withSaveFailure(currentPath, () => replaceFileAsync(currentPath, text))
    },
    archiveCurrent: () =>
      withSaveFailure(currentPath, async () => {
        try {
          await renameOverAsync(currentPath, versionPath(directory, await nextNumber(directory)))
        } catch (error) {
          if (!hasErrorCode(error, 'ENOENT')) throw error
        }
      }),
  }
}

async function addVersion(directory: string, text: string): Promise<void> {
  const file = await openNewVersion(directory, await nextNumber(directory))
  try {
    await file.writeFile(text)
    await file.sync()
  } finally {
    await file.close()
  }
}

/** Another process may create the same version at the same time; then the next number is tried. */
async function openNewVersion(directory: string, number: number, attempts = 100): Promise<FileHandle> {
  try {
    return await open(versionPath(directory, number), 'wx', 0o600)
  } catch (error) {
    if (attempts > 1 && hasErrorCode(error, 'EEXIST')) return openNewVersion(directory, number + 1, attempts - 1)
    throw error
  }
}

async function nextNumber(directory: string): Promise<number> {
  return ((await listVersionNumbers(directory))[0] ?? 0) + 1
}

/** Highest first. */
async function listVersionNumbers(directory: string): Promise<readonly number[]> {
  const names = await readdir(directory)
  return names
    .map((name) => Number(/^plan\.(\d{1,9})\.md$/.exec(name)?.[1] ?? 0))
    .filter((number) => number > 0)
    .toSorted((one, other) => other - one)
}

/** The newest is always kept. */
async function removeOldVersions(directory: string): Promise<void> {
  let bytes = 0
  for (const [index, number] of (await listVersionNumbers(directory)).entries()) {
    const path = versionPath(directory, number)
    bytes += (await lstat(path).catch(() => undefined))?.size ?? 0
    if (index > 0 && (index >= MAX_VERSION_FILES || bytes > MAX_VERSION_FILES_BYTES)) await rm(path, { force: true })
  }
}

function versionPath(directory: string, number: number): string {
  return join(directory, `plan.${number}.md`)
}

async function withSaveFailure<T>(path: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    const reason = errorMessage(error)
    throw new Failure(`The plan could not be saved to ${path} (${reason}). Fix this and call again.`)
  }
}

export interface ReadablePaths {
  readonly cwd: string
  /** Directories that may be read, innermost first, and paths in them that may not. Undefined: no restriction. */
  readonly allowed?: { readonly roots: readonly string[]; readonly hidden: readonly string[] } | undefined
}

export interface NamedPlanFile {
  readonly path: string
  readonly text: string
}

/**
 * Reads a plan from a file that the caller names. A sandboxed caller must not use the server to read what its commands
 * cannot read, so the real path must be inside the project and not in a hidden path.
 */
export async function readNamedPlanFile(requestedPath: string, readable: ReadablePaths): Promise<NamedPlanFile> {
  const path = resolve(readable.cwd, requestedPath)
  const real = await realPath(path)
  requireInsideRoots(real, path, readable)
  const text = await readPlanFile(real, async (file) => {
    // A command may have replaced a part of the path in the meantime.
    const [opened, current] = await Promise.all([file.stat(), lstat(real)])
    return (await realPath(path)) === real && opened.ino === current.ino && opened.dev === current.dev
  })
  return { path: real, text }
}

async function realPath(path: string): Promise<string> {
  try {
    return await realpath(path)
  } catch (error) {
    throw new Failure(`${path} cannot be opened (${errorMessage(error)}).`)
  }
}

function requireInsideRoots(real: string, path: string, { allowed }: ReadablePaths): void {
  if (!allowed) return
  const { roots, hidden } = allowed
  const root = roots.find((candidate) => isInsideDirectory(real, candidate))
  if (root === undefined)
    throw new Failure(
      `${path} is outside ${roots.at(-1)}: the sandbox limits commands and the plan file to that folder.`,
    )
  // A hidden path that contains the whole project does not hide the project itself.
  if (hidden.some((hiddenPath) => isInsideDirectory(hiddenPath, root) && isInsideDirectory(real, hiddenPath)))
    throw new Failure(`${path} is hidden from commands, so it cannot be the plan file.`)
}

/**
 * Reads the text of the open plan: plan.md as it is now, because commands write to it too, else the version saved last.
 * Undefined if no plan is open or nothing was written yet.
 */
export async function readOpenPlanText(plans: PlanTable, project: string): Promise<string | undefined> {
  const openPlan = await plans.findOpen()
  if (!openPlan) return undefined
  const file = join(sessionDirectoryPath(project, openPlan.session), 'plan.md')
  return readPlanFile(file).catch(async () => (await plans.listVersions(openPlan.id)).at(-1)?.text)
}
