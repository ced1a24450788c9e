// Shows image files: opened with care, known by their content, decoded in a process of their own.

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
  show(wish: Wish, signal: AbortSignal): Promise<Picture>
  close(): void
}

/** `directory` is where commands start: a relative path counts from there. */
export function createImages(directory: string, grounds: Grounds, darkrooms: Darkrooms): Images {
  async function show(wish: Wish, signal: AbortSignal): Promise<Picture> {
    const file = await openMeant(wish.path).catch((error: unknown) => discreetly(error, wish.path))
    try {
      mustBeOn(grounds, file.real)
      const order = await orderFor(wish, file)
      const reply = await darkrooms.develop(order, signal)
      if ('picture' in reply) return reply.picture
      if ('failure' in reply) throw new Failure(reply.failure)
      if (reply.missing === 'sharp') return await showAsItIs(order, file)
      throw new Failure(installFor(reply.missing))
    } finally {
      await file.handle.close()
    }
  }

  /** Of what lies elsewhere nobody is told whether it is there. */
  async function discreetly(error: unknown, path: string): Promise<never> {
    if (grounds.roots !== undefined) mustBeOn(grounds, await leadsTo(path))
    throw error
  }

  return {
    async show(wish, signal) {
      checkPath(wish.path)
      // Not normalised: what `..` means after a link is for the system to say.
      const path = isAbsolute(wish.path) ? wish.path : `${directory}${sep}${wish.path}`
      try {
        return await show({ ...wish, path }, signal)
      } catch (error) {
        throw error instanceof Failure ? new Failure(`${oneLine(path, 300)} ${error.message}.`) : error
      }
    },
    close: () => darkrooms.close(),
  }
}

async function openMeant(path: string): Promise<RegularFile> {
  try {
    return await openRegular(path)
  } catch (error) {
    const meant = await sameLooking(path)
    if (meant === undefined || meant === path) throw error
    return openRegular(meant)
  }
}

async function orderFor(wish: Wish, { handle, real, size, identity }: RegularFile): Promise<Order> {
  // Also what the system makes up while it is read, such as files in /proc: they have no size.
  if (size === 0) throw new Failure('is empty')
  const { buffer, bytesRead } = await handle.read(Buffer.alloc(HEAD_BYTES), 0, HEAD_BYTES, 0)
  const head = buffer.subarray(0, bytesRead)
  const format = imageFormatOf(head)
  if (format === undefined) throw new Failure(`is ${natureOf(head)}, not an image that can be shown; ${SHOWN}`)
  if (size > MAX_FILE_BYTES)
    throw new Failure(`is longer than ${MAX_FILE_BYTES / 1024 / 1024} MB; make a smaller copy of it`)
  return { ...wish, path: real, identity, format }
}

const SHOWN = 'those are PNG, JPEG, GIF, WebP, AVIF, TIFF, SVG, HEIC and PDF'

function checkPath(path: string): void {
  if (path === '') throw new Failure('file_path is empty: give the path of an image file.')
  const shown = JSON.stringify(oneLine(path, 100))
  if (/^(https?|data|ftp):/i.test(path))
    throw new Failure(
      `ReadImage reads files, and ${shown} is an address: save it to a file first, such as with curl -o.`,
    )
  if (/^file:/i.test(path)) throw new Failure(`file_path is a path, not a URL: leave out the file:// of ${shown}.`)
  if (/^~(\/|$)/.test(path)) throw new Failure(`~ is not expanded here: give the absolute path instead of ${shown}.`)
  if (path.includes('\0')) throw new Failure('file_path contains a NUL character, which no path has.')
}
