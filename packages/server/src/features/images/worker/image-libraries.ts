// Loads the image libraries of the image worker: sharp, Bun.Image and optional packages. An error names a package that is
// missing. Turns errors of decoders into failures of the file. findBunImage is also used by `doctor`. Imports packages; no
// other I/O.

import type { Sharp, SharpOptions } from 'sharp'

import { errorMessage, Failure } from '@scorpiox/mcp/errors'
import { getBunApi } from '@scorpiox/mcp/runtime'
import { toSingleLine } from '../../../text/format.js'
import { MAX_PIXELS_IN_MEMORY, type OptionalPackage } from '../image-types.js'

export type OpenSharp = (input: Buffer, options?: SharpOptions) => Sharp

let loading: Promise<OpenSharp> | undefined

/** Without its cache, because no image is decoded twice, and with two threads. */
export function loadSharp(): Promise<OpenSharp> {
  return (loading ??= loadAndConfigure())
}

async function loadAndConfigure(): Promise<OpenSharp> {
  const { default: sharp } = await loadOptionalPackage('sharp', () => import('sharp'))
  sharp.cache(false)
  sharp.concurrency(2)
  return sharp
}

/** Decoder errors are failures of the image file. */
export async function withDecodeErrors<T>(work: Promise<T>): Promise<T> {
  try {
    return await work
  } catch (error) {
    throw damagedImageFailure(error)
  }
}

export function damagedImageFailure(error: unknown): Failure {
  return new Failure(`is damaged or cut short and cannot be decoded (${toSingleLine(errorMessage(error), 160)})`)
}

/**
 * Binding to Bun.Image, which decodes, resizes and encodes whole images. It cannot crop or return pixels, so these are
 * read from an uncompressed PNG.
 */
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
    throw new Failure(`is damaged or cut short and cannot be decoded (${toSingleLine(errorMessage(error), 160)})`)
  }
}

type BunImageConstructor = new (bytes: Buffer, options: typeof BUN_IMAGE_OPTIONS) => BunImage

function isConstructor(value: unknown): value is BunImageConstructor {
  return typeof value === 'function'
}

/** An optional package is not installed, or cannot be loaded. */
export class MissingPackageError extends Error {
  constructor(readonly packageName: OptionalPackage) {
    super(`${packageName} is not installed`)
  }
}

/** Any load error counts as missing, because reinstalling is the remedy. */
export async function loadOptionalPackage<T>(name: OptionalPackage, load: () => Promise<T>): Promise<T> {
  try {
    return await load()
  } catch {
    throw new MissingPackageError(name)
  }
}
