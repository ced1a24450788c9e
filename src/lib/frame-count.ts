// Counts the frames of an animated image from the file structure.

import type { ImageFormat } from './image-format.js'

/** Returns 1 for a still or broken image. */
export function frameCountOf(bytes: Buffer, format: ImageFormat): number {
  if (format === 'GIF') return Math.max(1, countGifFrames(bytes))
  if (format === 'WebP') return Math.max(1, countWebPFrames(bytes))
  return 1
}

function countGifFrames(bytes: Buffer): number {
  let frames = 0
  for (let at = 13 + colourTableBytes(bytes[10]); at < bytes.length;) {
    const block = bytes[at]
    if (block === 0x21) at = skipBlocks(bytes, at + 2)
    else if (block === 0x2c) {
      frames++
      at = skipBlocks(bytes, at + 11 + colourTableBytes(bytes[at + 9]))
    } else return frames
  }
  return frames
}

/** The size of a colour table, from its flags. */
function colourTableBytes(flags = 0): number {
  return (flags & 0x80) === 0 ? 0 : 3 << ((flags & 7) + 1)
}

function skipBlocks(bytes: Buffer, from: number): number {
  let at = from
  for (let length = bytes[at] ?? 0; length > 0; length = bytes[at] ?? 0) at += length + 1
  return at + 1
}

function countWebPFrames(bytes: Buffer): number {
  let frames = 0
  for (let at = 12; at + 8 <= bytes.length;) {
    if (bytes.toString('latin1', at, at + 4) === 'ANMF') frames++
    const length = bytes.readUInt32LE(at + 4)
    at += 8 + length + (length % 2)
  }
  return frames
}
