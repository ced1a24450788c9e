// What kind of file bytes are the beginning of, told by their magic numbers.

interface Magic {
  readonly name: string
  readonly bytes: Buffer
  readonly at: number
}

// The order matters where one begins as another does: the more particular comes first.
const MAGICS: readonly Magic[] = [
  magic('PNG image', '\x89PNG\r\n\x1a\n'),
  magic('JPEG image', '\xff\xd8\xff'),
  magic('GIF image', 'GIF8'),
  magic('WebP image', 'WEBP', 8),
  magic('AVIF image', 'ftypavif', 4),
  magic('HEIC image', 'ftyphei', 4),
  magic('TIFF image', 'II*\0'),
  magic('TIFF image', 'MM\0*'),
  magic('icon', '\0\0\x01\0'),
  magic('PDF document', '%PDF-'),
  magic('ZIP archive', 'PK\x03\x04'),
  magic('ZIP archive', 'PK\x05\x06'),
  magic('gzip data', '\x1f\x8b'),
  magic('xz data', '\xfd7zXZ\0'),
  magic('zstd data', '\x28\xb5\x2f\xfd'),
  magic('bzip2 data', 'BZh'),
  magic('LZ4 data', '\x04\x22\x4d\x18'),
  magic('7-Zip archive', '7z\xbc\xaf\x27\x1c'),
  magic('RAR archive', 'Rar!\x1a\x07'),
  magic('tar archive', 'ustar', 257),
  magic('ar archive', '!<arch>\n'),
  magic('ELF program', '\x7fELF'),
  magic('Mach-O program', '\xcf\xfa\xed\xfe'),
  magic('Mach-O program', '\xce\xfa\xed\xfe'),
  magic('Mach-O program or Java class', '\xca\xfe\xba\xbe'),
  magic('Windows program', 'MZ\x90\0'),
  magic('WebAssembly module', '\0asm'),
  magic('SQLite database', 'SQLite format 3\0'),
  magic('Git pack', 'PACK\0'),
  magic('Parquet data', 'PAR1'),
  magic('MP4 video', 'ftyp', 4),
  magic('Matroska video', '\x1a\x45\xdf\xa3'),
  magic('Ogg data', 'OggS'),
  magic('FLAC audio', 'fLaC'),
  magic('WAV audio', 'WAVE', 8),
  magic('AVI video', 'AVI ', 8),
  magic('MP3 audio', 'ID3'),
  magic('MP3 audio', '\xff\xfb'),
  magic('MP3 audio', '\xff\xf3'),
  magic('WOFF2 font', 'wOF2'),
  magic('WOFF font', 'wOFF'),
  magic('TrueType font', '\0\x01\0\0\0'),
  magic('OpenType font', 'OTTO'),
]

export function formatOf(bytes: Buffer): string | undefined {
  return MAGICS.find(({ bytes: wanted, at }) => bytes.subarray(at, at + wanted.length).equals(wanted))?.name
}

function magic(name: string, text: string, at = 0): Magic {
  return { name, bytes: Buffer.from(text, 'latin1'), at }
}
