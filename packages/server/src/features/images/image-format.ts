// Detects the image format of a file by its content, and describes files that are not images. File names are not trusted.
// Used by image-reader and the image worker. Pure: the first bytes are given.

import { describeFileType, detectFileType } from '../../files/file-type.js'

export type ImageFormat = 'PNG' | 'JPEG' | 'GIF' | 'WebP' | 'AVIF' | 'HEIC' | 'TIFF' | 'SVG' | 'SVGZ' | 'PDF'

/** Number of bytes needed for detection. */
export const DETECTION_BYTES = 4096

const FORMAT_BY_TYPE = new Map<string | undefined, ImageFormat>([
  ['PNG image', 'PNG'],
  ['JPEG image', 'JPEG'],
  ['GIF image', 'GIF'],
  ['WebP image', 'WebP'],
  ['TIFF image', 'TIFF'],
  ['PDF document', 'PDF'],
  ['gzip data', 'SVGZ'],
])

/** gzip data counts as SVGZ until it is unpacked. */
export function detectImageFormat(head: Buffer): ImageFormat | undefined {
  const format = FORMAT_BY_TYPE.get(detectFileType(head)) ?? detectIsoFormat(head)
  if (format !== undefined) return format
  if (isBigTiff(head)) return 'TIFF'
  return isSvg(head) ? 'SVG' : undefined
}

/** A phrase that follows "is". It contains nothing of the file's content. */
export function describeFileContent(head: Buffer): string {
  if (head.length === 0) return 'empty'
  const type = describeFileType(head)
  if (type !== undefined) return type
  const text = asText(head)
  if (text === undefined) return 'binary data of an unknown kind'
  if (/^<(!doctype html|html|head|body)\b/i.test(text)) return 'an HTML page'
  if (/^<\?xml|^<[a-z]/i.test(text)) return 'an XML document'
  if (text.startsWith('#!')) return 'a script'
  return 'text'
}

const AVIF_BRANDS = new Set(['avif', 'avis'])
const HEIC_BRANDS = new Set(['heic', 'heix', 'hevc', 'hevx', 'heim', 'heis', 'mif1', 'msf1'])

/**
 * Reads the brands of an ISO media file, the major one first. A file with both kinds counts as AVIF, which more
 * programs read.
 */
function detectIsoFormat(head: Buffer): 'AVIF' | 'HEIC' | undefined {
  if (head.toString('latin1', 4, 8) !== 'ftyp') return undefined
  const end = Math.min(head.readUInt32BE(0), head.length, 256)
  const brands = [8, ...Array.from({ length: 60 }, (_, index) => 16 + 4 * index)]
    .filter((at) => at + 4 <= end)
    .map((at) => head.toString('latin1', at, at + 4))
  if (brands.some((brand) => AVIF_BRANDS.has(brand))) return 'AVIF'
  return brands.some((brand) => HEIC_BRANDS.has(brand)) ? 'HEIC' : undefined
}

function isBigTiff(head: Buffer): boolean {
  return ['II+\0', 'MM\0+'].includes(head.toString('latin1', 0, 4))
}

/** Whether the first element is svg, after optional XML prolog, comments and doctype. */
function isSvg(head: Buffer): boolean {
  const text = asText(head)
  if (text === undefined) return false
  const rest = text.replace(/^(?:\s+|<\?[^]*?\?>|<!--[^]*?-->|<!DOCTYPE\s+svg[^[>]*(?:\[[^\]]*\][^[>]*)*>)+/i, '')
  return /^<(?:[\w-]+:)?svg[\s>/]/.test(rest)
}

/** Returns undefined if the bytes are not text. */
function asText(head: Buffer): string | undefined {
  const text = head.toString('utf8').replace(/^\uFEFF/, '')
  // The last character may be truncated.
  const isDamaged = text.slice(0, -4).includes('\uFFFD')
  // oxlint-disable-next-line no-control-regex -- these are what tells text from data
  return isDamaged || /[\0-\x08\x0e-\x1a\x1c-\x1f]/.test(text) ? undefined : text.trimStart()
}
