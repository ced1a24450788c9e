// Binding to Bun.Image, which decodes, resizes and encodes whole images. It cannot crop or return pixels, so these are
// read from an uncompressed PNG. Used by the image worker; `doctor` only asks whether it exists. No I/O.

import { errorMessage, Failure } from '@scorpiox/mcp/errors'
import { getBunApi } from '@scorpiox/mcp/runtime'
import { toSingleLine } from '../../../text/format.js'
import { MAX_PIXELS_IN_MEMORY } from '../image-types.js'

interface BunImage {
  resize(width: number, height: number, options: { readonly fit: 'fill' }): BunImage
  png(options: { readonly compressionLevel: number }): BunImage
  jpeg(options: { readonly quality: number }): BunImage
  bytes(): Promise<Uint8Array>
}

export type OpenBunImage = (bytes: Buffer) => BunImage

/** autoOrient is off because it supports JPEG only; the caller rotates. */
const BUN_IMAGE_OPTIONS = { autoOrient: false, maxPixels: MAX_PIXELS_IN_MEMORY }

/** Undefined on other runtimes. */
export function findBunImage(): OpenBunImage | undefined {
  const candidate = getBunApi('Image')
  return isConstructor(candidate) ? (bytes) => new candidate(bytes, BUN_IMAGE_OPTIONS) : undefined
}

/** Encodes the image. Errors are failures of the image file. */
export async function toBuffer(image: BunImage): Promise<Buffer> {
  try {
    const { buffer, byteOffset, byteLength } = await image.bytes()
    return Buffer.from(buffer, byteOffset, byteLength)
  } catch (error) {
    throw new Failure(`is damaged or truncated and cannot be decoded (${toSingleLine(errorMessage(error), 160)})`)
  }
}

type BunImageConstructor = new (bytes: Buffer, options: typeof BUN_IMAGE_OPTIONS) => BunImage

function isConstructor(value: unknown): value is BunImageConstructor {
  return typeof value === 'function'
}
