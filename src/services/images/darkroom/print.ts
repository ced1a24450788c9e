// Encodes the result: opaque, without metadata, within the output limit. Graphics become PNG and photos JPEG; if the file is
// too large, first the quality and then the size is reduced.

import type { ImageFormat } from '../../../lib/image-format.js'
import type { Pixels } from '../../../lib/plain-png.js'
import { scaled } from '../../../lib/rectangle.js'
import { MAX_SHOWN_BYTES } from '../limits.js'
import type { Picture } from '../picture.js'
import type { Exposure } from './exposure.js'
import { isDrawn, onBackdrop } from './look.js'
import { openPress } from './open-press.js'
import type { Press } from './press.js'

/** Larger graphics are encoded as high-quality JPEG. */
const MAX_PNG_BYTES = 400_000
const SHRINK_FACTOR = 0.75

export async function print(format: ImageFormat, decoded: Exposure): Promise<Picture> {
  const { pixels, ...metadata } = decoded
  const encoder = await openPress()
  const { opaque, backdrop } = onBackdrop(pixels)
  const isGraphicImage = isDrawn(opaque)
  for (let current = opaque; ; current = await encoder.resized(current, scaled(current, SHRINK_FACTOR))) {
    const encodedImage = await encodeWithinLimit(encoder, current, isGraphicImage)
    if (encodedImage === undefined) continue
    const { width, height } = current
    return { ...metadata, format, backdrop, shown: { width, height }, ...encodedImage }
  }
}

/** Undefined if the image is too large at every quality. */
async function encodeWithinLimit(
  encoder: Press,
  pixels: Pixels,
  isGraphicImage: boolean,
): Promise<Pick<Picture, 'data' | 'mimeType'> | undefined> {
  if (isGraphicImage) {
    const png = await encoder.png(pixels)
    if (png.length <= MAX_PNG_BYTES) return { data: png.toString('base64'), mimeType: 'image/png' }
  }
  for (const quality of [isGraphicImage ? 90 : 82, 65, 45]) {
    const jpeg = await encoder.jpeg(pixels, quality, isGraphicImage)
    if (jpeg.length <= MAX_SHOWN_BYTES) return { data: jpeg.toString('base64'), mimeType: 'image/jpeg' }
  }
  return undefined
}
