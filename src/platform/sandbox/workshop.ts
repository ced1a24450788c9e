// The files a cage is made with, in a folder that no command can see: the filter of system calls, an empty file to show
// in place of secrets, and a secret to try the sandbox with.

import { createHash, randomUUID } from 'node:crypto'
import { mkdirSync, renameSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

import { Failure } from '../../lib/failure.js'
import { reasonOf } from '../../lib/reason-of.js'
import { buildFilter } from './seccomp.js'
import type { Architecture } from './syscalls.js'

export interface Workshop {
  readonly filter: string
  readonly emptyFile: string
  readonly secretFile: string
  readonly secret: string
}

export function prepareWorkshop(folder: string, architecture: Architecture): Workshop {
  const filter = buildFilter(architecture)
  // Named by what is in it, so that a newer server does not change the filter of one that runs.
  const name = `filter-${createHash('sha256').update(filter).digest('hex').slice(0, 16)}`
  const secret = randomUUID()
  try {
    makeFolder(folder)
    return {
      filter: put(join(folder, name), filter),
      emptyFile: put(join(folder, 'empty'), ''),
      secretFile: put(join(folder, `secret-${process.pid}`), secret),
      secret,
    }
  } catch (error) {
    const reason = reasonOf(error)
    throw new Failure(
      `The sandbox cannot keep its files in ${folder}: ${reason}. Set STATE_DIR to a folder it can write to.`,
    )
  }
}

/** What this machine is, if the sandbox knows it. */
export function architectureHere(): Architecture {
  const { platform, arch } = process
  if (platform === 'linux' && (arch === 'x64' || arch === 'arm64')) return arch
  throw new Failure(`The sandbox needs Linux on x64 or arm64; this is ${platform} on ${arch}.`)
}

// By hand, because Node's recursive mkdir never returns where no folder can be made, as in /proc.
function makeFolder(folder: string): void {
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory()) return
  if (dirname(folder) !== folder) makeFolder(dirname(folder))
  mkdirSync(folder, { mode: 0o700 })
}

function put(path: string, content: string | Uint8Array): string {
  const beside = `${path}.${randomUUID()}`
  writeFileSync(beside, content, { mode: 0o400, flag: 'wx' })
  renameSync(beside, path)
  return path
}
