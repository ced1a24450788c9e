import { expect, test } from 'vitest'

import { detectBinary } from './extract-content.js'

const start = (hex: string, after = '\0\0\0\0') =>
  Uint8Array.from(Buffer.concat([Buffer.from(hex, 'hex'), Buffer.from(after)]))

test.each([
  ['89504e470d0a1a0a', 'a PNG image', true],
  ['ffd8ffe0', 'a JPEG image', true],
  ['474946383961', 'a GIF image', true],
  [Buffer.from('RIFF0000WEBPVP8 ').toString('hex'), 'a WebP image', true],
  [Buffer.from('0000ftypavif').toString('hex'), 'an AVIF image', true],
  [Buffer.from('0000ftypheic').toString('hex'), 'a HEIC image', true],
  ['504b0304', 'a ZIP archive', false],
  ['1f8b08', 'gzip data', false],
  ['7f454c46', 'an ELF program', false],
  ['774f4632', 'a WOFF2 font', false],
  ['424d', 'a BMP image', true],
  ['d0cf11e0a1b11ae1', 'an Office document', false],
  [Buffer.from('0000ftypisom').toString('hex'), 'an MP4 video', false],
  ['0102030405', 'binary data', false],
])('%s is %s', (hex, name, isImage) => {
  expect(detectBinary(start(hex))).toEqual({ name, isImage })
})

test('detects an office document by its entries', () => {
  expect(detectBinary(start('504b0304', 'PK word/document.xml'))?.name).toBe('a Word document')
})

test.each(['BM is a bank', 'MZ is a country code', 'ID3 tags', 'plain words', '{"json": true}', '<!doctype html>', ''])(
  'is not binary: %s',
  (text) => {
    expect(detectBinary(new TextEncoder().encode(text))).toBeUndefined()
  },
)

test('UTF-16 text is not binary', () => {
  expect(detectBinary(Uint8Array.from([0xff, 0xfe, 0x68, 0, 0x69, 0]))).toBeUndefined()
})
