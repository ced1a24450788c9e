// Request and result of ReadImage, and the messages of the image worker.

import type { ImageFormat } from '../../lib/image-format.js'
import type { Rectangle, Size } from '../../lib/rectangle.js'
import type { Identity } from '../../platform/regular-file.js'

export interface Wish {
  readonly path: string
  /** In pixels of the upright original. */
  readonly crop?: Rectangle | undefined
  /** Of a document or an animation, from 1. */
  readonly page?: number | undefined
}

export interface Order extends Wish {
  readonly identity: Identity
  readonly format: ImageFormat
}

/** The encoded image, and the part of the original that it shows. */
export interface Picture {
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
  readonly wasTurned?: boolean
  /** The decoder reported errors but produced an image. */
  readonly isDamaged?: boolean
  /** Color behind transparent pixels. */
  readonly backdrop?: 'white' | 'dark grey' | undefined
  /** The unchanged file, because no image library is installed. */
  readonly isUntouched?: boolean
}

/** npm packages that may not be installed. */
export type Missing = 'sharp' | 'libheif-js' | '@napi-rs/canvas' | 'unpdf'

export type Reply =
  | { readonly image: Picture; readonly residentBytes: number }
  | { readonly failure: string; readonly residentBytes: number }
  | { readonly missing: Missing; readonly residentBytes: number }

export function isReply(value: unknown): value is Reply {
  return typeof value === 'object' && value !== null && 'residentBytes' in value
}
