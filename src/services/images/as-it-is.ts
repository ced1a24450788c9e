// Without an image library: returns the original file if models accept its format and size.

import { Failure } from '../../lib/failure.js'
import { imageSizeOf, isComplete } from '../../lib/image-size.js'
import { longEdge, wholeOf } from '../../lib/rectangle.js'
import type { RegularFile } from '../../platform/regular-file.js'
import type { Order, Picture } from './picture.js'
import { GET_SHARP } from './what-to-install.js'

const MAX_ORIGINAL_BYTES = 2_600_000
/** Models reject a conversation with many images if one of them is larger. */
const MAX_ORIGINAL_EDGE = 2000

const MIME_TYPES = new Map([
  ['PNG', 'image/png'],
  ['JPEG', 'image/jpeg'],
  ['GIF', 'image/gif'],
  ['WebP', 'image/webp'],
])

export async function showAsItIs({ format, crop, page }: Order, file: RegularFile): Promise<Picture> {
  const mimeType = MIME_TYPES.get(format)
  if (mimeType === undefined) throw new Failure(`is ${format}, which must be converted; ${GET_SHARP}`)
  if (crop !== undefined || page !== undefined) throw new Failure(`cannot be cropped or paged through; ${GET_SHARP}`)
  if (file.size > MAX_ORIGINAL_BYTES)
    throw new Failure(`is too large to be shown unchanged (${file.size} bytes); ${GET_SHARP}`)
  const bytes = Buffer.alloc(file.size)
  await file.handle.read(bytes, 0, bytes.length, 0)
  const original = imageSizeOf(bytes, format)
  if (original === undefined || !isComplete(bytes, format)) throw new Failure('is damaged or cut short')
  if (longEdge(original) > MAX_ORIGINAL_EDGE) {
    const { width, height } = original
    throw new Failure(`is ${width} x ${height} pixels, too large to be shown unchanged; ${GET_SHARP}`)
  }
  const data = bytes.toString('base64')
  return { data, mimeType, format, original, region: wholeOf(original), shown: original, isUntouched: true }
}
