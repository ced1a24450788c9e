import { expect, test } from 'vitest'

import { detectFileType } from './file-type.js'

test.each([
  ['\x89PNG\r\n\x1a\n\0\0\0\rIHDR', 'PNG image'],
  ['\xff\xd8\xff\xe0\0\x10JFIF', 'JPEG image'],
  ['GIF89a', 'GIF image'],
  ['RIFF\x24\0\0\0WEBPVP8 ', 'WebP image'],
  ['RIFF\x24\0\0\0WAVEfmt ', 'WAV audio'],
  ['\0\0\0\x20ftypisom', 'MP4 video'],
  ['\0\0\0\x20ftypavif', 'AVIF image'],
  ['%PDF-1.7', 'PDF document'],
  ['PK\x03\x04', 'ZIP archive'],
  ['\x1f\x8b\x08', 'gzip data'],
  ['\x7fELF\x02', 'ELF program'],
  ['\0asm\x01\0\0\0', 'WebAssembly module'],
  ['SQLite format 3\0', 'SQLite database'],
  [`${'a.txt'.padEnd(257, '\0')}ustar`, 'tar archive'],
  ['hello', undefined],
  ['', undefined],
])('%j is %s', (text, name) => {
  expect(detectFileType(Buffer.from(text, 'latin1'))).toBe(name)
})
