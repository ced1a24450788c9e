// Rectangles in whole pixels: cut to what there is, fitted to a length, and seen through the eight ways in which a
// camera may have been held (EXIF orientation).

export interface Size {
  readonly width: number
  readonly height: number
}

export interface Rectangle extends Size {
  readonly x: number
  readonly y: number
}

export function wholeOf({ width, height }: Size): Rectangle {
  return { x: 0, y: 0, width, height }
}

/** The part of it that lies within; undefined where none does. */
export function clip({ x, y, width, height }: Rectangle, within: Size): Rectangle | undefined {
  const left = Math.max(0, x)
  const top = Math.max(0, y)
  const right = Math.min(within.width, x + width)
  const bottom = Math.min(within.height, y + height)
  return left < right && top < bottom ? { x: left, y: top, width: right - left, height: bottom - top } : undefined
}

export function scaled({ width, height }: Size, scale: number): Size {
  return { width: Math.max(1, Math.round(width * scale)), height: Math.max(1, Math.round(height * scale)) }
}

export function longEdge({ width, height }: Size): number {
  return Math.max(width, height)
}

/** Whether what is upright lies on its side in the file. */
function isSideways(orientation: number): boolean {
  return orientation >= 5 && orientation <= 8
}

export function turned(size: Size, orientation: number): Size {
  return isSideways(orientation) ? { width: size.height, height: size.width } : size
}

/** Where a rectangle of the upright image lies in an image of that stored size. */
export function asStored({ x, y, width, height }: Rectangle, orientation: number, stored: Size): Rectangle {
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

/** Those in which the stored columns, and the stored rows, run against those that are seen. */
const MIRRORED = new Set([2, 3, 7, 8])
const FLIPPED = new Set([3, 4, 6, 7])

/** Pixels as stored → pixels as seen. */
export function upright(pixels: Buffer, stored: Size, channels: number, orientation: number): Buffer {
  const seen = turned(stored, orientation)
  const result = Buffer.allocUnsafe(pixels.length)
  const sideways = isSideways(orientation)
  const mirrored = MIRRORED.has(orientation)
  const flipped = FLIPPED.has(orientation)
  let to = 0
  for (let y = 0; y < seen.height; y++) {
    for (let x = 0; x < seen.width; x++) {
      const column = sideways ? y : x
      const row = sideways ? x : y
      const at = flipped ? stored.height - 1 - row : row
      let from = (at * stored.width + (mirrored ? stored.width - 1 - column : column)) * channels
      for (let channel = 0; channel < channels; channel++) result[to++] = pixels[from++] ?? 0
    }
  }
  return result
}
