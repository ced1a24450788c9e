// Decodes raster images (PNG, JPEG, GIF, WebP, AVIF, TIFF) with sharp, otherwise with Bun.Image. Loaded by
// worker/main.ts. No files are read except the package: the bytes are given.

import type { Metadata, OutputInfo, Sharp, SharpOptions } from 'sharp'

import { errorMessage } from '@scorpiox/mcp/errors'
import { applyOrientation, orientSize, type Rectangle, scaleSize, type Size, toStoredRectangle } from '../geometry.js'
import { MAX_PIXELS, MAX_PIXELS_IN_MEMORY } from '../image-types.js'
import { decodeWithBun } from './decode-raster-bun.js'
import {
  assertPixelLimit,
  cropRegion,
  type DecodedImage,
  type DecodeInput,
  outputScale,
  selectPage,
} from './decoded-image.js'
import { findBunImage } from './bun-image.js'
import {
  damagedImageFailure,
  loadSharp,
  MissingPackageError,
  type OpenSharp,
  withDecodeErrors,
} from './image-libraries.js'

export async function decodeRaster(input: DecodeInput): Promise<DecodedImage> {
  try {
    const openSharp = await loadSharp()
    return await decodeWithSharp(openSharp, input)
  } catch (error) {
    const openBunImage = error instanceof MissingPackageError ? findBunImage() : undefined
    if (openBunImage === undefined) throw error
    return decodeWithBun(openBunImage, input)
  }
}

const SHARP_OPTIONS = {
  sequentialRead: true,
  failOn: 'error',
  pages: 1,
  limitInputPixels: false,
} satisfies SharpOptions

/**
 * The size is checked before decoding, and the image is scaled while it is decoded and then rotated, so that a large
 * photo is never in memory as a whole.
 */
export async function decodeWithSharp(openSharp: OpenSharp, input: DecodeInput): Promise<DecodedImage> {
  const { bytes, crop } = input
  const firstMetadata = await withDecodeErrors(openSharp(bytes, SHARP_OPTIONS).metadata())
  const page = selectPage(input, firstMetadata.pages ?? 1)
  const options = { ...SHARP_OPTIONS, page: (page?.number ?? 1) - 1 }
  const metadata = options.page === 0 ? firstMetadata : await withDecodeErrors(openSharp(bytes, options).metadata())
  const stored = { width: metadata.width, height: metadata.height }
  assertPixelLimit(stored, requiresFullDecode(metadata, input) ? MAX_PIXELS_IN_MEMORY : MAX_PIXELS)

  const orientation = orientationOf(metadata, input)
  const original = orientSize(stored, orientation)
  const region = cropRegion(input, original)
  const outputSize = scaleSize(region, outputScale(region, crop !== undefined))
  const size = orientSize(outputSize, orientation)
  const storedRegion = toStoredRectangle(region, orientation, stored)
  const { data, info, isDamaged } = await decodeTolerant((failOn) =>
    extractRegion(openSharp(bytes, { ...options, failOn }), storedRegion, stored).resize({ ...size, fit: 'fill' }),
  )
  const channels = info.channels === 4 ? 4 : 3
  const wasRotated = orientation > 1
  const pixels = {
    ...outputSize,
    channels,
    data: wasRotated ? applyOrientation(data, size, channels, orientation) : data,
  } as const
  return { original, region, page, pixels, wasRotated, isDamaged }
}

/** Whether the decoder needs the whole image in memory. */
function requiresFullDecode({ isProgressive }: Metadata, { format, crop }: DecodeInput): boolean {
  if (format === 'PNG' || format === 'JPEG') return isProgressive
  return format === 'GIF' || format === 'AVIF' || (format === 'WebP' && crop !== undefined)
}

/** The AVIF decoder rotates the image itself. */
function orientationOf({ orientation = 1 }: Metadata, { format }: DecodeInput): number {
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
    if (TRUNCATED_MESSAGE.test(errorMessage(error))) throw damagedImageFailure(error)
    return { ...(await withDecodeErrors(readPixels('error'))), isDamaged: true }
  }
}

const TRUNCATED_MESSAGE = /premature end|truncated|unexpected end|not enough/i
