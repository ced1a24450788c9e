// What pixels look like: whether something shines through them, and whether they were drawn or photographed.

import type { Pixels } from '../../../lib/plain-png.js'
import type { Picture } from '../picture.js'

export interface Opaque {
  readonly opaque: Pixels
  /** undefined where it was opaque all along. */
  readonly backdrop: Picture['backdrop']
}

const WHITE = 255
const DARK = 64
/** From this brightness on, white would hide what is drawn. */
const BRIGHT = 200

/** Models differ in what they see behind what is transparent; so nothing is. */
export function onBackdrop(pixels: Pixels): Opaque {
  const { data, width, height, channels } = pixels
  if (channels === 3) return { opaque: pixels, backdrop: undefined }
  const brightness = brightnessOf(data)
  const behind = brightness !== undefined && brightness >= BRIGHT ? DARK : WHITE
  const opaque = Buffer.allocUnsafe(width * height * 3)
  for (let from = 0, to = 0; to < opaque.length; from += 4) {
    const alpha = (data[from + 3] ?? 0) / 255
    const through = behind * (1 - alpha)
    opaque[to++] = Math.round((data[from] ?? 0) * alpha + through)
    opaque[to++] = Math.round((data[from + 1] ?? 0) * alpha + through)
    opaque[to++] = Math.round((data[from + 2] ?? 0) * alpha + through)
  }
  const backdrop = brightness === undefined ? undefined : behind === DARK ? 'dark grey' : 'white'
  return { opaque: { width, height, data: opaque, channels: 3 }, backdrop }
}

/** Of what can be seen; undefined where all of it is opaque. */
function brightnessOf(data: Buffer): number | undefined {
  let light = 0
  let weight = 0
  for (let at = 0; at < data.length; at += 4) {
    const alpha = data[at + 3] ?? 0
    light += alpha * (0.3 * (data[at] ?? 0) + 0.59 * (data[at + 1] ?? 0) + 0.11 * (data[at + 2] ?? 0))
    weight += alpha
  }
  if (weight === (data.length / 4) * 255) return undefined
  return weight === 0 ? 0 : light / weight
}

/** Cheap to keep as they are. */
const FEW_PIXELS = 65_536

/** Pixels beside equal ones: common in what is drawn, rare in what a camera sees. */
export function isDrawn({ data, width, height }: Pixels): boolean {
  if (width * height <= FEW_PIXELS) return true
  const row = width * 3
  let same = 0
  let seen = 0
  for (let y = 0; y < height; y += Math.max(1, Math.floor(height / 200))) {
    for (let at = y * row + 3; at < (y + 1) * row; at += 3) {
      seen++
      if (data[at] === data[at - 3] && data[at + 1] === data[at - 2] && data[at + 2] === data[at - 1]) same++
    }
  }
  return seen === 0 || same / seen > 0.4
}
