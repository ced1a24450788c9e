// How much an image may ask of us, and how much a model is given.

import type { ImageFormat } from '../../lib/image-format.js'

const MEGABYTE = 1024 * 1024

export const MAX_FILE_BYTES = 64 * MEGABYTE

/** What models see at most; anything larger they are given smaller. */
export const LONG_EDGE = 1568

/** Of an encoded image; a third more as base64. */
export const MAX_SHOWN_BYTES = 750_000

/** Decoded line by line. */
export const MAX_PIXELS = 256_000_000

/** Decoded as a whole, which takes memory for each pixel. */
export const MAX_PIXELS_AT_ONCE = 64_000_000

export interface Allowance {
  readonly ms: number
  /** Of the process that decodes, as a whole. */
  readonly residentBytes: number
}

/** What one image may take; a process that goes beyond is ended. A drawing is a program, and needs little if it is honest. */
export function allowanceFor(format: ImageFormat): Allowance {
  const isDrawing = format === 'SVG' || format === 'SVGZ'
  return isDrawing ? { ms: 4000, residentBytes: 256 * MEGABYTE } : { ms: 10_000, residentBytes: 640 * MEGABYTE }
}
