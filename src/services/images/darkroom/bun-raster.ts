// Images made of pixels, by Bun. It decodes each as a whole, so none may be larger than fits; a part is cut out of what
// was made small, so that a large photograph is held as pixels only where its details are asked for.

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

/** What is not made smaller lies in memory twice, as pixels and as the file they are taken from. */
const MAX_PIXELS_TWICE = 48_000_000

const KNOWN = new Set(['PNG', 'JPEG', 'GIF', 'WebP'])

export async function exposeByBun(open: OpenBunImage, subject: Subject): Promise<Exposure> {
  const { bytes, format, crop } = subject
  if (!KNOWN.has(format)) throw new MissingPackage('sharp')
  const stored = imageSizeOf(bytes, format)
  if (stored === undefined || !isComplete(bytes, format)) throw new Failure('is damaged or cut short')
  mustFit(stored, MAX_PIXELS_AT_ONCE)
  const page = pageOf(subject, frameCountOf(bytes, format))
  // It shows the first picture of a GIF, and none of a WebP that moves.
  if (page !== undefined && (page.number > 1 || format === 'WebP')) throw new MissingPackage('sharp')

  const orientation = exifOrientationOf(bytes, format)
  const original = turned(stored, orientation)
  const region = regionOf(subject, original)
  const scale = scaleOf(region, crop !== undefined)
  if (scale >= 1) mustFit(stored, MAX_PIXELS_TWICE)
  const shown = scaled(region, scale)
  const size = turned(shown, orientation)
  const cut = await takePart(open, bytes, { stored, part: asStored(region, orientation, stored), size, scale })
  const wasTurned = orientation > 1
  const pixels = wasTurned ? { ...cut, ...shown, data: upright(cut.data, size, cut.channels, orientation) } : cut
  return { original, region, page, pixels, wasTurned }
}

interface Cut {
  readonly stored: Size
  readonly part: Rectangle
  /** Of what is cut out, as it is shown. */
  readonly size: Size
  readonly scale: number
}

async function takePart(open: OpenBunImage, bytes: Buffer, { stored, part, size, scale }: Cut): Promise<Pixels> {
  const factor = Math.min(1, scale)
  const whole = scaled(stored, factor)
  const image = open(bytes)
  const resized = factor === 1 ? image : image.resize(whole.width, whole.height, { fit: 'fill' })
  const png = await finished(resized.png({ compressionLevel: 0 }))
  const within = factor < 1 ? partIn(whole, size, part, factor) : part
  const { width, height } = within
  const cut: Pixels = { width, height, channels: 4, data: await pixelsIn(png, within) }
  return width === size.width && height === size.height ? cut : openBunPress(open).resized(cut, size)
}

/** The same part of what was made smaller, in the size in which it is shown. */
function partIn(whole: Size, size: Size, { x, y }: Rectangle, factor: number): Rectangle {
  const width = Math.min(size.width, whole.width)
  const height = Math.min(size.height, whole.height)
  return {
    x: Math.min(whole.width - width, Math.round(x * factor)),
    y: Math.min(whole.height - height, Math.round(y * factor)),
    width,
    height,
  }
}
