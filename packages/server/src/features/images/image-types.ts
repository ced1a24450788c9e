// Types and limits that the main process and the image worker share: request and result of ReadImage, the messages of
// the worker, and the limits of files, output, time and memory. Used by image-reader, image-worker-pool and the files
// in worker/. No I/O.

import type { WorkerBudget } from '../../process/bounded-worker.js'
import { isJsonObject } from '@scorpiox/mcp/json/json'
import type { FileIdentity } from '../../storage/untrusted-file.js'
import type { Rectangle, Size } from './geometry.js'
import type { ImageFormat } from './image-format.js'

export interface ImageRequest {
  readonly path: string
  /** In pixels of the upright original. */
  readonly crop?: Rectangle | undefined
  /** Of a document or an animation, from 1. */
  readonly page?: number | undefined
}

export interface DecodeRequest extends ImageRequest {
  readonly identity: FileIdentity
  readonly format: ImageFormat
}

/** The encoded image, and the part of the original that it shows. */
export interface ImageResult {
  /** Base64. */
  readonly data: string
  readonly mimeType: string
  readonly format: ImageFormat
  readonly original: Size
  readonly region: Rectangle
  readonly shown: Size
  /** Undefined if there is only one page. */
  readonly page?: { readonly number: number; readonly of: number } | undefined
  /** The stored image was rotated or mirrored and has been corrected. */
  readonly wasRotated?: boolean
  /** The decoder reported errors but produced an image. */
  readonly isDamaged?: boolean
  /** Color behind transparent pixels. */
  readonly background?: 'white' | 'dark grey' | undefined
  /** The unchanged file, because no image library is installed. */
  readonly isOriginalFile?: boolean
}

/** npm packages that may not be installed. */
export type OptionalPackage = 'sharp' | 'libheif-js' | '@napi-rs/canvas' | 'unpdf'

export type ImageWorkerReply =
  | { readonly image: ImageResult }
  | { readonly failure: string }
  | { readonly missing: OptionalPackage }

export function isImageWorkerReply(value: unknown): value is ImageWorkerReply {
  return isJsonObject(value) && ('image' in value || 'failure' in value || 'missing' in value)
}

const MEGABYTE = 1024 * 1024

/** Limits of image files, of the output, and of time and memory for decoding. */
export const MAX_FILE_BYTES = 64 * MEGABYTE

/** Models do not use more pixels; larger images are scaled down. */
export const MAX_OUTPUT_EDGE = 1568

/** Of the encoded image; base64 adds a third. */
export const MAX_OUTPUT_BYTES = 750_000

/** For formats that are decoded line by line. */
export const MAX_PIXELS = 256_000_000

/** For formats that are decoded as a whole. */
export const MAX_PIXELS_IN_MEMORY = 64_000_000

/** Time and memory for one image; a worker that exceeds them is killed. SVG can contain costly instructions but normally needs little. */
export function decodeBudgetFor(format: ImageFormat): WorkerBudget {
  const isSvg = format === 'SVG' || format === 'SVGZ'
  return isSvg ? { ms: 4000, residentBytes: 256 * MEGABYTE } : { ms: 10_000, residentBytes: 640 * MEGABYTE }
}
