// The image that a model is given: opaque, without metadata, and never larger than it may be. What is drawn stays as it
// is in a PNG, what was photographed becomes a JPEG; whatever is too large gets coarser, then smaller.

import type { Sharp } from 'sharp'

import type { ImageFormat } from '../../../lib/image-format.js'
import { scaled } from '../../../lib/rectangle.js'
import { MAX_SHOWN_BYTES } from '../limits.js'
import type { Picture } from '../picture.js'
import type { Exposure, Pixels } from './exposure.js'
import { isDrawn, onBackdrop } from './look.js'
import { loadSharp, type Open } from './sharp.js'

/** Larger drawings are as legible in a good JPEG. */
const MAX_PNG_BYTES = 400_000
const SMALLER = 0.75

export async function print(format: ImageFormat, exposure: Exposure): Promise<Picture> {
  const { pixels, ...facts } = exposure
  const open = await loadSharp()
  const { opaque, backdrop } = onBackdrop(pixels)
  const drawn = isDrawn(opaque)
  for (let shown = opaque; ; shown = await reduced(open, shown)) {
    const printed = await encoded(() => source(open, shown), drawn)
    if (printed === undefined) continue
    const { width, height } = shown
    return { ...facts, format, backdrop, shown: { width, height }, ...printed }
  }
}

/** undefined where it is too large at any quality. */
async function encoded(open: () => Sharp, drawn: boolean): Promise<Pick<Picture, 'data' | 'mimeType'> | undefined> {
  if (drawn) {
    const png = await open().png({ compressionLevel: 6 }).toBuffer()
    if (png.length <= MAX_PNG_BYTES) return { data: png.toString('base64'), mimeType: 'image/png' }
  }
  for (const quality of [drawn ? 90 : 82, 65, 45]) {
    const jpeg = await open()
      .jpeg({ quality, chromaSubsampling: drawn ? '4:4:4' : '4:2:0' })
      .toBuffer()
    if (jpeg.length <= MAX_SHOWN_BYTES) return { data: jpeg.toString('base64'), mimeType: 'image/jpeg' }
  }
  return undefined
}

async function reduced(open: Open, pixels: Pixels): Promise<Pixels> {
  const size = scaled(pixels, SMALLER)
  const data = await source(open, pixels)
    .resize({ ...size, fit: 'fill' })
    .raw()
    .toBuffer()
  return { ...size, data, channels: 3 }
}

function source(open: Open, { data, width, height, channels }: Pixels): Sharp {
  return open(data, { raw: { width, height, channels } })
}
