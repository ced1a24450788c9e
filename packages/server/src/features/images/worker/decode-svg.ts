// Renders SVG with sharp. The file is rendered from memory without a base URL, so that it cannot load other files, and
// entity definitions are rejected. Each crop is rendered separately, so it keeps full detail. Loaded by worker/main.ts.

import { Failure } from '@scorpiox/mcp/errors'
import { longEdge, type Rectangle, scaleSize, type Size } from '../geometry.js'
import { MAX_OUTPUT_EDGE, MAX_PIXELS } from '../image-types.js'
import { assertPixelLimit, cropRegion, type DecodedImage, type DecodeInput, selectPage } from './decoded-image.js'
import { loadSharp, type OpenSharp } from './image-libraries.js'

const MAX_SVG_BYTES = 8 * 1024 * 1024
/** Small drawings are enlarged to this size. */
const MIN_OUTPUT_EDGE = 1024
const MAX_UPSCALE = 64
/** Limit of the rendering library. */
const MAX_DRAWING_EDGE = 30_000
const DEFAULT_DENSITY = 72

const SVG_OPTIONS = { failOn: 'error', limitInputPixels: false } as const

export async function decodeSvg(input: DecodeInput): Promise<DecodedImage> {
  const { bytes } = input
  rejectUnsafeSvg(bytes)
  selectPage(input, 1)
  const openSharp = await loadSharp()
  const original = await readSvgSize(openSharp, bytes)
  const region = cropRegion(input, original)
  const targetEdge = Math.min(MAX_OUTPUT_EDGE, Math.max(MIN_OUTPUT_EDGE, longEdge(region)))
  const scale = Math.min(targetEdge / longEdge(region), MAX_UPSCALE, MAX_DRAWING_EDGE / longEdge(original))
  const outputSize = scaleSize(region, scale)

  const options = { ...SVG_OPTIONS, density: Math.max(1, DEFAULT_DENSITY * scale) }
  const drawnSize = await withSvgErrors(openSharp(bytes, options).metadata())
  assertPixelLimit(drawnSize, MAX_PIXELS)
  const { x: left, y: top, width, height } = scaleRegion(region, original, drawnSize)
  const { data, info } = await withSvgErrors(
    openSharp(bytes, options)
      .extract({ left, top, width, height })
      .resize({ ...outputSize, fit: 'fill' })
      .toColourspace('srgb')
      .raw()
      .toBuffer({ resolveWithObject: true }),
  )
  return { original, region, page: undefined, pixels: { ...outputSize, channels: info.channels === 4 ? 4 : 3, data } }
}

/** An SVG that is too large at the default density may be readable at a lower one. */
async function readSvgSize(openSharp: OpenSharp, bytes: Buffer): Promise<Size> {
  const sizeAtDensity = (density: number): Promise<Size> => openSharp(bytes, { ...SVG_OPTIONS, density }).metadata()
  const defaultSize = await sizeAtDensity(DEFAULT_DENSITY).catch(() => undefined)
  const { width, height } = defaultSize ?? scaleSize(await withSvgErrors(sizeAtDensity(1)), DEFAULT_DENSITY)
  assertPixelLimit({ width, height }, Infinity)
  return { width, height }
}

/** The region in the coordinates of the rendered image. */
function scaleRegion({ x, y, width, height }: Rectangle, original: Size, drawnSize: Size): Rectangle {
  const scaleX = drawnSize.width / original.width
  const scaleY = drawnSize.height / original.height
  const left = Math.min(drawnSize.width - 1, Math.floor(x * scaleX))
  const top = Math.min(drawnSize.height - 1, Math.floor(y * scaleY))
  return {
    x: left,
    y: top,
    width: Math.max(1, Math.min(drawnSize.width - left, Math.round(width * scaleX))),
    height: Math.max(1, Math.min(drawnSize.height - top, Math.round(height * scaleY))),
  }
}

function rejectUnsafeSvg(bytes: Buffer): void {
  if (bytes.length > MAX_SVG_BYTES) throw new Failure('is an SVG larger than 8 MB; make it smaller')
  const text = bytes.toString('latin1')
  if (/<!ENTITY/i.test(text)) throw new Failure('is an SVG that defines entities (<!ENTITY …>); remove them')
  const encoding = /^[^<]*<\?xml[^>]*\bencoding\s*=\s*["']([^"']*)/i.exec(text)?.[1]
  if (encoding !== undefined && !/^(utf-?8|us-ascii|ascii|iso-8859-\d+|windows-125\d)$/i.test(encoding))
    throw new Failure('is an SVG in an unusual encoding; save it as UTF-8')
}

/** Hides the parser's message, which repeats file content. */
async function withSvgErrors<T>(work: Promise<T>): Promise<T> {
  try {
    return await work
  } catch {
    throw new Failure('is an SVG that cannot be drawn: its XML is damaged, or it is too complex')
  }
}
