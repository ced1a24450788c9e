// Where nothing can change images: the file itself, if it is one that any model takes as it is.

import { Failure } from '../../lib/failure.js'
import { imageSizeOf, isComplete } from '../../lib/image-size.js'
import { longEdge, wholeOf } from '../../lib/rectangle.js'
import type { RegularFile } from '../../platform/regular-file.js'
import type { Order, Picture } from './picture.js'
import { GET_SHARP } from './what-to-install.js'

const MAX_BYTES = 2_600_000
/** A conversation with many images refuses larger ones, and with them all that follows. */
const MAX_EDGE = 2000

const MIME_TYPES = new Map([
  ['PNG', 'image/png'],
  ['JPEG', 'image/jpeg'],
  ['GIF', 'image/gif'],
  ['WebP', 'image/webp'],
])

export async function showAsItIs({ format, crop, page }: Order, file: RegularFile): Promise<Picture> {
  const mimeType = MIME_TYPES.get(format)
  if (mimeType === undefined) throw new Failure(`is ${format}, which has to be converted to be shown; ${GET_SHARP}`)
  if (crop !== undefined || page !== undefined) throw new Failure(`cannot be cropped or paged through; ${GET_SHARP}`)
  if (file.size > MAX_BYTES) throw new Failure(`is too large to be shown as it is (${file.size} bytes); ${GET_SHARP}`)
  const bytes = Buffer.alloc(file.size)
  await file.handle.read(bytes, 0, bytes.length, 0)
  const original = imageSizeOf(bytes, format)
  if (original === undefined || !isComplete(bytes, format)) throw new Failure('is damaged or cut short')
  if (longEdge(original) > MAX_EDGE) {
    const { width, height } = original
    throw new Failure(`is ${width} x ${height} pixels, too large to be shown as it is; ${GET_SHARP}`)
  }
  const data = bytes.toString('base64')
  return { data, mimeType, format, original, region: wholeOf(original), shown: original, isUntouched: true }
}
