// What stands between a decoder and the print: pixels of the wished part, upright, in the size in which they are shown.

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

export interface Exposure extends Pick<Picture, 'original' | 'region' | 'page' | 'wasTurned' | 'isDamaged'> {
  readonly pixels: Pixels
}

export function regionOf({ crop }: Subject, original: Size): Rectangle {
  if (crop === undefined) return wholeOf(original)
  const region = clip(crop, original)
  if (region !== undefined) return region
  const { width, height } = original
  throw new Failure(`is ${width} x ${height} pixels: nothing of it lies in the crop that was asked for`)
}

export function pageOf({ page = 1 }: Subject, pages: number): Picture['page'] {
  if (page > pages || page < 1) throw new Failure(`has ${pages === 1 ? 'one page' : `${pages} pages`}, no page ${page}`)
  return pages > 1 ? { number: page, of: pages } : undefined
}

/** Small enough for a model. Who looks at a detail wants it large. */
export function scaleOf(region: Size, isCropped: boolean): number {
  const long = longEdge(region)
  if (long >= LONG_EDGE) return LONG_EDGE / long
  return isCropped ? Math.max(1, Math.min(MOST_ENLARGED, Math.floor(ENOUGH / long))) : 1
}

const MOST_ENLARGED = 4
const ENOUGH = 1024

export function mustFit({ width, height }: Size, mostPixels: number): void {
  if (!(width >= 1 && height >= 1)) throw new Failure('has no size')
  if (width * height <= mostPixels) return
  const most = Math.round(mostPixels / 1e6)
  throw new Failure(
    `is ${Math.round(width)} x ${Math.round(height)} pixels, more than the ${most} million that are decoded; make a smaller copy of it`,
  )
}
