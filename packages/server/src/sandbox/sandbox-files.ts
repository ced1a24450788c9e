// Writes the files the sandbox needs when it is opened (sandbox.ts), in a folder that is hidden from commands: the
// seccomp filter, an empty file to mount over secrets, and a secret for the self-test.

import { createHash, randomUUID } from 'node:crypto'
import { lstatSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

import { errorMessage, Failure } from '@scorpiox/mcp/errors'
import { makePrivateFolder } from '@scorpiox/mcp/atomic-file'
import { replaceOwnFile } from '../storage/private-files.js'
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
    makePrivateFolder(folder)
    return {
      seccompFile: keepOrWrite(join(folder, name), filter),
      emptyFile: keepOrWrite(join(folder, 'empty'), new Uint8Array()),
      secretFile: writeReadOnly(join(folder, `secret-${process.pid}-${randomUUID()}`), secret),
      secret,
    }
  } catch (error) {
    const reason = errorMessage(error)
    throw new Failure(
      `The sandbox cannot store its files in ${folder}: ${reason}. Set STATE_DIR to a folder it can write to.`,
    )
  }
}

/** The architecture of this machine; throws if the sandbox does not support it. */
export function requireSupportedArchitecture(): Architecture {
  const { platform, arch } = process
  if (platform === 'linux' && (arch === 'x64' || arch === 'arm64')) return arch
  throw new Failure(`The sandbox needs macOS, or Linux on x64 or arm64; this is ${platform} on ${arch}.`)
}

/** A file that is right is not replaced: a command that starts at that moment could not mount it. */
function keepOrWrite(path: string, content: Uint8Array): string {
  const isRight = lstatSync(path, { throwIfNoEntry: false })?.isFile() === true && readFileSync(path).equals(content)
  return isRight ? path : writeReadOnly(path, content)
}

function writeReadOnly(path: string, content: string | Uint8Array): string {
  replaceOwnFile(path, content, 0o400)
  return path
}
