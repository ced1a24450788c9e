// The press of Bun, which takes files and makes files.

import { pixelsIn, pngOf } from '../../../lib/plain-png.js'
import { wholeOf } from '../../../lib/rectangle.js'
import { finished, type OpenBunImage } from './bun-image.js'
import type { Press } from './press.js'

const PLAIN = { compressionLevel: 0 }

export function openBunPress(open: OpenBunImage): Press {
  return {
    async resized(pixels, size) {
      const { width, height } = size
      const png = await finished(open(pngOf(pixels)).resize(width, height, { fit: 'fill' }).png(PLAIN))
      return { ...size, data: await pixelsIn(png, wholeOf(size)), channels: 4 }
    },
    png: (pixels) => finished(open(pngOf(pixels)).png({ compressionLevel: 6 })),
    jpeg: (pixels, quality) => finished(open(pngOf(pixels)).jpeg({ quality })),
  }
}
