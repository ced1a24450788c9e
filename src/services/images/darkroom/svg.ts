// Drawings. They are drawn from memory without an address of their own, so that nothing they refer to is ever loaded;
// what they define for themselves to be repeated (entities) is refused. Drawn anew for each crop, they lose no detail.

import { Failure } from '../../../lib/failure.js'
import { longEdge, scaled } from '../../../lib/rectangle.js'
import { LONG_EDGE, MAX_PIXELS } from '../limits.js'
import { mustFit, pageOf, regionOf, type Exposure, type Subject } from './exposure.js'
import { loadSharp } from './sharp.js'

const MAX_SVG_BYTES = 8 * 1024 * 1024
/** A drawing has no size of its own: a small one is drawn as large as one can well see. */
const LEGIBLE = 1024
const MOST_ENLARGED = 64
/** What the drawing library can address. */
const MAX_EDGE = 30_000
const USUAL_DENSITY = 72

export async function exposeSvg(subject: Subject): Promise<Exposure> {
  const { bytes } = subject
  refuseTricks(bytes)
  pageOf(subject, 1)
  const open = await loadSharp()
  const options = { failOn: 'error', limitInputPixels: false } as const
  const original = await drawing(open(bytes, { ...options, density: USUAL_DENSITY }).metadata())
  const { width, height } = original
  mustFit({ width, height }, Infinity)
  const region = regionOf(subject, { width, height })
  const wanted = Math.min(LONG_EDGE, Math.max(LEGIBLE, longEdge(region)))
  const scale = Math.min(wanted / longEdge(region), MOST_ENLARGED, MAX_EDGE / longEdge(original))
  const density = Math.max(1, USUAL_DENSITY * scale)
  const shown = scaled(region, scale)

  const drawn = await drawing(open(bytes, { ...options, density }).metadata())
  mustFit(drawn, MAX_PIXELS)
  const across = drawn.width / width
  const down = drawn.height / height
  const left = Math.min(drawn.width - 1, Math.floor(region.x * across))
  const top = Math.min(drawn.height - 1, Math.floor(region.y * down))
  const part = {
    left,
    top,
    width: Math.max(1, Math.min(drawn.width - left, Math.round(region.width * across))),
    height: Math.max(1, Math.min(drawn.height - top, Math.round(region.height * down))),
  }
  const { data, info } = await drawing(
    open(bytes, { ...options, density })
      .extract(part)
      .resize({ ...shown, fit: 'fill' })
      .toColourspace('srgb')
      .raw()
      .toBuffer({ resolveWithObject: true }),
  )
  const channels = info.channels === 4 ? 4 : 3
  return { original: { width, height }, region, page: undefined, pixels: { ...shown, channels, data } }
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
