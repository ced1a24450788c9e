// Analyzes pixels: flattens transparency and distinguishes graphics from photos.

import type { ImageResult } from '../image-types.js'
import type { Pixels } from '../uncompressed-png.js'

export interface FlattenedImage {
  readonly pixels: Pixels
  /** Undefined if the image was opaque. */
  readonly background: ImageResult['background']
}

const WHITE_LEVEL = 255
const DARK_LEVEL = 64
/** Brighter content would be invisible on white. */
const MIN_BRIGHT_LEVEL = 200

/** Models differ in how they show transparency, so it is replaced by a background. */
export function flattenAlpha(pixels: Pixels): FlattenedImage {
  const { data, width, height, channels } = pixels
  if (channels === 3) return { pixels, background: undefined }
  const brightness = visibleBrightness(data)
  const background = brightness !== undefined && brightness >= MIN_BRIGHT_LEVEL ? DARK_LEVEL : WHITE_LEVEL
  const flattened = Buffer.allocUnsafe(width * height * 3)
  for (let from = 0, to = 0; to < flattened.length; from += 4) {
    const alpha = (data[from + 3] ?? 0) / 255
    const backgroundPart = background * (1 - alpha)
    flattened[to++] = Math.round((data[from] ?? 0) * alpha + backgroundPart)
    flattened[to++] = Math.round((data[from + 1] ?? 0) * alpha + backgroundPart)
    flattened[to++] = Math.round((data[from + 2] ?? 0) * alpha + backgroundPart)
  }
  const backgroundName = brightness === undefined ? undefined : background === DARK_LEVEL ? 'dark grey' : 'white'
  return { pixels: { width, height, data: flattened, channels: 3 }, background: backgroundName }
}

/** Average brightness weighted by alpha; undefined if the image is opaque. */
function visibleBrightness(data: Buffer): number | undefined {
  let weightedLight = 0
  let weight = 0
  for (let at = 0; at < data.length; at += 4) {
    const alpha = data[at + 3] ?? 0
    weightedLight += alpha * (0.3 * (data[at] ?? 0) + 0.59 * (data[at + 1] ?? 0) + 0.11 * (data[at + 2] ?? 0))
    weight += alpha
  }
  if (weight === (data.length / 4) * 255) return undefined
  return weight === 0 ? 0 : weightedLight / weight
}

/** Small images are always encoded as PNG. */
const MAX_SMALL_PIXELS = 65_536

/** Neighbouring pixels are often equal in graphics and rarely in photos. */
export function isGraphic({ data, width, height }: Pixels): boolean {
  if (width * height <= MAX_SMALL_PIXELS) return true
  const rowBytes = width * 3
  let equalPairs = 0
  let pairs = 0
  for (let y = 0; y < height; y += Math.max(1, Math.floor(height / 200))) {
    for (let at = y * rowBytes + 3; at < (y + 1) * rowBytes; at += 3) {
      pairs++
      if (data[at] === data[at - 3] && data[at + 1] === data[at - 2] && data[at + 2] === data[at - 1]) equalPairs++
    }
  }
  return pairs === 0 || equalPairs / pairs > 0.4
}
