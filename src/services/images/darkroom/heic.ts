// Photographs of phones, by a decoder that has to be installed apart.

import { Failure } from '../../../lib/failure.js'
import { scaled } from '../../../lib/rectangle.js'
import { MAX_PIXELS_AT_ONCE } from '../limits.js'
import { mustFit, pageOf, regionOf, scaleOf, type Exposure, type Subject } from './exposure.js'
import { loaded } from './missing-package.js'
import { decoding, loadSharp } from './sharp.js'

interface Library {
  readonly HeifDecoder: new () => { decode(bytes: Uint8Array): readonly HeifImage[] }
}

interface HeifImage {
  get_width(): number
  get_height(): number
  is_primary(): boolean
  display(into: Canvas, done: (filled: Canvas | null) => void): void
}

interface Canvas {
  readonly data: Uint8ClampedArray
  readonly width: number
  readonly height: number
}

export async function exposeHeic(subject: Subject): Promise<Exposure> {
  const open = await loadSharp()
  const { HeifDecoder } = await loaded('libheif-js', loadLibrary)
  const images = new HeifDecoder().decode(subject.bytes)
  if (images.length === 0) throw new Failure('is a HEIC image that is damaged or cut short and cannot be decoded')
  const page = pageOf(subject, images.length)
  const chosen = subject.page === undefined ? images.find((image) => image.is_primary()) : undefined
  const image = chosen ?? images[(subject.page ?? 1) - 1]
  if (!image) throw new Failure('is a HEIC file without an image')
  const original = { width: image.get_width(), height: image.get_height() }
  mustFit(original, MAX_PIXELS_AT_ONCE)

  const region = regionOf(subject, original)
  const shown = scaled(region, scaleOf(region, subject.crop !== undefined))
  const data = await pixelsOf(image, original)
  const resized = open(data, { raw: { ...original, channels: 4 } })
    .extract({ left: region.x, top: region.y, width: region.width, height: region.height })
    .resize({ ...shown, fit: 'fill' })
  return { original, region, page, pixels: { ...shown, channels: 4, data: await decoding(resized.raw().toBuffer()) } }
}

function pixelsOf(image: HeifImage, { width, height }: { width: number; height: number }): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const data = new Uint8ClampedArray(width * height * 4)
    image.display({ data, width, height }, (filled) => {
      if (filled) resolve(Buffer.from(filled.data.buffer, filled.data.byteOffset, filled.data.byteLength))
      else reject(new Failure('is a HEIC image that is damaged or cut short and cannot be decoded'))
    })
  })
}

async function loadLibrary(): Promise<Library> {
  const { default: library }: { default: unknown } = await import('libheif-js/wasm-bundle.js')
  if (!isLibrary(library)) throw new Error('not the library that was expected')
  return library
}

function isLibrary(value: unknown): value is Library {
  return typeof value === 'object' && value !== null && 'HeifDecoder' in value
}
