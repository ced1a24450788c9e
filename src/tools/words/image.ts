// What is said beside an image: what it is, how much of it is shown and how large, and how to get back to its pixels.

import { extname } from 'node:path'

import type { Picture } from '../../services/images/picture.js'

export function imageWords(picture: Picture, scale: number, path: string): string {
  return `${deliveredWords(picture)} ${[sizeWords(picture, scale), ...notes(picture, path)].join('. ')}.`
}

/** What is in the image block, such as [JPEG, 1568x1176, 212 KB]. */
function deliveredWords({ mimeType, shown, data }: Picture): string {
  const kilobytes = Math.max(1, Math.round(Buffer.byteLength(data, 'base64') / 1024))
  return `[${typeOf(mimeType)}, ${shown.width}x${shown.height}, ${kilobytes} KB]`
}

function typeOf(mimeType: string): string {
  const name = mimeType.replace('image/', '')
  return name === 'webp' ? 'WebP' : name.toUpperCase()
}

function sizeWords(picture: Picture, scale: number): string {
  const { format, mimeType, original, region, shown } = picture
  const isPart = region.width < original.width || region.height < original.height
  const isFullSize = shown.width === region.width && shown.height === region.height
  if (!isPart && isFullSize && typeOf(mimeType) === format) return 'The whole image in full size'
  const what = `Original: ${format}, ${original.width} x ${original.height} ${format === 'PDF' ? 'points' : 'pixels'}`
  const part = isPart
    ? `, of it x ${region.x} to ${region.x + region.width}, y ${region.y} to ${region.y + region.height}`
    : ''
  if (isFullSize) return `${what}${part}, in full size`
  return `${what}${part}, at ${scale} ${scale < 1 ? 'of' : 'times'} its size. ${wayBack(picture, scale)}`
}

/** From what the model sees to where that is. */
function wayBack({ region, format }: Picture, scale: number): string {
  const factor = Number((1 / scale).toPrecision(4))
  const unit = format === 'PDF' ? 'points' : 'pixels'
  const isMoved = region.x > 0 || region.y > 0
  const back = `Multiply coordinates by ${factor}${isMoved ? ` and add (${region.x}, ${region.y})` : ''} to get original ${unit}`
  return scale < 1 ? `${back}; crop to see detail` : back
}

function notes(picture: Picture, path: string): readonly string[] {
  const { page, wasTurned, isDamaged, backdrop, isUntouched, format } = picture
  const isMoving = format === 'GIF' || format === 'WebP' || format === 'AVIF'
  const hasWrongName = KNOWN.get(extname(path).toLowerCase())?.includes(format) === false
  return [
    ...(page ? [`${isMoving ? 'Frame' : 'Page'} ${page.number} of ${page.of}; page shows another`] : []),
    ...(wasTurned ? ['Turned upright as its EXIF orientation says; crop counts in this orientation'] : []),
    ...(isDamaged ? ['The file is damaged: parts of the image may be wrong'] : []),
    ...(backdrop ? [`Partly transparent, shown on ${backdrop}`] : []),
    ...(hasWrongName ? [`Its name ends in ${extname(path)}, but it is ${format}`] : []),
    ...(isUntouched ? ['The file as it is, neither turned nor cropped: sharp is not installed'] : []),
  ]
}

const KNOWN = new Map<string, readonly string[]>([
  ['.png', ['PNG']],
  ['.jpg', ['JPEG']],
  ['.jpeg', ['JPEG']],
  ['.gif', ['GIF']],
  ['.webp', ['WebP']],
  ['.avif', ['AVIF']],
  ['.tif', ['TIFF']],
  ['.tiff', ['TIFF']],
  ['.svg', ['SVG']],
  ['.heic', ['HEIC']],
  ['.heif', ['HEIC', 'AVIF']],
  ['.pdf', ['PDF']],
])
