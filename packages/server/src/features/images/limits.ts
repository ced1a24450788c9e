// Limits of image files, of the output, and of time and memory for decoding.

import type { WorkerBudget } from '../../process/bounded-worker.js'
import type { ImageFormat } from './image-format.js'

const MEGABYTE = 1024 * 1024

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
