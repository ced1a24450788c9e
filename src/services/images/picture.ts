// What is asked of the darkroom, and what comes out of it.

import type { ImageFormat } from '../../lib/image-format.js'
import type { Rectangle, Size } from '../../lib/rectangle.js'
import type { Identity } from '../../platform/regular-file.js'

export interface Wish {
  readonly path: string
  /** In pixels of the original, upright. */
  readonly crop?: Rectangle | undefined
  /** Of a document or an animation, from 1. */
  readonly page?: number | undefined
}

export interface Order extends Wish {
  readonly identity: Identity
  readonly format: ImageFormat
}

/** What is shown of which part of which original. */
export interface Picture {
  /** As base64. */
  readonly data: string
  readonly mimeType: string
  readonly format: ImageFormat
  readonly original: Size
  readonly region: Rectangle
  readonly shown: Size
  /** Which of how many, where there are several. */
  readonly page?: { readonly number: number; readonly of: number } | undefined
  /** It was stored lying on its side or mirrored, and is shown upright. */
  readonly wasTurned?: boolean
  /** Its decoder complained, and went on. */
  readonly isDamaged?: boolean
  /** What shines through where it is transparent. */
  readonly backdrop?: 'white' | 'dark grey' | undefined
  /** The file as it is, because nothing here can change images. */
  readonly isUntouched?: boolean
}

/** Packages that a person may have left out. */
export type Missing = 'sharp' | 'libheif-js' | '@napi-rs/canvas' | 'unpdf'

export type Reply =
  | { readonly picture: Picture; readonly residentBytes: number }
  | { readonly failure: string; readonly residentBytes: number }
  | { readonly missing: Missing; readonly residentBytes: number }

export function isReply(value: unknown): value is Reply {
  return typeof value === 'object' && value !== null && 'residentBytes' in value
}
