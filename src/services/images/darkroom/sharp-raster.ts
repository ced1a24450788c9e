// Decodes raster images with sharp. The size is checked before decoding, and the image is scaled while it is decoded and
// then rotated, so that a large photo is never in memory as a whole.

import type { Metadata, OutputInfo, Sharp, SharpOptions } from 'sharp'

import { reasonOf } from '../../../lib/reason-of.js'
import { asStored, scaled, turned, upright, type Rectangle, type Size } from '../../../lib/rectangle.js'
import { MAX_PIXELS, MAX_PIXELS_AT_ONCE } from '../limits.js'
import { mustFit, pageOf, regionOf, scaleOf, type Exposure, type Subject } from './exposure.js'
import { damaged, decoding, type Open } from './sharp.js'

const SHARP_OPTIONS = {
  sequentialRead: true,
  failOn: 'error',
  pages: 1,
  limitInputPixels: false,
} satisfies SharpOptions

export async function exposeBySharp(openSharp: Open, input: Subject): Promise<Exposure> {
  const { bytes, crop } = input
  const firstMetadata = await decoding(openSharp(bytes, SHARP_OPTIONS).metadata())
  const page = pageOf(input, firstMetadata.pages ?? 1)
  const options = { ...SHARP_OPTIONS, page: (page?.number ?? 1) - 1 }
  const metadata = options.page === 0 ? firstMetadata : await decoding(openSharp(bytes, options).metadata())
  const stored = { width: metadata.width, height: metadata.height }
  mustFit(stored, requiresFullDecode(metadata, input) ? MAX_PIXELS_AT_ONCE : MAX_PIXELS)

  const orientation = orientationOf(metadata, input)
  const original = turned(stored, orientation)
  const region = regionOf(input, original)
  const outputSize = scaled(region, scaleOf(region, crop !== undefined))
  const size = turned(outputSize, orientation)
  const storedRegion = asStored(region, orientation, stored)
  const { data, info, isDamaged } = await decodeTolerant((failOn) =>
    extractRegion(openSharp(bytes, { ...options, failOn }), storedRegion, stored).resize({ ...size, fit: 'fill' }),
  )
  const channels = info.channels === 4 ? 4 : 3
  const wasRotated = orientation > 1
  const pixels = {
    ...outputSize,
    channels,
    data: wasRotated ? upright(data, size, channels, orientation) : data,
  } as const
  return { original, region, page, pixels, wasTurned: wasRotated, isDamaged }
}

/** Whether the decoder needs the whole image in memory. */
function requiresFullDecode({ isProgressive }: Metadata, { format, crop }: Subject): boolean {
  if (format === 'PNG' || format === 'JPEG') return isProgressive
  return format === 'GIF' || format === 'AVIF' || (format === 'WebP' && crop !== undefined)
}

/** The AVIF decoder rotates the image itself. */
function orientationOf({ orientation = 1 }: Metadata, { format }: Subject): number {
  return format !== 'AVIF' && orientation >= 1 && orientation <= 8 ? orientation : 1
}

/** Extracting the whole image would prevent decoding at a reduced size, so it is skipped. */
function extractRegion(image: Sharp, { x: left, y: top, width, height }: Rectangle, stored: Size): Sharp {
  return width === stored.width && height === stored.height ? image : image.extract({ left, top, width, height })
}

interface DecodedPixels {
  readonly data: Buffer
  readonly info: OutputInfo
  readonly isDamaged: boolean
}

/** A truncated image is an error; an image with other decoder warnings is returned and marked as damaged. */
async function decodeTolerant(createImage: (failOn: 'warning' | 'error') => Sharp): Promise<DecodedPixels> {
  const readPixels = (failOn: 'warning' | 'error') =>
    createImage(failOn).toColourspace('srgb').raw().toBuffer({ resolveWithObject: true })
  try {
    return { ...(await readPixels('warning')), isDamaged: false }
  } catch (error) {
    if (TRUNCATED_MESSAGE.test(reasonOf(error))) throw damaged(error)
    return { ...(await decoding(readPixels('error'))), isDamaged: true }
  }
}

const TRUNCATED_MESSAGE = /premature end|truncated|unexpected end|not enough/i
