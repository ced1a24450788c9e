import fc from 'fast-check'
import sharp from 'sharp'
import { expect, test } from 'vitest'

import { detectImageFormat } from './image-format.js'
import { hasImageEnd, readImageSize } from './image-header.js'

const plain = (width: number, height: number) => sharp({ create: { width, height, channels: 4, background: '#abc8' } })

const MADE = {
  png: () => plain(37, 21).png(),
  jpeg: () => plain(37, 21).jpeg(),
  progressive: () => plain(37, 21).jpeg({ progressive: true }),
  exif: () =>
    plain(37, 21)
      .withExif({ IFD0: { Copyright: 'x'.repeat(5000) } })
      .jpeg(),
  gif: () => plain(37, 21).gif(),
  webp: () => plain(37, 21).flatten().webp(),
  lossless: () => plain(37, 21).flatten().webp({ lossless: true }),
  extended: () => plain(37, 21).webp(),
}

test.each(Object.entries(MADE))('%s: reads the size and finds the end', async (_, make) => {
  const bytes = await make().toBuffer()
  const format = detectImageFormat(bytes)!
  expect(readImageSize(bytes, format)).toEqual({ width: 37, height: 21 })
  expect(hasImageEnd(bytes, format)).toBe(true)
  expect(hasImageEnd(bytes.subarray(0, bytes.length >> 1), format)).toBe(false)
})

test('never throws, whatever the bytes', () => {
  fc.assert(
    fc.property(
      fc.uint8Array({ maxLength: 400 }),
      fc.constantFrom('PNG', 'JPEG', 'GIF', 'WebP', 'TIFF'),
      (bytes, format) => {
        const size = readImageSize(Buffer.from(bytes), format)
        if (size) expect(Math.min(size.width, size.height)).toBeGreaterThan(0)
        hasImageEnd(Buffer.from(bytes), format)
      },
    ),
  )
})
