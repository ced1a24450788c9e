// The service behind ReadImage: opens the file, checks its real path, detects the format and decodes it in a worker process.

import { isAbsolute, sep } from 'node:path'

import { Failure } from '../../lib/failure.js'
import { HEAD_BYTES, imageFormatOf, natureOf } from '../../lib/image-format.js'
import { oneLine } from '../../lib/one-line.js'
import { openRegular, type RegularFile } from '../../platform/regular-file.js'
import { showAsItIs } from './as-it-is.js'
import type { Darkrooms } from './darkrooms.js'
import { mustBeOn, type Grounds } from './grounds.js'
import { leadsTo } from './leads-to.js'
import { MAX_FILE_BYTES } from './limits.js'
import type { Order, Picture, Wish } from './picture.js'
import { sameLooking } from './same-looking.js'
import { installFor } from './what-to-install.js'

export interface Images {
  show(request: Wish, signal: AbortSignal): Promise<Picture>
  close(): void
}

/** Relative paths are resolved against `directory`. */
export function createImages(directory: string, policy: Grounds, workers: Darkrooms): Images {
  async function readFile(request: Wish, signal: AbortSignal): Promise<Picture> {
    const file = await openByName(request.path).catch((error: unknown) => hideForbiddenPath(error, request.path))
    try {
      mustBeOn(policy, file.real)
      const decodeRequest = await createDecodeRequest(request, file)
      const reply = await workers.develop(decodeRequest, signal)
      if ('image' in reply) return reply.image
      if ('failure' in reply) throw new Failure(reply.failure)
      if (reply.missing === 'sharp') return await showAsItIs(decodeRequest, file)
      throw new Failure(installFor(reply.missing))
    } finally {
      await file.handle.close()
    }
  }

  /** Does not reveal whether a path outside the allowed roots exists. */
  async function hideForbiddenPath(error: unknown, path: string): Promise<never> {
    if (policy.roots !== undefined) mustBeOn(policy, await leadsTo(path))
    throw error
  }

  return {
    async show(request, signal) {
      checkPath(request.path)
      // Not normalized, because the system resolves `..` after a link differently.
      const path = isAbsolute(request.path) ? request.path : `${directory}${sep}${request.path}`
      try {
        return await readFile({ ...request, path }, signal)
      } catch (error) {
        throw error instanceof Failure ? new Failure(`${oneLine(path, 300)} ${error.message}.`) : error
      }
    },
    close: () => workers.close(),
  }
}

async function openByName(path: string): Promise<RegularFile> {
  try {
    return await openRegular(path)
  } catch (error) {
    const sameLookingPath = await sameLooking(path)
    if (sameLookingPath === undefined || sameLookingPath === path) throw error
    return openRegular(sameLookingPath)
  }
}

async function createDecodeRequest(request: Wish, { handle, real, size, identity }: RegularFile): Promise<Order> {
  // Also virtual files, such as those in /proc, which have no size.
  if (size === 0) throw new Failure('is empty')
  const { buffer, bytesRead } = await handle.read(Buffer.alloc(HEAD_BYTES), 0, HEAD_BYTES, 0)
  const head = buffer.subarray(0, bytesRead)
  const format = imageFormatOf(head)
  if (format === undefined)
    throw new Failure(`is ${natureOf(head)}, not an image that can be shown; ${SUPPORTED_FORMATS}`)
  if (size > MAX_FILE_BYTES)
    throw new Failure(`is larger than ${MAX_FILE_BYTES / 1024 / 1024} MB; make a smaller copy of it`)
  return { ...request, path: real, identity, format }
}

const SUPPORTED_FORMATS = 'supported are PNG, JPEG, GIF, WebP, AVIF, TIFF, SVG, HEIC and PDF'

function checkPath(path: string): void {
  if (path === '') throw new Failure('file_path is empty: pass the path of an image file.')
  const quoted = JSON.stringify(oneLine(path, 100))
  if (/^(https?|data|ftp):/i.test(path))
    throw new Failure(
      `ReadImage reads files, and ${quoted} is a URL: save it to a file first, for example with curl -o.`,
    )
  if (/^file:/i.test(path)) throw new Failure(`file_path is a path, not a URL: leave out the file:// of ${quoted}.`)
  if (/^~(\/|$)/.test(path)) throw new Failure(`~ is not expanded here: use the absolute path instead of ${quoted}.`)
  if (path.includes('\0')) throw new Failure('file_path contains a NUL character, which no path has.')
}
