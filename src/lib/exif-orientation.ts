// Reads the EXIF orientation (1 to 8; 1 is upright) of JPEG, PNG and WebP files.

import type { ImageFormat } from './image-format.js'

const ORIENTATION_TAG = 0x0112
const ENTRY_BYTES = 12

export function exifOrientationOf(bytes: Buffer, format: ImageFormat): number {
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
