// Where an image is in its box, and how much it is enlarged. It stays within the box. Used by image.tsx. Pure.

export interface Position {
  /** 1: it fits. */
  readonly scale: number
  readonly x: number
  readonly y: number
}

interface Size {
  readonly width: number
  readonly height: number
}

const MAX_SCALE = 16

export const FIT: Position = { scale: 1, x: 0, y: 0 }

/** The point under the pointer, which is relative to the box, stays where it is. */
export function zoomAround(
  before: Position,
  factor: number,
  point: { readonly x: number; readonly y: number },
  box: Size,
): Position {
  const scale = Math.min(MAX_SCALE, Math.max(1, before.scale * factor))
  const change = scale / before.scale
  // The image is scaled around its centre.
  const [fromX, fromY] = [point.x - box.width / 2, point.y - box.height / 2]
  return keepInside({ scale, x: fromX - (fromX - before.x) * change, y: fromY - (fromY - before.y) * change }, box)
}

export function moveBy(before: Position, x: number, y: number, box: Size): Position {
  return keepInside({ ...before, x: before.x + x, y: before.y + y }, box)
}

function keepInside({ scale, x, y }: Position, { width, height }: Size): Position {
  const limit = (value: number, size: number): number => {
    const most = (size * (scale - 1)) / 2
    return Math.min(most, Math.max(-most, value)) || 0
  }
  return { scale, x: limit(x, width), y: limit(y, height) }
}
