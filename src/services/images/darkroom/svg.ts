// Drawings. They are drawn from memory without an address of their own, so that nothing they refer to is ever loaded;
// what they define for themselves to be repeated (entities) is refused. Drawn anew for each crop, they lose no detail.

import { Failure } from '../../../lib/failure.js'
import { longEdge, scaled, type Rectangle, type Size } from '../../../lib/rectangle.js'
import { LONG_EDGE, MAX_PIXELS } from '../limits.js'
import { mustFit, pageOf, regionOf, type Exposure, type Subject } from './exposure.js'
import { loadSharp, type Open } from './sharp.js'

const MAX_SVG_BYTES = 8 * 1024 * 1024
/** A drawing has no size of its own: a small one is drawn as large as one can well see. */
const LEGIBLE = 1024
const MOST_ENLARGED = 64
/** What the drawing library can address. */
const MAX_EDGE = 30_000
const USUAL_DENSITY = 72

const OPTIONS = { failOn: 'error', limitInputPixels: false } as const

export async function exposeSvg(subject: Subject): Promise<Exposure> {
  const { bytes } = subject
  refuseTricks(bytes)
  pageOf(subject, 1)
  const open = await loadSharp()
  const original = await sizeOf(open, bytes)
  const region = regionOf(subject, original)
  const wanted = Math.min(LONG_EDGE, Math.max(LEGIBLE, longEdge(region)))
  const scale = Math.min(wanted / longEdge(region), MOST_ENLARGED, MAX_EDGE / longEdge(original))
  const shown = scaled(region, scale)

  const options = { ...OPTIONS, density: Math.max(1, USUAL_DENSITY * scale) }
  const drawn = await drawing(open(bytes, options).metadata())
  mustFit(drawn, MAX_PIXELS)
  const { x: left, y: top, width, height } = partOf(region, original, drawn)
  const { data, info } = await drawing(
    open(bytes, options)
      .extract({ left, top, width, height })
      .resize({ ...shown, fit: 'fill' })
      .toColourspace('srgb')
      .raw()
      .toBuffer({ resolveWithObject: true }),
  )
  return { original, region, page: undefined, pixels: { ...shown, channels: info.channels === 4 ? 4 : 3, data } }
}

/** One too large to be drawn as it is may still be drawn smaller. */
async function sizeOf(open: Open, bytes: Buffer): Promise<Size> {
  const at = (density: number): Promise<Size> => open(bytes, { ...OPTIONS, density }).metadata()
  const usual = await at(USUAL_DENSITY).catch(() => undefined)
  const { width, height } = usual ?? scaled(await drawing(at(1)), USUAL_DENSITY)
  mustFit({ width, height }, Infinity)
  return { width, height }
}

/** The same region of what was drawn larger or smaller. */
function partOf({ x, y, width, height }: Rectangle, original: Size, drawn: Size): Rectangle {
  const across = drawn.width / original.width
  const down = drawn.height / original.height
  const left = Math.min(drawn.width - 1, Math.floor(x * across))
  const top = Math.min(drawn.height - 1, Math.floor(y * down))
  return {
    x: left,
    y: top,
    width: Math.max(1, Math.min(drawn.width - left, Math.round(width * across))),
    height: Math.max(1, Math.min(drawn.height - top, Math.round(height * down))),
  }
}

function refuseTricks(bytes: Buffer): void {
  if (bytes.length > MAX_SVG_BYTES) throw new Failure('is an SVG of more than 8 MB, too much to draw')
  const text = bytes.toString('latin1')
  if (/<!ENTITY/i.test(text))
    throw new Failure('is an SVG with entities of its own (<!ENTITY …>), which are not expanded')
  const encoding = /^[^<]*<\?xml[^>]*\bencoding\s*=\s*["']([^"']*)/i.exec(text)?.[1]
  if (encoding !== undefined && !/^(utf-?8|us-ascii|ascii|iso-8859-\d+|windows-125\d)$/i.test(encoding))
    throw new Failure('is an SVG in an unusual encoding; save it as UTF-8')
}

/** The words of its parser would repeat what stands in the file. */
async function drawing<T>(work: Promise<T>): Promise<T> {
  try {
    return await work
  } catch {
    throw new Failure('is an SVG that cannot be drawn: its XML is damaged, or it asks for too much')
  }
}
