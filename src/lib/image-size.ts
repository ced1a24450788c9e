// Reads image headers: the size and whether the end of the file is present, for PNG, JPEG, GIF and WebP.

import type { ImageFormat } from './image-format.js'
import type { Size } from './rectangle.js'

/** Returns undefined if the header is invalid. */
export function imageSizeOf(bytes: Buffer, format: ImageFormat): Size | undefined {
  const size = readSize(bytes, format)
  return size !== undefined && size.width > 0 && size.height > 0 ? size : undefined
}

export function isComplete(bytes: Buffer, format: ImageFormat): boolean {
  if (format === 'PNG') return bytes.subarray(-32).includes('IEND')
  // Some programs append data to JPEG files.
  if (format === 'JPEG') return bytes.lastIndexOf('\xff\xd9', undefined, 'latin1') > bytes.length / 2
  if (format === 'GIF') return bytes.subarray(-16).includes(0x3b)
  if (format === 'WebP') return bytes.length >= 8 && bytes.readUInt32LE(4) + 8 <= bytes.length + 1
  return false
}

function readSize(bytes: Buffer, format: ImageFormat): Size | undefined {
  if (bytes.length < 30) return undefined
  if (format === 'PNG') return { width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20) }
  if (format === 'GIF') return { width: bytes.readUInt16LE(6), height: bytes.readUInt16LE(8) }
  if (format === 'WebP') return readWebP(bytes)
  return format === 'JPEG' ? readJpeg(bytes) : undefined
}

function readWebP(bytes: Buffer): Size | undefined {
  const chunkType = bytes.toString('latin1', 12, 16)
  if (chunkType === 'VP8X') return { width: bytes.readUIntLE(24, 3) + 1, height: bytes.readUIntLE(27, 3) + 1 }
  if (chunkType === 'VP8 ') return { width: bytes.readUInt16LE(26) & 0x3fff, height: bytes.readUInt16LE(28) & 0x3fff }
  if (chunkType !== 'VP8L') return undefined
  const bits = bytes.readUInt32LE(21)
  return { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 }
}

/** Walks the segments up to the start of a frame. */
function readJpeg(bytes: Buffer): Size | undefined {
  for (let at = 2; at + 9 < bytes.length;) {
    if (bytes[at] !== 0xff) return undefined
    const marker = bytes[at + 1] ?? 0
    if (marker === 0xff) at += 1
    else if (isFrameMarker(marker)) return { width: bytes.readUInt16BE(at + 7), height: bytes.readUInt16BE(at + 5) }
    else if (marker === 0x01 || (marker >= 0xd0 && marker <= 0xd8)) at += 2
    else at += 2 + Math.max(2, bytes.readUInt16BE(at + 2))
  }
  return undefined
}

function isFrameMarker(marker: number): boolean {
  return marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc
}
