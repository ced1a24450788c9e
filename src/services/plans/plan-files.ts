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

export function planFilesIn(folder: string): PlanFiles {
  const current = join(folder, 'plan.md')

  return {
    current,
    save: (text) =>
      orFailure(current, async () => {
        await addVersion(folder, text)
        await replaceFileLater(current, text)
      }),
    setAside: () =>
      orFailure(current, async () => {
        try {
          await rename(current, versionIn(folder, await nextNumber(folder)))
        } catch (error) {
          if (!hasCode(error, 'ENOENT')) throw error
        }
      }),
  }
}

async function addVersion(folder: string, text: string): Promise<void> {
  const file = await newVersion(folder, await nextNumber(folder))
  try {
    await file.writeFile(text)
    await file.sync()
  } finally {
    await file.close()
  }
}

/** Another process may create the same version at the same time; then the next number is tried. */
async function newVersion(folder: string, number: number, attempts = 100): Promise<FileHandle> {
  try {
    return await open(versionIn(folder, number), 'wx', 0o600)
  } catch (error) {
    if (attempts > 1 && hasCode(error, 'EEXIST')) return newVersion(folder, number + 1, attempts - 1)
    throw error
  }
}

async function nextNumber(folder: string): Promise<number> {
  const numbers = (await readdir(folder)).map((name) => Number(/^plan\.(\d{1,9})\.md$/.exec(name)?.[1] ?? 0))
  return numbers.reduce((highest, number) => Math.max(highest, number), 0) + 1
}

function versionIn(folder: string, number: number): string {
  return join(folder, `plan.${number}.md`)
}

async function orFailure<T>(path: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    const reason = reasonOf(error)
    throw new Failure(`The plan could not be saved to ${path} (${reason}). Put that right and call again.`)
  }
}
