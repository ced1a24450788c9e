// A page of a PDF, drawn on a canvas that has to be installed apart. Drawn anew for each crop, it loses no detail.

import { Failure } from '../../../lib/failure.js'
import { longEdge, scaled } from '../../../lib/rectangle.js'
import { LONG_EDGE, MAX_PIXELS_AT_ONCE } from '../limits.js'
import { mustFit, pageOf, regionOf, type Exposure, type Subject } from './exposure.js'
import { loaded } from './missing-package.js'
import { loadSharp } from './sharp.js'

const MOST_ENLARGED = 16

export async function exposePdf(subject: Subject): Promise<Exposure> {
  await loadSharp()
  addMissingMethods()
  const canvases = await loaded('@napi-rs/canvas', () => import('@napi-rs/canvas'))
  const unpdf = await loaded('unpdf', () => import('unpdf'))
  const CanvasFactory = await unpdf.createIsomorphicCanvasFactory(() => import('@napi-rs/canvas'))
  const settings = { CanvasFactory, isEvalSupported: false, verbosity: 0, maxImageSize: MAX_PIXELS_AT_ONCE }
  const document = await reading(unpdf.getDocumentProxy(new Uint8Array(subject.bytes), settings))
  const page = pageOf(subject, document.numPages)
  const sheet = await reading(document.getPage(page?.number ?? 1))
  const { width, height } = sheet.getViewport({ scale: 1 })
  const original = scaled({ width, height }, 1)
  mustFit({ width, height }, Infinity)

  const region = regionOf(subject, original)
  const scale = Math.min(LONG_EDGE / longEdge(region), MOST_ENLARGED)
  const shown = scaled(region, scale)
  const viewport = sheet.getViewport({ scale, offsetX: -region.x * scale, offsetY: -region.y * scale })
  const canvas = canvases.createCanvas(shown.width, shown.height)
  const context = canvas.getContext('2d')
  context.fillStyle = 'white'
  context.fillRect(0, 0, shown.width, shown.height)
  await reading(sheet.render({ canvas, canvasContext: context, viewport }).promise)
  const { data } = context.getImageData(0, 0, shown.width, shown.height)
  return { original, region, page, pixels: { ...shown, channels: 4, data: Buffer.from(data.buffer) } }
}

async function reading<T>(work: Promise<T>): Promise<T> {
  try {
    return await work
  } catch (error) {
    if (error instanceof Error && error.name === 'PasswordException') throw new Failure('is a PDF with a password')
    throw new Failure('is a PDF that is damaged or cut short and cannot be drawn')
  }
}

/** The library calls what Node.js has only since version 21. */
function addMissingMethods(): void {
  if ('transferToFixedLength' in ArrayBuffer.prototype) return
  // oxlint-disable-next-line no-extend-native -- in a process that does nothing else
  Object.defineProperty(ArrayBuffer.prototype, 'transferToFixedLength', {
    value(this: ArrayBuffer, length = this.byteLength) {
      const copy = new ArrayBuffer(length)
      new Uint8Array(copy).set(new Uint8Array(this, 0, Math.min(length, this.byteLength)))
      return copy
    },
  })
}
