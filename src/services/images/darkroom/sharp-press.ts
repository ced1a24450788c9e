// Encoder that uses sharp.

import type { Sharp } from 'sharp'

import type { Pixels } from '../../../lib/plain-png.js'
import type { Press } from './press.js'
import { loadSharp } from './sharp.js'

export async function openSharpPress(): Promise<Press> {
  const openSharp = await loadSharp()
  const fromPixels = ({ data, width, height, channels }: Pixels): Sharp =>
    openSharp(data, { raw: { width, height, channels } })
  return {
    async resized(pixels, size) {
      const resized = fromPixels(pixels).resize({ ...size, fit: 'fill' })
      return { ...size, data: await resized.raw().toBuffer(), channels: pixels.channels }
    },
    png: (pixels) => fromPixels(pixels).png({ compressionLevel: 6 }).toBuffer(),
    jpeg(pixels, quality, isGraphic) {
      const chromaSubsampling = isGraphic ? '4:4:4' : '4:2:0'
      return fromPixels(pixels).jpeg({ quality, chromaSubsampling }).toBuffer()
    },
  }
}
