// The press of sharp.

import type { Sharp } from 'sharp'

import type { Pixels } from '../../../lib/plain-png.js'
import type { Press } from './press.js'
import { loadSharp } from './sharp.js'

export async function openSharpPress(): Promise<Press> {
  const open = await loadSharp()
  const source = ({ data, width, height, channels }: Pixels): Sharp => open(data, { raw: { width, height, channels } })
  return {
    async resized(pixels, size) {
      const resizing = source(pixels).resize({ ...size, fit: 'fill' })
      return { ...size, data: await resizing.raw().toBuffer(), channels: pixels.channels }
    },
    png: (pixels) => source(pixels).png({ compressionLevel: 6 }).toBuffer(),
    jpeg(pixels, quality, isDrawn) {
      const chromaSubsampling = isDrawn ? '4:4:4' : '4:2:0'
      return source(pixels).jpeg({ quality, chromaSubsampling }).toBuffer()
    },
  }
}
