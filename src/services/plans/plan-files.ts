// The plan as files in the folder of its session: plan.md, the newest, and plan.<n>.md, each version that was ever saved.
// Commands can write to that folder too, so nothing there is trusted: links are not followed, what is there is not
// overwritten but replaced.

import { open, readdir, rename, type FileHandle } from 'node:fs/promises'
import { join } from 'node:path'

import { hasCode } from '../../lib/error-code.js'
import { Failure } from '../../lib/failure.js'
import { reasonOf } from '../../lib/reason-of.js'
import { replaceFileLater } from '../../store/atomic-file.js'

export interface PlanFiles {
  /** The newest. */
  readonly current: string
  /** As the newest, and as a version. */
  save(text: string): Promise<void>
  /** What an earlier plan of the session left behind becomes a version, so that nobody takes it for the new one. */
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

/** A name may be taken by somebody else at the same moment. */
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
