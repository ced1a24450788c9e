// The image that a model is given: opaque, without metadata, and never larger than it may be. What is drawn stays as it
// is in a PNG, what was photographed becomes a JPEG; whatever is too large gets coarser, then smaller.

import type { ImageFormat } from '../../../lib/image-format.js'
import type { Pixels } from '../../../lib/plain-png.js'
import { scaled } from '../../../lib/rectangle.js'
import { MAX_SHOWN_BYTES } from '../limits.js'
import type { Picture } from '../picture.js'
import type { Exposure } from './exposure.js'
import { isDrawn, onBackdrop } from './look.js'
import { openPress } from './open-press.js'
import type { Press } from './press.js'

/** Larger drawings are as legible in a good JPEG. */
const MAX_PNG_BYTES = 400_000
const SMALLER = 0.75

export async function print(format: ImageFormat, exposure: Exposure): Promise<Picture> {
  const { pixels, ...facts } = exposure
  const press = await openPress()
  const { opaque, backdrop } = onBackdrop(pixels)
  const drawn = isDrawn(opaque)
  for (let shown = opaque; ; shown = await press.resized(shown, scaled(shown, SMALLER))) {
    const printed = await encoded(press, shown, drawn)
    if (printed === undefined) continue
    const { width, height } = shown
    return { ...facts, format, backdrop, shown: { width, height }, ...printed }
  }
}

/** undefined where it is too large at any quality. */
async function encoded(
  press: Press,
  pixels: Pixels,
  drawn: boolean,
): Promise<Pick<Picture, 'data' | 'mimeType'> | undefined> {
  if (drawn) {
    const png = await press.png(pixels)
    if (png.length <= MAX_PNG_BYTES) return { data: png.toString('base64'), mimeType: 'image/png' }
  }
  for (const quality of [drawn ? 90 : 82, 65, 45]) {
    const jpeg = await press.jpeg(pixels, quality, drawn)
    if (jpeg.length <= MAX_SHOWN_BYTES) return { data: jpeg.toString('base64'), mimeType: 'image/jpeg' }
  }
  return undefined
}
