// The service behind ReadImage: opens the file, checks its real path, detects the format and decodes it in a worker process.

import { opendir } from 'node:fs/promises'
import { basename, dirname, isAbsolute, join, sep } from 'node:path'

import { Failure } from '@scorpiox/mcp/errors'
import { type OpenedFile, openUntrustedFile } from '../../storage/untrusted-file.js'
import { toSingleLine } from '../../text/single-line.js'
import { describeFileContent, detectImageFormat, DETECTION_BYTES } from './image-format.js'
import type { DecodeRequest, ImageRequest, ImageResult } from './image-types.js'
import type { ImageWorkerPool } from './image-worker-pool.js'
import { MAX_FILE_BYTES } from './limits.js'
import { installHintFor, readOriginalFile } from './missing-decoder.js'
import { assertPathAllowed, type PathPolicy, resolveLinks } from './path-policy.js'

export interface ImageReader {
  read(request: ImageRequest, user: string, signal: AbortSignal): Promise<ImageResult>
  close(): void
}

/** Relative paths are resolved against `directory`. */
export function createImageReader(directory: string, policy: PathPolicy, workers: ImageWorkerPool): ImageReader {
  async function readFile(request: ImageRequest, user: string, signal: AbortSignal): Promise<ImageResult> {
    const file = await openByName(request.path).catch((error: unknown) => hideForbiddenPath(error, request.path))
    try {
      assertPathAllowed(policy, file.realPath)
      const decodeRequest = await createDecodeRequest(request, file)
      const reply = await workers.decode(decodeRequest, user, signal)
      if ('image' in reply) return reply.image
      if ('failure' in reply) throw new Failure(reply.failure)
      if (reply.missing === 'sharp') return await readOriginalFile(decodeRequest, file)
      throw new Failure(installHintFor(reply.missing))
    } finally {
      await file.handle.close()
    }
  }

  /** Does not reveal whether a path outside the allowed roots exists. */
  async function hideForbiddenPath(error: unknown, path: string): Promise<never> {
    if (policy.allowedRoots !== undefined) assertPathAllowed(policy, await resolveLinks(path))
    throw error
  }

  return {
    async read(request, user, signal) {
      checkPath(request.path)
      // Not normalized, because the system resolves `..` after a link differently.
      const path = isAbsolute(request.path) ? request.path : `${directory}${sep}${request.path}`
      try {
        return await readFile({ ...request, path }, user, signal)
      } catch (error) {
        throw error instanceof Failure ? new Failure(`${toSingleLine(path, 300)} ${error.message}.`) : error
      }
    },
    close: () => workers.close(),
  }
}

async function openByName(path: string): Promise<OpenedFile> {
  try {
    return await openUntrustedFile(path)
  } catch (error) {
    const sameLookingPath = await findSameLookingFile(path)
    if (sameLookingPath === undefined || sameLookingPath === path) throw error
    return openUntrustedFile(sameLookingPath)
  }
}

async function createDecodeRequest(
  request: ImageRequest,
  { handle, realPath, size, identity }: OpenedFile,
): Promise<DecodeRequest> {
  // Also virtual files, such as those in /proc, which have no size.
  if (size === 0) throw new Failure('is empty')
  const { buffer, bytesRead } = await handle.read(Buffer.alloc(DETECTION_BYTES), 0, DETECTION_BYTES, 0)
  const head = buffer.subarray(0, bytesRead)
  const format = detectImageFormat(head)
  if (format === undefined)
    throw new Failure(`is ${describeFileContent(head)}, not an image that can be shown; ${SUPPORTED_FORMATS}`)
  if (size > MAX_FILE_BYTES)
    throw new Failure(`is larger than ${MAX_FILE_BYTES / 1024 / 1024} MB; make a smaller copy of it`)
  return { ...request, path: realPath, identity, format }
}

const SUPPORTED_FORMATS = 'supported are PNG, JPEG, GIF, WebP, AVIF, TIFF, SVG, HEIC and PDF'

function checkPath(path: string): void {
  if (path === '') throw new Failure('file_path is empty: pass the path of an image file.')
  const quoted = JSON.stringify(toSingleLine(path, 100))
  if (/^(https?|data|ftp):/i.test(path))
    throw new Failure(
      `ReadImage reads files, and ${quoted} is a URL: save it to a file first, for example with curl -o.`,
    )
  if (/^file:/i.test(path)) throw new Failure(`file_path is a path, not a URL: leave out the file:// of ${quoted}.`)
  if (/^~(\/|$)/.test(path)) throw new Failure(`~ is not expanded here: use the absolute path instead of ${quoted}.`)
  if (path.includes('\0')) throw new Failure('file_path contains a NUL character, which no path has.')
}

// Finds a file whose name looks the same as a missing one. macOS uses special spaces in the names of screenshots, and some
// systems store é as two characters, but a model types plain ones.

/** Bounds the time for large directories. */
const MAX_NAMES = 10_000

/** Undefined if no name or several names look the same. */
async function findSameLookingFile(path: string): Promise<string | undefined> {
  // A path that ends in a slash names a directory.
  if (!path.endsWith(basename(path))) return undefined
  const normalized = normalizeName(basename(path))
  const matches: string[] = []
  try {
    let count = 0
    for await (const { name } of await opendir(dirname(path))) {
      if (++count > MAX_NAMES) return undefined
      if (normalizeName(name) === normalized) matches.push(name)
    }
  } catch {
    return undefined
  }
  const [name, second] = matches
  return name === undefined || second !== undefined ? undefined : join(dirname(path), name)
}

function normalizeName(name: string): string {
  return name.normalize('NFC').replaceAll(/\s/gu, ' ')
}
