// Reads image headers without an image library: size, presence of the end, number of frames and EXIF orientation, for PNG,
// JPEG, GIF and WebP. Used by the worker's decoder for Bun.Image and by missing-decoder. Pure: the bytes are given.

import type { Size } from './geometry.js'
import type { ImageFormat } from './image-format.js'

/** Returns undefined if the header is invalid. */
export function readImageSize(bytes: Buffer, format: ImageFormat): Size | undefined {
  const size = readSize(bytes, format)
  return size !== undefined && size.width > 0 && size.height > 0 ? size : undefined
}

export function hasImageEnd(bytes: Buffer, format: ImageFormat): boolean {
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

/** Counts the frames of an animated image from the file structure. Returns 1 for a still or broken image. */
export function countFrames(bytes: Buffer, format: ImageFormat): number {
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

const ORIENTATION_TAG = 0x0112
const ENTRY_BYTES = 12

/** Reads the EXIF orientation (1 to 8; 1 is upright) of JPEG, PNG and WebP files. */
export function readExifOrientation(bytes: Buffer, format: ImageFormat): number {
  const exif = findExif(bytes, format)
  const orientation = exif === undefined ? 1 : readOrientation(exif)
  return orientation >= 1 && orientation <= 8 ? orientation : 1
}

function findExif(bytes: Buffer, format: ImageFormat): Buffer | undefined {
  if (format === 'JPEG') return findExifInJpeg(bytes)
  if (format === 'PNG') return findExifInChunks(bytes, { from: 8, name: 'eXIf', isBigEndian: true, isNameFirst: false })
  if (format === 'WebP')
    return findExifInChunks(bytes, { from: 12, name: 'EXIF', isBigEndian: false, isNameFirst: true })
  return undefined
}

/** Walks the segments up to the image data. */
function findExifInJpeg(bytes: Buffer): Buffer | undefined {
  for (let at = 2; at + 4 <= bytes.length && bytes[at] === 0xff;) {
    const marker = bytes[at + 1] ?? 0
    if (marker === 0xda) return undefined
    if (marker === 0xff || marker === 0x01 || (marker >= 0xd0 && marker <= 0xd8)) {
      at += marker === 0xff ? 1 : 2
      continue
    }
    const end = at + 2 + Math.max(2, bytes.readUInt16BE(at + 2))
    const segment = bytes.subarray(at + 4, end)
    if (marker === 0xe1 && segment.toString('latin1', 0, 4) === 'Exif') return segment.subarray(6)
    at = end
  }
  return undefined
}

interface ChunkFormat {
  readonly from: number
  readonly name: string
  readonly isBigEndian: boolean
  /** Otherwise the length comes first, and a checksum follows the content. */
  readonly isNameFirst: boolean
}

function findExifInChunks(bytes: Buffer, { from, name, isBigEndian, isNameFirst }: ChunkFormat): Buffer | undefined {
  for (let at = from; at + 8 <= bytes.length;) {
    const lengthAt = isNameFirst ? at + 4 : at
    const length = isBigEndian ? bytes.readUInt32BE(lengthAt) : bytes.readUInt32LE(lengthAt)
    const nameAt = isNameFirst ? at : at + 4
    const content = bytes.subarray(at + 8, at + 8 + length)
    if (bytes.toString('latin1', nameAt, nameAt + 4) === name)
      return content.toString('latin1', 0, 4) === 'Exif' ? content.subarray(6) : content
    at += 8 + length + (isNameFirst ? length % 2 : 4)
  }
  return undefined
}

/** Reads the first TIFF directory. */
function readOrientation(exif: Buffer): number {
  const order = exif.toString('latin1', 0, 2)
  if (exif.length < 10 || (order !== 'II' && order !== 'MM')) return 1
  const readShort = (at: number): number => (order === 'II' ? exif.readUInt16LE(at) : exif.readUInt16BE(at))
  const directory = order === 'II' ? exif.readUInt32LE(4) : exif.readUInt32BE(4)
  if (directory + 2 > exif.length) return 1
  for (let entry = 0; entry < readShort(directory); entry++) {
    const at = directory + 2 + entry * ENTRY_BYTES
    if (at + ENTRY_BYTES > exif.length) return 1
    if (readShort(at) === ORIENTATION_TAG) return readShort(at + 8)
  }
  return 1
}
