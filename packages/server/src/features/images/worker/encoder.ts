// Interface of image encoders.

import type { Sharp } from 'sharp'

import { fullRectangle, type Size } from '../geometry.js'
import { decodePngRegion, encodePng, type Pixels } from '../uncompressed-png.js'
import { findBunImage, type OpenBunImage, toBuffer } from './bun-image.js'
import { MissingPackageError } from './optional-package.js'
import { loadSharp } from './sharp.js'

export interface Encoder {
  resize(pixels: Pixels, size: Size): Promise<Pixels>
  encodePng(pixels: Pixels): Promise<Buffer>
  /** Graphics are encoded without chroma subsampling if the encoder supports that. */
  encodeJpeg(pixels: Pixels, quality: number, isGraphic: boolean): Promise<Buffer>
}

// Encoder that uses sharp.

async function createSharpEncoder(): Promise<Encoder> {
  const openSharp = await loadSharp()
  const fromPixels = ({ data, width, height, channels }: Pixels): Sharp =>
    openSharp(data, { raw: { width, height, channels } })
  return {
    async resize(pixels, size) {
      const resized = fromPixels(pixels).resize({ ...size, fit: 'fill' })
      return { ...size, data: await resized.raw().toBuffer(), channels: pixels.channels }
    },
    encodePng: (pixels) => fromPixels(pixels).png({ compressionLevel: 6 }).toBuffer(),
    encodeJpeg(pixels, quality, isGraphic) {
      const chromaSubsampling = isGraphic ? '4:4:4' : '4:2:0'
      return fromPixels(pixels).jpeg({ quality, chromaSubsampling }).toBuffer()
    },
  }
}

// Encoder that uses Bun.Image.

const UNCOMPRESSED = { compressionLevel: 0 }

export function createBunEncoder(open: OpenBunImage): Encoder {
  return {
    async resize(pixels, size) {
      const { width, height } = size
      const png = await toBuffer(open(encodePng(pixels)).resize(width, height, { fit: 'fill' }).png(UNCOMPRESSED))
      return { ...size, data: await decodePngRegion(png, fullRectangle(size)), channels: 4 }
    },
    encodePng: (pixels) => toBuffer(open(encodePng(pixels)).png({ compressionLevel: 6 })),
    encodeJpeg: (pixels, quality) => toBuffer(open(encodePng(pixels)).jpeg({ quality })),
  }
}

// Chooses the encoder: sharp, otherwise Bun.Image.

export async function openEncoder(): Promise<Encoder> {
  try {
    return await createSharpEncoder()
  } catch (error) {
    const open = error instanceof MissingPackageError ? findBunImage() : undefined
    if (open === undefined) throw error
    return createBunEncoder(open)
  }
}
