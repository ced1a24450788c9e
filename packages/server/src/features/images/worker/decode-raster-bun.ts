// Decodes raster images with Bun.Image, for decode-raster when sharp is missing. It decodes the whole image, so the size is
// limited; a region is cut from the scaled image, so that a large photo is held at full size only if details are requested.
// No I/O: the bytes are given.

import { Failure } from '@scorpiox/mcp/errors'
import { applyOrientation, orientSize, type Rectangle, scaleSize, type Size, toStoredRectangle } from '../geometry.js'
import { countFrames, hasImageEnd, readExifOrientation, readImageSize } from '../image-header.js'
import { MAX_PIXELS_IN_MEMORY } from '../image-types.js'
import { decodePngRegion, type Pixels } from '../uncompressed-png.js'
import {
  assertPixelLimit,
  cropRegion,
  type DecodedImage,
  type DecodeInput,
  outputScale,
  selectPage,
} from './decoded-image.js'
import { createBunEncoder } from './encoder.js'
import { type OpenBunImage, toBuffer } from './bun-image.js'
import { MissingPackageError } from './image-libraries.js'

/** An image that is not scaled down is in memory twice: as pixels and as PNG. */
const MAX_UNSCALED_PIXELS = 48_000_000

const BUN_FORMATS = new Set(['PNG', 'JPEG', 'GIF', 'WebP'])

export async function decodeWithBun(open: OpenBunImage, input: DecodeInput): Promise<DecodedImage> {
  const { bytes, format, crop } = input
  if (!BUN_FORMATS.has(format)) throw new MissingPackageError('sharp')
  const stored = readImageSize(bytes, format)
  if (stored === undefined || !hasImageEnd(bytes, format)) throw new Failure('is damaged or truncated')
  assertPixelLimit(stored, MAX_PIXELS_IN_MEMORY)
  const page = selectPage(input, countFrames(bytes, format))
  // Bun.Image decodes only the first frame of a GIF, and no animated WebP.
  if (page !== undefined && (page.number > 1 || format === 'WebP')) throw new MissingPackageError('sharp')

  const orientation = readExifOrientation(bytes, format)
  const original = orientSize(stored, orientation)
  const region = cropRegion(input, original)
  const scale = outputScale(region, crop !== undefined)
  if (scale >= 1) assertPixelLimit(stored, MAX_UNSCALED_PIXELS)
  const outputSize = scaleSize(region, scale)
  const size = orientSize(outputSize, orientation)
  const decoded = await decodeRegion(open, bytes, {
    stored,
    part: toStoredRectangle(region, orientation, stored),
    size,
    scale,
  })
  const wasRotated = orientation > 1
  const pixels = wasRotated
    ? { ...decoded, ...outputSize, data: applyOrientation(decoded.data, size, decoded.channels, orientation) }
    : decoded
  return { original, region, page, pixels, wasRotated }
}

interface RegionRequest {
  readonly stored: Size
  readonly part: Rectangle
  /** Output size of the region. */
  readonly size: Size
  readonly scale: number
}

async function decodeRegion(
  open: OpenBunImage,
  bytes: Buffer,
  { stored, part, size, scale }: RegionRequest,
): Promise<Pixels> {
  const factor = Math.min(1, scale)
  const scaledSize = scaleSize(stored, factor)
  const image = open(bytes)
  const resized = factor === 1 ? image : image.resize(scaledSize.width, scaledSize.height, { fit: 'fill' })
  const png = await toBuffer(resized.png({ compressionLevel: 0 }))
  const scaledPart = factor < 1 ? scaleRegion(scaledSize, size, part, factor) : part
  const { width, height } = scaledPart
  const region: Pixels = { width, height, channels: 4, data: await decodePngRegion(png, scaledPart) }
  return width === size.width && height === size.height ? region : createBunEncoder(open).resize(region, size)
}

/** The region in the coordinates of the scaled image, with the output size. */
function scaleRegion(scaledSize: Size, size: Size, { x, y }: Rectangle, factor: number): Rectangle {
  const width = Math.min(size.width, scaledSize.width)
  const height = Math.min(size.height, scaledSize.height)
  return {
    x: Math.min(scaledSize.width - width, Math.round(x * factor)),
    y: Math.min(scaledSize.height - height, Math.round(y * factor)),
    width,
    height,
  }
}
