// Rectangles and sizes in whole pixels: clipping, scaling, and the eight EXIF orientations. Used by the image worker and by
// the main process. Pure.

export interface Size {
  readonly width: number
  readonly height: number
}

export interface Rectangle extends Size {
  readonly x: number
  readonly y: number
}

export function fullRectangle({ width, height }: Size): Rectangle {
  return { x: 0, y: 0, width, height }
}

/** Returns the part inside the bounds; undefined if there is none. */
export function clipRectangle({ x, y, width, height }: Rectangle, bounds: Size): Rectangle | undefined {
  const left = Math.max(0, x)
  const top = Math.max(0, y)
  const right = Math.min(bounds.width, x + width)
  const bottom = Math.min(bounds.height, y + height)
  return left < right && top < bottom ? { x: left, y: top, width: right - left, height: bottom - top } : undefined
}

export function scaleSize({ width, height }: Size, scale: number): Size {
  return { width: Math.max(1, Math.round(width * scale)), height: Math.max(1, Math.round(height * scale)) }
}

export function longEdge({ width, height }: Size): number {
  return Math.max(width, height)
}

/** Whether width and height are swapped in the stored image. */
function isSideways(orientation: number): boolean {
  return orientation >= 5 && orientation <= 8
}

export function orientSize(size: Size, orientation: number): Size {
  return isSideways(orientation) ? { width: size.height, height: size.width } : size
}

/** Converts a rectangle of the upright image to the stored image. */
export function toStoredRectangle({ x, y, width, height }: Rectangle, orientation: number, stored: Size): Rectangle {
  const [left, top, across, down] = isSideways(orientation) ? [y, x, height, width] : [x, y, width, height]
  const fromRight = stored.width - left - across
  const fromBottom = stored.height - top - down
  return {
    x: MIRRORED.has(orientation) ? fromRight : left,
    y: FLIPPED.has(orientation) ? fromBottom : top,
    width: across,
    height: down,
  }
}

/** Orientations in which the stored columns, or rows, are reversed. */
const MIRRORED = new Set([2, 3, 7, 8])
const FLIPPED = new Set([3, 4, 6, 7])

/** Reorders stored pixels into upright pixels. */
export function applyOrientation(pixels: Buffer, stored: Size, channels: number, orientation: number): Buffer {
  const oriented = orientSize(stored, orientation)
  const result = Buffer.allocUnsafe(pixels.length)
  const isRotated = isSideways(orientation)
  const mirrored = MIRRORED.has(orientation)
  const flipped = FLIPPED.has(orientation)
  let to = 0
  for (let y = 0; y < oriented.height; y++) {
    for (let x = 0; x < oriented.width; x++) {
      const column = isRotated ? y : x
      const row = isRotated ? x : y
      const at = flipped ? stored.height - 1 - row : row
      let from = (at * stored.width + (mirrored ? stored.width - 1 - column : column)) * channels
      for (let channel = 0; channel < channels; channel++) result[to++] = pixels[from++] ?? 0
    }
  }
  return result
}
