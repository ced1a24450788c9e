// Handler of the tool ReadImage: reads the image with the image reader and describes it in text. Loaded by the first call.
// No I/O of its own.

import { extname } from 'node:path'

import type { CallContext } from '@scorpiox/mcp/definitions/call-context'
import type { ToolOutput } from '@scorpiox/mcp/definitions/tool'
import { Failure } from '@scorpiox/mcp/errors'
import { toResultMeta } from '../../text/result-data.js'
import type { Rectangle } from './geometry.js'
import type { ImageReader } from './image-reader.js'
import type { ImageResult } from './image-types.js'
import { noteOriginalFile } from './missing-decoder.js'

interface ReadImageInput {
  readonly file_path: string
  readonly crop?: readonly number[] | undefined
  readonly page?: number | undefined
}

interface ReadImageResult {
  readonly image: ImageResult
  readonly path: string
}

export const readImageHandler = {
  async run(
    { file_path: path, crop, page }: ReadImageInput,
    { signal, user }: CallContext,
    { images }: { readonly images: ImageReader },
  ): Promise<ReadImageResult> {
    return { image: await images.read({ path, crop: parseCrop(crop), page }, user, signal), path }
  },

  format: ({ image, path }: ReadImageResult): ToolOutput => [
    { type: 'image', data: image.data, mimeType: image.mimeType },
    { type: 'text', text: formatImage(image, path) },
  ],

  meta({ image }: ReadImageResult) {
    const { format, original, region } = image
    // Size of the original; upper left corner of the region in it.
    const { width, height } = original
    return toResultMeta({ format, width, height, x: region.x, y: region.y, scale: scaleOf(image) })
  },
}

function parseCrop(numbers: readonly number[] | undefined): Rectangle | undefined {
  if (numbers === undefined || numbers.length === 0) return undefined
  const [x = 0, y = 0, width = 0, height = 0] = numbers
  if (numbers.length === 4 && width >= 1 && height >= 1) return { x, y, width, height }
  throw new Failure('crop takes four numbers: x, y, width and height in pixels of the original, the last two above 0.')
}

function scaleOf({ shown, region }: ImageResult): number {
  return Number((shown.width / region.width).toPrecision(4))
}

/** Formats the text beside an image: type and size, the region shown, the scale, and how to convert coordinates. */
function formatImage(image: ImageResult, path: string): string {
  return `${describeBlock(image)} ${[describeSize(image, scaleOf(image)), ...formatNotes(image, path)].join('. ')}.`
}

/** The image block, such as [JPEG, 1568x1176, 212 KB]. */
function describeBlock({ mimeType, shown, data }: ImageResult): string {
  const kilobytes = Math.max(1, Math.round(Buffer.byteLength(data, 'base64') / 1024))
  return `[${formatName(mimeType)}, ${shown.width}x${shown.height}, ${kilobytes} KB]`
}

function formatName(mimeType: string): string {
  const name = mimeType.replace('image/', '')
  return name === 'webp' ? 'WebP' : name.toUpperCase()
}

function describeSize(image: ImageResult, scale: number): string {
  const { format, mimeType, original, region, shown } = image
  const isPart = region.width < original.width || region.height < original.height
  const isFullSize = shown.width === region.width && shown.height === region.height
  if (!isPart && isFullSize && formatName(mimeType) === format) return 'The whole image in full size'
  const originalText = `Original: ${format}, ${original.width} x ${original.height} ${format === 'PDF' ? 'points' : 'pixels'}`
  const regionText = isPart
    ? `, region x ${region.x} to ${region.x + region.width}, y ${region.y} to ${region.y + region.height}`
    : ''
  if (isFullSize) return `${originalText}${regionText}, in full size`
  return `${originalText}${regionText}, at ${scale} ${scale < 1 ? 'of' : 'times'} its size. ${coordinateHint(image, scale)}`
}

/** How to convert coordinates in the shown image to the original. */
function coordinateHint({ region, format }: ImageResult, scale: number): string {
  const factor = Number((1 / scale).toPrecision(4))
  const unit = format === 'PDF' ? 'points' : 'pixels'
  const isOffset = region.x > 0 || region.y > 0
  const hint = `Multiply coordinates by ${factor}${isOffset ? ` and add (${region.x}, ${region.y})` : ''} to get original ${unit}`
  return scale < 1 ? `${hint}; crop to see detail` : hint
}

function formatNotes(image: ImageResult, path: string): readonly string[] {
  const { page, wasRotated, isDamaged, background, isOriginalFile, format } = image
  const isAnimation = format === 'GIF' || format === 'WebP' || format === 'AVIF'
  const hasWrongName = FORMATS_BY_EXTENSION.get(extname(path).toLowerCase())?.includes(format) === false
  return [
    ...(page ? [`${isAnimation ? 'Frame' : 'Page'} ${page.number} of ${page.of}; set page for another`] : []),
    ...(wasRotated ? ['Turned upright by its EXIF orientation; crop uses this orientation'] : []),
    ...(isDamaged ? ['The file is damaged: parts of the image may be wrong'] : []),
    ...(background ? [`Partly transparent, shown on ${background}`] : []),
    ...(hasWrongName ? [`Its name ends in ${extname(path)}, but it is ${format}`] : []),
    ...(isOriginalFile ? [noteOriginalFile()] : []),
  ]
}

const FORMATS_BY_EXTENSION = new Map<string, readonly string[]>([
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
