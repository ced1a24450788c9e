import fc from 'fast-check'
import { expect, test } from 'vitest'

import { startCpuClock } from '../../../../../test/support/load.js'
import { describeFileContent, detectImageFormat } from './image-format.js'

const bytes = (text: string): Buffer => Buffer.from(text, 'latin1')

test.each([
  ['\x89PNG\r\n\x1a\n', 'PNG'],
  ['\xff\xd8\xff\xe0', 'JPEG'],
  ['GIF87a', 'GIF'],
  ['RIFF\0\0\0\0WEBPVP8 ', 'WebP'],
  ['\0\0\0\x1cftypavif\0\0\0\0mif1avif', 'AVIF'],
  ['\0\0\0\x1cftypmif1\0\0\0\0mif1avif', 'AVIF'],
  ['\0\0\0\x18ftypheic\0\0\0\0mif1', 'HEIC'],
  ['\0\0\0\x18ftypmif1\0\0\0\0heic', 'HEIC'],
  ['\0\0\0\x18ftypmsf1\0\0\0\0hevc', 'HEIC'],
  ['II*\0', 'TIFF'],
  ['MM\0*', 'TIFF'],
  ['II+\0', 'TIFF'],
  ['%PDF-1.7', 'PDF'],
  ['\x1f\x8b\x08', 'SVGZ'],
  ['<svg>', 'SVG'],
  ['<svg:svg xmlns:svg="x">', 'SVG'],
  [
    '\xef\xbb\xbf \n<?xml version="1.0"?>\n<!-- <html> -->\n<!DOCTYPE svg PUBLIC "a" "b" [ <!ENTITY x "y"> ]>\n<svg ',
    'SVG',
  ],
])('%j is %s', (head, format) => {
  expect(detectImageFormat(bytes(head))).toBe(format)
})

test.each([
  ['', 'empty'],
  ['hello', 'text'],
  ['svg', 'text'],
  ['<svgx>', 'an XML document'],
  ['<p><svg></svg></p>', 'an XML document'],
  ['<!DOCTYPE html><svg>', 'an HTML page'],
  ['#!/bin/sh', 'a script'],
  ['\0\0\0\x20ftypisom\0\0\0\0isom', 'an MP4 video'],
  ['RIFF\0\0\0\0WAVE', 'WAV audio'],
  ['\x7fELF', 'an ELF program'],
  ['PK\x03\x04', 'a ZIP archive'],
  ['BM', 'a BMP image'],
  ['8BPS', 'a Photoshop document'],
  ['\x01\x02\x03', 'binary data of an unknown kind'],
])('%j is not an image but %s', (head, nature) => {
  expect(detectImageFormat(bytes(head))).toBeUndefined()
  expect(describeFileContent(bytes(head))).toBe(nature)
})

test('describes any bytes quickly, without quoting them', () => {
  const anything = fc.oneof(
    fc.uint8Array({ maxLength: 300 }),
    fc.string({ maxLength: 300 }).map((text) => Buffer.from(`<!--${text}`)),
  )
  fc.assert(
    fc.property(anything, (head) => {
      expect(describeFileContent(Buffer.from(head))).toMatch(
        /^(empty|text|binary data of an unknown kind|[\w\d ,-]{3,40})$/,
      )
      expect(() => detectImageFormat(Buffer.from(head))).not.toThrow()
    }),
  )
})

test.each(['<!--', '<?', '<!DOCTYPE svg ', '<!DOCTYPE svg [', ' '])(
  'detects the type of repeated %j quickly',
  (piece) => {
    const cpuMs = startCpuClock()
    detectImageFormat(bytes(piece.repeat(4096).slice(0, 4096)))
    expect(cpuMs()).toBeLessThan(2000)
  },
)
