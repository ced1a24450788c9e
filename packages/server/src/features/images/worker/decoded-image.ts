// The type of a decoded image (upright pixels of the requested region in output size), and the rules for crop, page, scale
// and size that all decoders of the image worker share. Pure.

import { Failure } from '@scorpiox/mcp/errors'
import { clipRectangle, fullRectangle, longEdge, type Rectangle, type Size } from '../geometry.js'
import type { ImageFormat } from '../image-format.js'
import { type ImageResult, MAX_OUTPUT_EDGE } from '../image-types.js'
import type { Pixels } from '../uncompressed-png.js'

export interface DecodeInput {
  readonly bytes: Buffer
  readonly format: ImageFormat
  readonly crop?: Rectangle | undefined
  readonly page?: number | undefined
}

export interface DecodedImage {
  readonly original: Size
  readonly region: Rectangle
  readonly page?: ImageResult['page']
  readonly wasRotated?: boolean
  readonly isDamaged?: boolean
  readonly pixels: Pixels
}

export function cropRegion({ crop }: DecodeInput, original: Size): Rectangle {
  if (crop === undefined) return fullRectangle(original)
  const region = clipRectangle(crop, original)
  if (region !== undefined) return region
  const { width, height } = original
  throw new Failure(`is ${width} x ${height} pixels: the requested crop is outside of the image`)
}

export function selectPage({ page = 1 }: DecodeInput, pages: number): ImageResult['page'] {
  if (page > pages || page < 1)
    throw new Failure(`has ${pages === 1 ? 'one page' : `${pages} pages`}; there is no page ${page}`)
  return pages > 1 ? { number: page, of: pages } : undefined
}

/** Scales down to the output limit; enlarges small crops. */
export function outputScale(region: Size, isCropped: boolean): number {
  const edge = longEdge(region)
  if (edge >= MAX_OUTPUT_EDGE) return MAX_OUTPUT_EDGE / edge
  return isCropped ? Math.max(1, Math.min(MAX_UPSCALE, Math.floor(TARGET_CROP_EDGE / edge))) : 1
}

const MAX_UPSCALE = 4
const TARGET_CROP_EDGE = 1024

export function assertPixelLimit({ width, height }: Size, maxPixels: number): void {
  if (!(width >= 1 && height >= 1)) throw new Failure('has no size')
  if (width * height <= maxPixels) return
  const maxMillions = Math.round(maxPixels / 1e6)
  throw new Failure(
    `is ${Math.round(width)} x ${Math.round(height)} pixels, more than the ${maxMillions} million that can be decoded; make a smaller copy of it`,
  )
}
