// Encodes a decoded image as PNG or JPEG within the limits of the output: replaces transparency by a background, chooses
// the format by whether it is a graphic or a photo, and reduces quality and size until it fits. Uses sharp, otherwise
// Bun.Image. Used by worker/main.ts; the encoder for Bun.Image also by decode-raster-bun. No I/O except loading the
// package.

import type { Sharp } from 'sharp'

import { fullRectangle, scaleSize, type Size } from '../geometry.js'
import type { ImageFormat } from '../image-format.js'
import { type ImageResult, MAX_OUTPUT_BYTES } from '../image-types.js'
import { decodePngRegion, encodePng, type Pixels } from '../uncompressed-png.js'
import type { DecodedImage } from './decoded-image.js'
import { findBunImage, type OpenBunImage, toBuffer } from './bun-image.js'
import { loadSharp, MissingPackageError } from './image-libraries.js'

/** Larger graphics are encoded as high-quality JPEG. */
const MAX_PNG_BYTES = 400_000
const SHRINK_FACTOR = 0.75

export async function encodeImage(format: ImageFormat, decoded: DecodedImage): Promise<ImageResult> {
  const { pixels, ...metadata } = decoded
  const encoder = await openEncoder()
  const { pixels: opaque, background } = flattenAlpha(pixels)
  const isGraphicImage = looksLikeGraphic(opaque)
  for (let current = opaque; ; current = await encoder.resize(current, scaleSize(current, SHRINK_FACTOR))) {
    const encodedImage = await encodeWithinLimit(encoder, current, isGraphicImage)
    if (encodedImage === undefined) continue
    const { width, height } = current
    return { ...metadata, format, background, shown: { width, height }, ...encodedImage }
  }
}

/** Undefined if the image is too large at every quality. */
async function encodeWithinLimit(
  encoder: Encoder,
  pixels: Pixels,
  isGraphicImage: boolean,
): Promise<Pick<ImageResult, 'data' | 'mimeType'> | undefined> {
  if (isGraphicImage) {
    const png = await encoder.encodePng(pixels)
    if (png.length <= MAX_PNG_BYTES) return { data: png.toString('base64'), mimeType: 'image/png' }
  }
  for (const quality of [isGraphicImage ? 90 : 82, 65, 45]) {
    const jpeg = await encoder.encodeJpeg(pixels, quality, isGraphicImage)
    if (jpeg.length <= MAX_OUTPUT_BYTES) return { data: jpeg.toString('base64'), mimeType: 'image/jpeg' }
  }
  return undefined
}

interface Encoder {
  resize(pixels: Pixels, size: Size): Promise<Pixels>
  encodePng(pixels: Pixels): Promise<Buffer>
  /** Graphics are encoded without chroma subsampling if the encoder supports that. */
  encodeJpeg(pixels: Pixels, quality: number, isGraphic: boolean): Promise<Buffer>
}

async function createSharpEncoder(): Promise<Encoder> {
  const openSharp = await loadSharp()
  const fromPixels = ({ data, width, height, channels }: Pixels): Sharp =>
    openSharp(data, { raw: { width, height, channels } })
  return {
    async resize(pixels, size) {
      const resized = fromPixels(pixels).resize({ ...size, fit: 'fill' })
      return { ...size, data: await resized.raw().toBuffer(), channels: pixels.channels }
    },
    encodePng: (pixels) => fromPixels(pixels).png({ compressionLevel: 6 }).toBuffer(),
    encodeJpeg(pixels, quality, isGraphic) {
      const chromaSubsampling = isGraphic ? '4:4:4' : '4:2:0'
      return fromPixels(pixels).jpeg({ quality, chromaSubsampling }).toBuffer()
    },
  }
}

const UNCOMPRESSED = { compressionLevel: 0 }

export function createBunEncoder(open: OpenBunImage): Encoder {
  return {
    async resize(pixels, size) {
      const { width, height } = size
      const png = await toBuffer(open(encodePng(pixels)).resize(width, height, { fit: 'fill' }).png(UNCOMPRESSED))
      return { ...size, data: await decodePngRegion(png, fullRectangle(size)), channels: 4 }
    },
    encodePng: (pixels) => toBuffer(open(encodePng(pixels)).png({ compressionLevel: 6 })),
    encodeJpeg: (pixels, quality) => toBuffer(open(encodePng(pixels)).jpeg({ quality })),
  }
}

/** Chooses the encoder: sharp, otherwise Bun.Image. */
async function openEncoder(): Promise<Encoder> {
  try {
    return await createSharpEncoder()
  } catch (error) {
    const open = error instanceof MissingPackageError ? findBunImage() : undefined
    if (open === undefined) throw error
    return createBunEncoder(open)
  }
}

interface FlattenedImage {
  readonly pixels: Pixels
  /** Undefined if the image was opaque. */
  readonly background: ImageResult['background']
}

const WHITE_LEVEL = 255
const DARK_LEVEL = 64
/** Brighter content would be invisible on white. */
const MIN_BRIGHT_LEVEL = 200

/** Models differ in how they show transparency, so it is replaced by a background. */
function flattenAlpha(pixels: Pixels): FlattenedImage {
  const { data, width, height, channels } = pixels
  if (channels === 3) return { pixels, background: undefined }
  const brightness = visibleBrightness(data)
  const background = brightness !== undefined && brightness >= MIN_BRIGHT_LEVEL ? DARK_LEVEL : WHITE_LEVEL
  const flattened = Buffer.allocUnsafe(width * height * 3)
  for (let from = 0, to = 0; to < flattened.length; from += 4) {
    const alpha = (data[from + 3] ?? 0) / 255
    const backgroundPart = background * (1 - alpha)
    flattened[to++] = Math.round((data[from] ?? 0) * alpha + backgroundPart)
    flattened[to++] = Math.round((data[from + 1] ?? 0) * alpha + backgroundPart)
    flattened[to++] = Math.round((data[from + 2] ?? 0) * alpha + backgroundPart)
  }
  const backgroundName = brightness === undefined ? undefined : background === DARK_LEVEL ? 'dark grey' : 'white'
  return { pixels: { width, height, data: flattened, channels: 3 }, background: backgroundName }
}

/** Average brightness weighted by alpha; undefined if the image is opaque. */
function visibleBrightness(data: Buffer): number | undefined {
  let weightedLight = 0
  let weight = 0
  for (let at = 0; at < data.length; at += 4) {
    const alpha = data[at + 3] ?? 0
    weightedLight += alpha * (0.3 * (data[at] ?? 0) + 0.59 * (data[at + 1] ?? 0) + 0.11 * (data[at + 2] ?? 0))
    weight += alpha
  }
  if (weight === (data.length / 4) * 255) return undefined
  return weight === 0 ? 0 : weightedLight / weight
}

/** Small images are always encoded as PNG. */
const MAX_SMALL_PIXELS = 65_536

/** Neighbouring pixels are often equal in graphics and rarely in photos. */
function looksLikeGraphic({ data, width, height }: Pixels): boolean {
  if (width * height <= MAX_SMALL_PIXELS) return true
  const rowBytes = width * 3
  let equalPairs = 0
  let pairs = 0
  for (let y = 0; y < height; y += Math.max(1, Math.floor(height / 200))) {
    for (let at = y * rowBytes + 3; at < (y + 1) * rowBytes; at += 3) {
      pairs++
      if (data[at] === data[at - 3] && data[at + 1] === data[at - 2] && data[at + 2] === data[at - 1]) equalPairs++
    }
  }
  return pairs === 0 || equalPairs / pairs > 0.4
}
