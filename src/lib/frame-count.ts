// How many pictures an animation has, by its structure alone.

import type { ImageFormat } from './image-format.js'

/** 1 for what is no animation, or a broken one. */
export function frameCountOf(bytes: Buffer, format: ImageFormat): number {
  if (format === 'GIF') return Math.max(1, inGif(bytes))
  if (format === 'WebP') return Math.max(1, inWebP(bytes))
  return 1
}

function inGif(bytes: Buffer): number {
  let frames = 0
  for (let at = 13 + colours(bytes[10]); at < bytes.length;) {
    const block = bytes[at]
    if (block === 0x21) at = behindBlocks(bytes, at + 2)
    else if (block === 0x2c) {
      frames++
      at = behindBlocks(bytes, at + 11 + colours(bytes[at + 9]))
    } else return frames
  }
  return frames
}

/** The bytes of a table of colours, as its flags tell. */
function colours(flags = 0): number {
  return (flags & 0x80) === 0 ? 0 : 3 << ((flags & 7) + 1)
}

function behindBlocks(bytes: Buffer, from: number): number {
  let at = from
  for (let length = bytes[at] ?? 0; length > 0; length = bytes[at] ?? 0) at += length + 1
  return at + 1
}

function inWebP(bytes: Buffer): number {
  let frames = 0
  for (let at = 12; at + 8 <= bytes.length;) {
    if (bytes.toString('latin1', at, at + 4) === 'ANMF') frames++
    const length = bytes.readUInt32LE(at + 4)
    at += 8 + length + (length % 2)
  }
  return frames
}
