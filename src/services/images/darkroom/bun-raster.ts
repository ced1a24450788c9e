// Decodes raster images with Bun.Image. It decodes the whole image, so the size is limited; a region is cut from the scaled
// image, so that a large photo is held at full size only if details are requested.

import { exifOrientationOf } from '../../../lib/exif-orientation.js'
import { Failure } from '../../../lib/failure.js'
import { frameCountOf } from '../../../lib/frame-count.js'
import { imageSizeOf, isComplete } from '../../../lib/image-size.js'
import { pixelsIn, type Pixels } from '../../../lib/plain-png.js'
import { asStored, scaled, turned, upright, type Rectangle, type Size } from '../../../lib/rectangle.js'
import { MAX_PIXELS_AT_ONCE } from '../limits.js'
import { finished, type OpenBunImage } from './bun-image.js'
import { openBunPress } from './bun-press.js'
import { mustFit, pageOf, regionOf, scaleOf, type Exposure, type Subject } from './exposure.js'
import { MissingPackage } from './missing-package.js'

/** An image that is not scaled down is in memory twice: as pixels and as PNG. */
const MAX_UNSCALED_PIXELS = 48_000_000

const BUN_FORMATS = new Set(['PNG', 'JPEG', 'GIF', 'WebP'])

export async function exposeByBun(open: OpenBunImage, input: Subject): Promise<Exposure> {
  const { bytes, format, crop } = input
  if (!BUN_FORMATS.has(format)) throw new MissingPackage('sharp')
  const stored = imageSizeOf(bytes, format)
  if (stored === undefined || !isComplete(bytes, format)) throw new Failure('is damaged or cut short')
  mustFit(stored, MAX_PIXELS_AT_ONCE)
  const page = pageOf(input, frameCountOf(bytes, format))
  // Bun.Image decodes only the first frame of a GIF, and no animated WebP.
  if (page !== undefined && (page.number > 1 || format === 'WebP')) throw new MissingPackage('sharp')

  const orientation = exifOrientationOf(bytes, format)
  const original = turned(stored, orientation)
  const region = regionOf(input, original)
  const scale = scaleOf(region, crop !== undefined)
  if (scale >= 1) mustFit(stored, MAX_UNSCALED_PIXELS)
  const outputSize = scaled(region, scale)
  const size = turned(outputSize, orientation)
  const decoded = await decodeRegion(open, bytes, { stored, part: asStored(region, orientation, stored), size, scale })
  const wasRotated = orientation > 1
  const pixels = wasRotated
    ? { ...decoded, ...outputSize, data: upright(decoded.data, size, decoded.channels, orientation) }
    : decoded
  return { original, region, page, pixels, wasTurned: wasRotated }
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
  const scaledSize = scaled(stored, factor)
  const image = open(bytes)
  const resized = factor === 1 ? image : image.resize(scaledSize.width, scaledSize.height, { fit: 'fill' })
  const png = await finished(resized.png({ compressionLevel: 0 }))
  const scaledPart = factor < 1 ? scaleRegion(scaledSize, size, part, factor) : part
  const { width, height } = scaledPart
  const region: Pixels = { width, height, channels: 4, data: await pixelsIn(png, scaledPart) }
  return width === size.width && height === size.height ? region : openBunPress(open).resized(region, size)
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
