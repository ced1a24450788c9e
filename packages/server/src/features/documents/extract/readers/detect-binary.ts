// Detects PDFs and other binary content by their magic numbers.

/** Viewers accept other bytes before the header. */
const PDF_HEADER_BYTES = 1024

export function isPdf(bytes: Uint8Array): boolean {
  return Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.length, PDF_HEADER_BYTES)).includes('%PDF-')
}

export interface BinaryType {
  readonly name: string
  readonly isImage: boolean
}

const IMAGE_SIGNATURES: readonly [string, string][] = [
  ['89504e470d0a1a0a', 'a PNG image'],
  ['ffd8ff', 'a JPEG image'],
  ['474946383761', 'a GIF image'],
  ['474946383961', 'a GIF image'],
  ['424d', 'a BMP image'],
  ['00000100', 'an icon'],
  ['49492a00', 'a TIFF image'],
  ['4d4d002a', 'a TIFF image'],
  ['38425053', 'a Photoshop image'],
]

const OTHER_SIGNATURES: readonly [string, string][] = [
  ['504b0304', 'a ZIP archive'],
  ['504b0506', 'a ZIP archive'],
  ['1f8b', 'gzip-compressed data'],
  ['377abcaf271c', 'a 7z archive'],
  ['526172211a07', 'a RAR archive'],
  ['fd377a585a00', 'xz-compressed data'],
  ['425a68', 'bzip2-compressed data'],
  ['28b52ffd', 'zstd-compressed data'],
  ['494433', 'an MP3 recording'],
  ['fffb', 'an MP3 recording'],
  ['4f676753', 'an Ogg recording'],
  ['664c6143', 'a FLAC recording'],
  ['1a45dfa3', 'a WebM or Matroska video'],
  ['0061736d', 'a WebAssembly module'],
  ['7f454c46', 'a program'],
  ['cffaedfe', 'a program'],
  ['cafebabe', 'a program'],
  ['4d5a', 'a program for Windows'],
  ['53514c69746520666f726d6174203300', 'an SQLite database'],
  ['774f4646', 'a font'],
  ['774f4632', 'a font'],
  ['0001000000', 'a font'],
  ['4f54544f', 'a font'],
  ['d0cf11e0a1b11ae1', 'an old Office document'],
]

const SCAN_BYTES = 4096

/** Undefined if the content seems to be text. */
export function detectBinary(bytes: Uint8Array): BinaryType | undefined {
  const start = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.length, 64))
  const hex = start.toString('hex')
  const image = IMAGE_SIGNATURES.find(([magic]) => hex.startsWith(magic))?.[1] ?? detectContainerImage(start)
  if (image !== undefined && isConfirmed(bytes, hex)) return { name: image, isImage: true }
  if (hex.startsWith('504b0304')) return { name: detectZipDocument(bytes), isImage: false }
  const other = OTHER_SIGNATURES.find(([magic]) => hex.startsWith(magic))?.[1] ?? detectContainerMedia(start)
  if (other !== undefined && isConfirmed(bytes, hex)) return { name: other, isImage: false }
  return hasNul(bytes) ? { name: 'binary data', isImage: false } : undefined
}

/** Signatures that are also plain letters need a NUL byte as confirmation. */
function isConfirmed(bytes: Uint8Array, hex: string): boolean {
  return !/^(?:424d|4d5a|425a68|494433)/.test(hex) || hasNul(bytes)
}

function hasNul(bytes: Uint8Array): boolean {
  const isUtf16 = (bytes[0] === 0xff && bytes[1] === 0xfe) || (bytes[0] === 0xfe && bytes[1] === 0xff)
  return !isUtf16 && bytes.subarray(0, SCAN_BYTES).includes(0)
}

function detectContainerImage(start: Buffer): string | undefined {
  const text = start.toString('latin1')
  if (text.startsWith('RIFF') && text.slice(8, 12) === 'WEBP') return 'a WebP image'
  if (text.slice(4, 8) !== 'ftyp') return undefined
  if (/^avi[fs]/.test(text.slice(8))) return 'an AVIF image'
  return /^(?:heic|heix|hevc|mif1|msf1)/.test(text.slice(8)) ? 'a HEIC image' : undefined
}

function detectContainerMedia(start: Buffer): string | undefined {
  const text = start.toString('latin1')
  if (text.startsWith('RIFF')) return text.slice(8, 12) === 'WAVE' ? 'a WAV recording' : 'a video'
  return text.slice(4, 8) === 'ftyp' ? 'an MP4 video or recording' : undefined
}

function detectZipDocument(bytes: Uint8Array): string {
  const names = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.length, SCAN_BYTES)).toString('latin1')
  if (names.includes('word/')) return 'a Word document'
  if (names.includes('xl/')) return 'an Excel workbook'
  if (names.includes('ppt/')) return 'a PowerPoint presentation'
  if (names.includes('application/epub+zip')) return 'an EPUB book'
  return 'a ZIP archive'
}
