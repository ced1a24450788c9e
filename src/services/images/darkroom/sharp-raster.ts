// Images made of pixels. Their size is known before anything is decoded; what is decoded is made small on the way, and
// only then turned upright, so that a large photograph never lies in memory as a whole.

import type { Metadata, OutputInfo, Sharp, SharpOptions } from 'sharp'

import { reasonOf } from '../../../lib/reason-of.js'
import { asStored, scaled, turned, upright, type Rectangle, type Size } from '../../../lib/rectangle.js'
import { MAX_PIXELS, MAX_PIXELS_AT_ONCE } from '../limits.js'
import { mustFit, pageOf, regionOf, scaleOf, type Exposure, type Subject } from './exposure.js'
import { damaged, decoding, type Open } from './sharp.js'

const OPTIONS = { sequentialRead: true, failOn: 'error', pages: 1, limitInputPixels: false } satisfies SharpOptions

export async function exposeBySharp(open: Open, subject: Subject): Promise<Exposure> {
  const { bytes, crop } = subject
  const first = await decoding(open(bytes, OPTIONS).metadata())
  const page = pageOf(subject, first.pages ?? 1)
  const options = { ...OPTIONS, page: (page?.number ?? 1) - 1 }
  const metadata = options.page === 0 ? first : await decoding(open(bytes, options).metadata())
  const stored = { width: metadata.width, height: metadata.height }
  mustFit(stored, needsAll(metadata, subject) ? MAX_PIXELS_AT_ONCE : MAX_PIXELS)

  const orientation = orientationOf(metadata, subject)
  const original = turned(stored, orientation)
  const region = regionOf(subject, original)
  const shown = scaled(region, scaleOf(region, crop !== undefined))
  const size = turned(shown, orientation)
  const part = asStored(region, orientation, stored)
  const { data, info, isDamaged } = await decoded((failOn) =>
    taken(open(bytes, { ...options, failOn }), part, stored).resize({ ...size, fit: 'fill' }),
  )
  const channels = info.channels === 4 ? 4 : 3
  const wasTurned = orientation > 1
  const pixels = { ...shown, channels, data: wasTurned ? upright(data, size, channels, orientation) : data } as const
  return { original, region, page, pixels, wasTurned, isDamaged }
}

/** Whether it is decoded as a whole before a line of it can be used. */
function needsAll({ isProgressive }: Metadata, { format, crop }: Subject): boolean {
  if (format === 'PNG' || format === 'JPEG') return isProgressive
  return format === 'GIF' || format === 'AVIF' || (format === 'WebP' && crop !== undefined)
}

/** AVIF is turned by its decoder. */
function orientationOf({ orientation = 1 }: Metadata, { format }: Subject): number {
  return format !== 'AVIF' && orientation >= 1 && orientation <= 8 ? orientation : 1
}

/** To cut out the whole would keep the decoder from working at a smaller size. */
function taken(image: Sharp, { x: left, y: top, width, height }: Rectangle, stored: Size): Sharp {
  return width === stored.width && height === stored.height ? image : image.extract({ left, top, width, height })
}

interface Decoded {
  readonly data: Buffer
  readonly info: OutputInfo
  readonly isDamaged: boolean
}

/** One that ends too soon is not shown; one about which its decoder has a lesser complaint is, with a word on it. */
async function decoded(image: (failOn: 'warning' | 'error') => Sharp): Promise<Decoded> {
  const pixels = (failOn: 'warning' | 'error') =>
    image(failOn).toColourspace('srgb').raw().toBuffer({ resolveWithObject: true })
  try {
    return { ...(await pixels('warning')), isDamaged: false }
  } catch (error) {
    if (CUT.test(reasonOf(error))) throw damaged(error)
    return { ...(await decoding(pixels('error'))), isDamaged: true }
  }
}

const CUT = /premature end|truncated|unexpected end|not enough/i
