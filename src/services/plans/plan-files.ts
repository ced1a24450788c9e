// Writes plan.md, the newest version, and plan.<n>.md, one file per saved version, in the session directory. Commands
// can write to that directory, so its content is not trusted: links are not followed, and files are replaced instead of
// overwritten.

import { open, readdir, rename, type FileHandle } from 'node:fs/promises'
import { join } from 'node:path'

import { hasCode } from '../../lib/error-code.js'
import { Failure } from '../../lib/failure.js'
import { reasonOf } from '../../lib/reason-of.js'
import { replaceFileLater } from '../../store/atomic-file.js'

export interface PlanFiles {
  /** Path of plan.md. */
  readonly current: string
  /** Writes plan.md and a new version. */
  save(text: string): Promise<void>
  /** Renames the plan.md of an earlier plan of the session to a version, so that it is not taken for the new plan. */
  setAside(): Promise<void>
}

export function planFilesIn(directory: string): PlanFiles {
  const current = join(directory, 'plan.md')

  return {
    current,
    save: (text) =>
      withSaveFailure(current, async () => {
        await addVersion(directory, text)
        await replaceFileLater(current, text)
      }),
    setAside: () =>
      withSaveFailure(current, async () => {
        try {
          await rename(current, versionPath(directory, await nextNumber(directory)))
        } catch (error) {
          if (!hasCode(error, 'ENOENT')) throw error
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
    if (attempts > 1 && hasCode(error, 'EEXIST')) return openNewVersion(directory, number + 1, attempts - 1)
    throw error
  }
}

async function nextNumber(directory: string): Promise<number> {
  const numbers = (await readdir(directory)).map((name) => Number(/^plan\.(\d{1,9})\.md$/.exec(name)?.[1] ?? 0))
  return numbers.reduce((highest, number) => Math.max(highest, number), 0) + 1
}

function versionPath(directory: string, number: number): string {
  return join(directory, `plan.${number}.md`)
}

async function withSaveFailure<T>(path: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    const reason = reasonOf(error)
    throw new Failure(`The plan could not be saved to ${path} (${reason}). Fix this and call again.`)
  }
}
