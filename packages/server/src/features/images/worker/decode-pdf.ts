// Renders a PDF page with the optional packages unpdf and @napi-rs/canvas. Each crop is rendered separately, so it keeps
// full detail. Loaded by worker/main.ts for PDF files. No files are read except the packages.

import { Failure } from '@scorpiox/mcp/errors'
import { longEdge, scaleSize } from '../geometry.js'
import { MAX_OUTPUT_EDGE, MAX_PIXELS_IN_MEMORY } from '../image-types.js'
import { assertPixelLimit, cropRegion, type DecodedImage, type DecodeInput, selectPage } from './decoded-image.js'
import { loadOptionalPackage, loadSharp } from './image-libraries.js'

const MAX_UPSCALE = 16

export async function decodePdf(input: DecodeInput): Promise<DecodedImage> {
  await loadSharp()
  addArrayBufferPolyfill()
  const canvasLibrary = await loadOptionalPackage('@napi-rs/canvas', () => import('@napi-rs/canvas'))
  const unpdf = await loadOptionalPackage('unpdf', () => import('unpdf'))
  const CanvasFactory = await unpdf.createIsomorphicCanvasFactory(() => import('@napi-rs/canvas'))
  const options = { CanvasFactory, isEvalSupported: false, verbosity: 0, maxImageSize: MAX_PIXELS_IN_MEMORY }
  const document = await withPdfErrors(unpdf.getDocumentProxy(new Uint8Array(input.bytes), options))
  const page = selectPage(input, document.numPages)
  const pdfPage = await withPdfErrors(document.getPage(page?.number ?? 1))
  const { width, height } = pdfPage.getViewport({ scale: 1 })
  const original = scaleSize({ width, height }, 1)
  assertPixelLimit({ width, height }, Infinity)

  const region = cropRegion(input, original)
  const scale = Math.min(MAX_OUTPUT_EDGE / longEdge(region), MAX_UPSCALE)
  const outputSize = scaleSize(region, scale)
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
    if (error instanceof Error && error.name === 'PasswordException')
      throw new Failure('is a PDF that is protected by a password')
    throw new Failure('is a PDF that is damaged or truncated and cannot be drawn')
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
