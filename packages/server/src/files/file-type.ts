// Detects and names the type of a file by its magic number, for documents (extractor, extract-content), images
// (image-format) and binary command output (binary-detector). Pure.

interface MagicNumber {
  readonly name: string
  readonly bytes: Buffer
  readonly at: number
}

// Where one number is a prefix of another, the longer one comes first.
const MAGIC_NUMBERS: readonly MagicNumber[] = [
  magicNumber('PNG image', '\x89PNG\r\n\x1a\n'),
  magicNumber('JPEG image', '\xff\xd8\xff'),
  magicNumber('GIF image', 'GIF8'),
  magicNumber('WebP image', 'WEBP', 8),
  magicNumber('AVIF image', 'ftypavi', 4),
  magicNumber('HEIC image', 'ftyphe', 4),
  magicNumber('HEIC image', 'ftypmif1', 4),
  magicNumber('HEIC image', 'ftypmsf1', 4),
  magicNumber('TIFF image', 'II*\0'),
  magicNumber('TIFF image', 'MM\0*'),
  magicNumber('icon', '\0\0\x01\0'),
  magicNumber('PDF document', '%PDF-'),
  magicNumber('ZIP archive', 'PK\x03\x04'),
  magicNumber('ZIP archive', 'PK\x05\x06'),
  magicNumber('gzip data', '\x1f\x8b'),
  magicNumber('xz data', '\xfd7zXZ\0'),
  magicNumber('zstd data', '\x28\xb5\x2f\xfd'),
  magicNumber('bzip2 data', 'BZh'),
  magicNumber('LZ4 data', '\x04\x22\x4d\x18'),
  magicNumber('7-Zip archive', '7z\xbc\xaf\x27\x1c'),
  magicNumber('RAR archive', 'Rar!\x1a\x07'),
  magicNumber('tar archive', 'ustar', 257),
  magicNumber('ar archive', '!<arch>\n'),
  magicNumber('ELF program', '\x7fELF'),
  magicNumber('Mach-O program', '\xcf\xfa\xed\xfe'),
  magicNumber('Mach-O program', '\xce\xfa\xed\xfe'),
  magicNumber('Mach-O program or Java class', '\xca\xfe\xba\xbe'),
  magicNumber('Windows program', 'MZ\x90\0'),
  magicNumber('WebAssembly module', '\0asm'),
  magicNumber('SQLite database', 'SQLite format 3\0'),
  magicNumber('Git pack', 'PACK\0'),
  magicNumber('Parquet data', 'PAR1'),
  magicNumber('MP4 video', 'ftyp', 4),
  magicNumber('Matroska video', '\x1a\x45\xdf\xa3'),
  magicNumber('Ogg data', 'OggS'),
  magicNumber('FLAC audio', 'fLaC'),
  magicNumber('WAV audio', 'WAVE', 8),
  magicNumber('AVI video', 'AVI ', 8),
  magicNumber('MP3 audio', 'ID3'),
  magicNumber('MP3 audio', '\xff\xfb'),
  magicNumber('MP3 audio', '\xff\xf3'),
  magicNumber('WOFF2 font', 'wOF2'),
  magicNumber('WOFF font', 'wOFF'),
  magicNumber('TrueType font', '\0\x01\0\0\0'),
  magicNumber('OpenType font', 'OTTO'),
]

/** Numbers that may also begin a text, and formats that are rare. */
const WEAK_MAGIC_NUMBERS: readonly MagicNumber[] = [
  magicNumber('Photoshop document', '8BPS'),
  magicNumber('JPEG XL image', '\0\0\0\x0cJXL '),
  magicNumber('JPEG XL image', '\xff\x0a'),
  magicNumber('JPEG 2000 image', '\0\0\0\x0cjP  '),
  magicNumber('JPEG 2000 image', '\xff\x4f\xff\x51'),
  magicNumber('BMP image', 'BM'),
  magicNumber('QOI image', 'qoif'),
  magicNumber('RTF document', '{\\rtf'),
  magicNumber('PostScript document', '%!PS'),
  magicNumber('Office document', '\xd0\xcf\x11\xe0'),
]

export function detectFileType(bytes: Buffer): string | undefined {
  return findMagicNumber(MAGIC_NUMBERS, bytes)
}

/** The type with its article, also of formats with a weak magic number. */
export function describeFileType(bytes: Buffer): string | undefined {
  const name = detectFileType(bytes) ?? findMagicNumber(WEAK_MAGIC_NUMBERS, bytes)
  if (name === undefined || / data$| audio$/.test(name)) return name
  return `${/^(?:[aeio]|RTF|MP)/i.test(name) ? 'an' : 'a'} ${name}`
}

function findMagicNumber(numbers: readonly MagicNumber[], bytes: Buffer): string | undefined {
  return numbers.find(({ bytes: expected, at }) => bytes.subarray(at, at + expected.length).equals(expected))?.name
}

function magicNumber(name: string, text: string, at = 0): MagicNumber {
  return { name, bytes: Buffer.from(text, 'latin1'), at }
}

/** Viewers accept other bytes before the header. */
const PDF_HEADER_BYTES = 1024

export function isPdf(bytes: Uint8Array): boolean {
  return Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.length, PDF_HEADER_BYTES)).includes('%PDF-')
}
