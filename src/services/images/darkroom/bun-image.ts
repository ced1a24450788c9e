// The image library of Bun, as far as it is used here: it decodes as a whole, resizes, and encodes. It cuts nothing out
// and gives no pixels, so that they are taken from a plain PNG.

import { Failure } from '../../../lib/failure.js'
import { oneLine } from '../../../lib/one-line.js'
import { reasonOf } from '../../../lib/reason-of.js'
import { fromBun } from '../../../platform/bun.js'
import { MAX_PIXELS_AT_ONCE } from '../limits.js'

export interface BunImage {
  resize(width: number, height: number, options: { readonly fit: 'fill' }): BunImage
  png(options: { readonly compressionLevel: number }): BunImage
  jpeg(options: { readonly quality: number }): BunImage
  bytes(): Promise<Uint8Array>
}

export type OpenBunImage = (bytes: Buffer) => BunImage

/** Turned upright by us, because it knows only how to turn a JPEG. */
const OPTIONS = { autoOrient: false, maxPixels: MAX_PIXELS_AT_ONCE }

/** undefined on any other runtime. */
export function findBunImage(): OpenBunImage | undefined {
  const found = fromBun('Image')
  return isConstructor(found) ? (bytes) => new found(bytes, OPTIONS) : undefined
}

/** The file it makes. What it says of the image is about the image. */
export async function finished(image: BunImage): Promise<Buffer> {
  try {
    const { buffer, byteOffset, byteLength } = await image.bytes()
    return Buffer.from(buffer, byteOffset, byteLength)
  } catch (error) {
    throw new Failure(`is damaged or cut short and cannot be decoded (${oneLine(reasonOf(error), 160)})`)
  }
}

type Constructor = new (bytes: Buffer, options: typeof OPTIONS) => BunImage

function isConstructor(value: unknown): value is Constructor {
  return typeof value === 'function'
}
