// Renders a PDF page with unpdf on the optional package @napi-rs/canvas. Each crop is rendered separately, so it keeps full
// detail.

import { Failure } from '../../../lib/failure.js'
import { longEdge, scaled } from '../../../lib/rectangle.js'
import { LONG_EDGE, MAX_PIXELS_AT_ONCE } from '../limits.js'
import { mustFit, pageOf, regionOf, type Exposure, type Subject } from './exposure.js'
import { loaded } from './missing-package.js'
import { loadSharp } from './sharp.js'

const MAX_UPSCALE = 16

export async function exposePdf(input: Subject): Promise<Exposure> {
  await loadSharp()
  addArrayBufferPolyfill()
  const canvasLibrary = await loaded('@napi-rs/canvas', () => import('@napi-rs/canvas'))
  const unpdf = await loaded('unpdf', () => import('unpdf'))
  const CanvasFactory = await unpdf.createIsomorphicCanvasFactory(() => import('@napi-rs/canvas'))
  const options = { CanvasFactory, isEvalSupported: false, verbosity: 0, maxImageSize: MAX_PIXELS_AT_ONCE }
  const document = await withPdfErrors(unpdf.getDocumentProxy(new Uint8Array(input.bytes), options))
  const page = pageOf(input, document.numPages)
  const pdfPage = await withPdfErrors(document.getPage(page?.number ?? 1))
  const { width, height } = pdfPage.getViewport({ scale: 1 })
  const original = scaled({ width, height }, 1)
  mustFit({ width, height }, Infinity)

  const region = regionOf(input, original)
  const scale = Math.min(LONG_EDGE / longEdge(region), MAX_UPSCALE)
  const outputSize = scaled(region, scale)
  const viewport = pdfPage.getViewport({ scale, offsetX: -region.x * scale, offsetY: -region.y * scale })
  const canvas = canvasLibrary.createCanvas(outputSize.width, outputSize.height)
  const context = canvas.getContext('2d')
  context.fillStyle = 'white'
  context.fillRect(0, 0, outputSize.width, outputSize.height)
  await withPdfErrors(pdfPage.render({ canvas, canvasContext: context, viewport }).promise)
  const { data } = context.getImageData(0, 0, outputSize.width, outputSize.height)
  return { original, region, page, pixels: { ...outputSize, channels: 4, data: Buffer.from(data.buffer) } }
}

async function withPdfErrors<T>(work: Promise<T>): Promise<T> {
  try {
    return await work
  } catch (error) {
    if (error instanceof Error && error.name === 'PasswordException') throw new Failure('is a PDF with a password')
    throw new Failure('is a PDF that is damaged or cut short and cannot be drawn')
  }
}

/** unpdf calls ArrayBuffer.prototype.transferToFixedLength, which Node.js has since version 21. */
function addArrayBufferPolyfill(): void {
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
