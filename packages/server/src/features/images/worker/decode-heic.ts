// Decodes HEIC with the optional package libheif-js, and crops and scales it with sharp. Loaded by worker/main.ts for HEIC
// files. No files are read except the packages.

import { Failure } from '@scorpiox/mcp/errors'
import { scaleSize } from '../geometry.js'
import { MAX_PIXELS_IN_MEMORY } from '../image-types.js'
import {
  assertPixelLimit,
  cropRegion,
  type DecodedImage,
  type DecodeInput,
  outputScale,
  selectPage,
} from './decoded-image.js'
import { loadOptionalPackage, loadSharp, withDecodeErrors } from './image-libraries.js'

interface HeifLibrary {
  readonly HeifDecoder: new () => { decode(bytes: Uint8Array): readonly HeifImage[] }
}

interface HeifImage {
  get_width(): number
  get_height(): number
  is_primary(): boolean
  display(target: Canvas, done: (filled: Canvas | null) => void): void
}

interface Canvas {
  readonly data: Uint8ClampedArray
  readonly width: number
  readonly height: number
}

export async function decodeHeic(input: DecodeInput): Promise<DecodedImage> {
  const openSharp = await loadSharp()
  const { HeifDecoder } = await loadOptionalPackage('libheif-js', loadLibrary)
  const images = new HeifDecoder().decode(input.bytes)
  if (images.length === 0) throw new Failure('is a HEIC image that is damaged or truncated and cannot be decoded')
  const page = selectPage(input, images.length)
  const primary = input.page === undefined ? images.find((image) => image.is_primary()) : undefined
  const image = primary ?? images[(input.page ?? 1) - 1]
  if (!image) throw new Failure('is a HEIC file without an image')
  const original = { width: image.get_width(), height: image.get_height() }
  assertPixelLimit(original, MAX_PIXELS_IN_MEMORY)

  const region = cropRegion(input, original)
  const outputSize = scaleSize(region, outputScale(region, input.crop !== undefined))
  const data = await readPixels(image, original)
  const resized = openSharp(data, { raw: { ...original, channels: 4 } })
    .extract({ left: region.x, top: region.y, width: region.width, height: region.height })
    .resize({ ...outputSize, fit: 'fill' })
  return {
    original,
    region,
    page,
    pixels: { ...outputSize, channels: 4, data: await withDecodeErrors(resized.raw().toBuffer()) },
  }
}

function readPixels(image: HeifImage, { width, height }: { width: number; height: number }): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const data = new Uint8ClampedArray(width * height * 4)
    image.display({ data, width, height }, (filled) => {
      if (filled) resolve(Buffer.from(filled.data.buffer, filled.data.byteOffset, filled.data.byteLength))
      else reject(new Failure('is a HEIC image that is damaged or truncated and cannot be decoded'))
    })
  })
}

async function loadLibrary(): Promise<HeifLibrary> {
  const { default: library }: { default: unknown } = await import('libheif-js/wasm-bundle.js')
  if (!isLibrary(library)) throw new Error('libheif-js has an unexpected interface')
  return library
}

function isLibrary(value: unknown): value is HeifLibrary {
  return typeof value === 'object' && value !== null && 'HeifDecoder' in value
}
