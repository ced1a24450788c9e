// Images made of pixels. Their size is known before anything is decoded; what is decoded is made small on the way, and
// only then turned upright, so that a large photograph never lies in memory as a whole.

import type { Metadata, SharpOptions } from 'sharp'

import { asStored, scaled, turned, upright } from '../../../lib/rectangle.js'
import { MAX_PIXELS, MAX_PIXELS_AT_ONCE } from '../limits.js'
import { mustFit, pageOf, regionOf, scaleOf, type Exposure, type Pixels, type Subject } from './exposure.js'
import { decoding, loadSharp } from './sharp.js'

const OPTIONS: SharpOptions = { sequentialRead: true, failOn: 'error', pages: 1, limitInputPixels: false }

export async function exposeRaster(subject: Subject): Promise<Exposure> {
  const { bytes, format, crop } = subject
  const open = await loadSharp()
  const first = await decoding(open(bytes, OPTIONS).metadata())
  const page = pageOf(subject, first.pages ?? 1)
  const options = { ...OPTIONS, page: (page?.number ?? 1) - 1 }
  const metadata = options.page === 0 ? first : await decoding(open(bytes, options).metadata())
  const stored = { width: metadata.width, height: metadata.height }
  mustFit(stored, needsAll(metadata, subject) ? MAX_PIXELS_AT_ONCE : MAX_PIXELS)

  const orientation = format === 'AVIF' ? 1 : (metadata.orientation ?? 1)
  const original = turned(stored, orientation)
  const region = regionOf(subject, original)
  const shown = scaled(region, scaleOf(region, crop !== undefined))
  const size = turned(shown, orientation)
  const { x: left, y: top, width, height } = asStored(region, orientation, stored)
  const whole = open(bytes, options)
  const isWhole = width === stored.width && height === stored.height
  const part = isWhole ? whole : whole.extract({ left, top, width, height })
  const { data, info } = await decoding(
    part
      .resize({ ...size, fit: 'fill' })
      .toColourspace('srgb')
      .raw()
      .toBuffer({ resolveWithObject: true }),
  )
  const channels = info.channels === 4 ? 4 : 3
  const pixels: Pixels = {
    ...shown,
    channels,
    data: orientation > 1 ? upright(data, size, channels, orientation) : data,
  }
  return { original, region, page, pixels, wasTurned: orientation > 1 }
}

/** Whether it is decoded as a whole before a line of it can be used. */
function needsAll({ isProgressive }: Metadata, { format, crop }: Subject): boolean {
  if (format === 'PNG' || format === 'JPEG') return isProgressive
  return format === 'GIF' || format === 'AVIF' || (format === 'WebP' && crop !== undefined)
}
