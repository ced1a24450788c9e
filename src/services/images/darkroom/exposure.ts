// A decoded image: upright pixels of the requested region in output size. Also the rules for crop, page, scale and size that
// all decoders share.

import { Failure } from '../../../lib/failure.js'
import type { ImageFormat } from '../../../lib/image-format.js'
import type { Pixels } from '../../../lib/plain-png.js'
import { clip, longEdge, wholeOf, type Rectangle, type Size } from '../../../lib/rectangle.js'
import { LONG_EDGE } from '../limits.js'
import type { Picture } from '../picture.js'

export interface Subject {
  readonly bytes: Buffer
  readonly format: ImageFormat
  readonly crop?: Rectangle | undefined
  readonly page?: number | undefined
}

export interface Exposure {
  readonly original: Size
  readonly region: Rectangle
  readonly page?: Picture['page']
  readonly wasTurned?: boolean
  readonly isDamaged?: boolean
  readonly pixels: Pixels
}

export function regionOf({ crop }: Subject, original: Size): Rectangle {
  if (crop === undefined) return wholeOf(original)
  const region = clip(crop, original)
  if (region !== undefined) return region
  const { width, height } = original
  throw new Failure(`is ${width} x ${height} pixels: the requested crop is outside of the image`)
}

export function pageOf({ page = 1 }: Subject, pages: number): Picture['page'] {
  if (page > pages || page < 1) throw new Failure(`has ${pages === 1 ? 'one page' : `${pages} pages`}, no page ${page}`)
  return pages > 1 ? { number: page, of: pages } : undefined
}

/** Scales down to the output limit; enlarges small crops. */
export function scaleOf(region: Size, isCropped: boolean): number {
  const edge = longEdge(region)
  if (edge >= LONG_EDGE) return LONG_EDGE / edge
  return isCropped ? Math.max(1, Math.min(MAX_UPSCALE, Math.floor(TARGET_CROP_EDGE / edge))) : 1
}

const MAX_UPSCALE = 4
const TARGET_CROP_EDGE = 1024

export function mustFit({ width, height }: Size, maxPixels: number): void {
  if (!(width >= 1 && height >= 1)) throw new Failure('has no size')
  if (width * height <= maxPixels) return
  const maxMillions = Math.round(maxPixels / 1e6)
  throw new Failure(
    `is ${Math.round(width)} x ${Math.round(height)} pixels, more than the ${maxMillions} million that can be decoded; make a smaller copy of it`,
  )
}
