// Encoder that uses Bun.Image.

import { pixelsIn, pngOf } from '../../../lib/plain-png.js'
import { wholeOf } from '../../../lib/rectangle.js'
import { finished, type OpenBunImage } from './bun-image.js'
import type { Press } from './press.js'

const UNCOMPRESSED = { compressionLevel: 0 }

export function openBunPress(open: OpenBunImage): Press {
  return {
    async resized(pixels, size) {
      const { width, height } = size
      const png = await finished(open(pngOf(pixels)).resize(width, height, { fit: 'fill' }).png(UNCOMPRESSED))
      return { ...size, data: await pixelsIn(png, wholeOf(size)), channels: 4 }
    },
    png: (pixels) => finished(open(pngOf(pixels)).png({ compressionLevel: 6 })),
    jpeg: (pixels, quality) => finished(open(pngOf(pixels)).jpeg({ quality })),
  }
}
