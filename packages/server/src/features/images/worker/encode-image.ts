// Encodes the result: opaque, without metadata, within the output limit. Graphics become PNG and photos JPEG; if the file is
// too large, first the quality and then the size is reduced.

import { scaleSize } from '../geometry.js'
import type { ImageFormat } from '../image-format.js'
import type { ImageResult } from '../image-types.js'
import { MAX_OUTPUT_BYTES } from '../limits.js'
import type { Pixels } from '../uncompressed-png.js'
import { flattenAlpha, isGraphic } from './analyze-pixels.js'
import type { DecodedImage } from './decoded-image.js'
import { type Encoder, openEncoder } from './encoder.js'

/** Larger graphics are encoded as high-quality JPEG. */
const MAX_PNG_BYTES = 400_000
const SHRINK_FACTOR = 0.75

export async function encodeImage(format: ImageFormat, decoded: DecodedImage): Promise<ImageResult> {
  const { pixels, ...metadata } = decoded
  const encoder = await openEncoder()
  const { pixels: opaque, background } = flattenAlpha(pixels)
  const isGraphicImage = isGraphic(opaque)
  for (let current = opaque; ; current = await encoder.resize(current, scaleSize(current, SHRINK_FACTOR))) {
    const encodedImage = await encodeWithinLimit(encoder, current, isGraphicImage)
    if (encodedImage === undefined) continue
    const { width, height } = current
    return { ...metadata, format, background, shown: { width, height }, ...encodedImage }
  }
}

/** Undefined if the image is too large at every quality. */
async function encodeWithinLimit(
  encoder: Encoder,
  pixels: Pixels,
  isGraphicImage: boolean,
): Promise<Pick<ImageResult, 'data' | 'mimeType'> | undefined> {
  if (isGraphicImage) {
    const png = await encoder.encodePng(pixels)
    if (png.length <= MAX_PNG_BYTES) return { data: png.toString('base64'), mimeType: 'image/png' }
  }
  for (const quality of [isGraphicImage ? 90 : 82, 65, 45]) {
    const jpeg = await encoder.encodeJpeg(pixels, quality, isGraphicImage)
    if (jpeg.length <= MAX_OUTPUT_BYTES) return { data: jpeg.toString('base64'), mimeType: 'image/jpeg' }
  }
  return undefined
}
