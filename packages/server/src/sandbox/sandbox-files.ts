// Writes the files the sandbox needs when it is opened (sandbox.ts), in a folder that is hidden from commands: the
// seccomp filter, an empty file to mount over secrets, and a secret for the self-test.

import { createHash, randomUUID } from 'node:crypto'
import { mkdirSync, renameSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

import { errorMessage, Failure } from '@scorpiox/mcp/errors'
import { buildSeccompFilter } from './seccomp-filter.js'
import type { Architecture } from './syscall-numbers.js'

export interface SandboxFiles {
  readonly seccompFile: string
  readonly emptyFile: string
  readonly secretFile: string
  readonly secret: string
}

export function writeSandboxFiles(folder: string, architecture: Architecture): SandboxFiles {
  const filter = buildSeccompFilter(architecture)
  // Named by its content, so that a newer server does not change the filter of a running one.
  const name = `filter-${createHash('sha256').update(filter).digest('hex').slice(0, 16)}`
  const secret = randomUUID()
  try {
    createFolder(folder)
    return {
      seccompFile: writeAtomically(join(folder, name), filter),
      emptyFile: writeAtomically(join(folder, 'empty'), ''),
      secretFile: writeAtomically(join(folder, `secret-${process.pid}`), secret),
      secret,
    }
  } catch (error) {
    const reason = errorMessage(error)
    throw new Failure(
      `The sandbox cannot keep its files in ${folder}: ${reason}. Set STATE_DIR to a folder it can write to.`,
    )
  }
}

/** The architecture of this machine; throws if the sandbox does not support it. */
export function requireSupportedArchitecture(): Architecture {
  const { platform, arch } = process
  if (platform === 'linux' && (arch === 'x64' || arch === 'arm64')) return arch
  throw new Failure(`The sandbox needs Linux on x64 or arm64; this is ${platform} on ${arch}.`)
}

// By hand, because Node's recursive mkdir never returns where no folder can be created, as in /proc.
function createFolder(folder: string): void {
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory()) return
  if (dirname(folder) !== folder) createFolder(dirname(folder))
  mkdirSync(folder, { mode: 0o700 })
}

function writeAtomically(path: string, content: string | Uint8Array): string {
  const tempPath = `${path}.${randomUUID()}`
  writeFileSync(tempPath, content, { mode: 0o400, flag: 'wx' })
  renameSync(tempPath, path)
  return path
}
