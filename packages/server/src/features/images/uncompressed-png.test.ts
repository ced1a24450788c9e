import { deflateSync } from 'node:zlib'

import fc from 'fast-check'
import sharp from 'sharp'
import { expect, test } from 'vitest'

import { fullRectangle } from './geometry.js'
import { decodePngRegion, encodePng, type Pixels } from './uncompressed-png.js'

const pictures = fc
  .record({ width: fc.integer({ min: 1, max: 40 }), height: fc.integer({ min: 1, max: 40 }), seed: fc.nat(1e6) })
  .map(({ width, height, seed }): Pixels => {
    const data = Buffer.alloc(width * height * 4)
    for (let at = 0, value = seed; at < data.length; at++) {
      value = (value * 1_103_515_245 + 12_345) % 2_147_483_648
      data[at] = value >> 16
    }
    return { width, height, channels: 4, data }
  })

test('decodes what it encoded', async () => {
  await fc.assert(
    fc.asyncProperty(pictures, async (pixels) => {
      expect((await decodePngRegion(encodePng(pixels), fullRectangle(pixels))).equals(pixels.data)).toBe(true)
    }),
    { numRuns: 50 },
  )
})

test('other libraries decode the same pixels, with three and four channels', async () => {
  for (const channels of [3, 4] as const) {
    const pixels: Pixels = { width: 5, height: 3, channels, data: Buffer.from([...Array(15 * channels).keys()]) }
    const { data, info } = await sharp(encodePng(pixels)).raw().toBuffer({ resolveWithObject: true })
    expect(info).toMatchObject({ width: 5, height: 3, channels })
    expect(data.equals(pixels.data)).toBe(true)
  }
})

test('decodes a region, whatever filters another encoder used', async () => {
  await fc.assert(
    fc.asyncProperty(pictures, fc.nat(39), fc.nat(39), async (pixels, left, top) => {
      const { width, height, data } = pixels
      const x = Math.min(left, width - 1)
      const y = Math.min(top, height - 1)
      const part = { x, y, width: width - x, height: height - y }
      const source = sharp(data, { raw: { width, height, channels: 4 } })
      const png = await source.clone().png({ adaptiveFiltering: true, compressionLevel: 9 }).toBuffer()
      const expected = await source
        .extract({ left: x, top: y, width: part.width, height: part.height })
        .raw()
        .toBuffer()
      expect((await decodePngRegion(png, part)).equals(expected)).toBe(true)
    }),
    { numRuns: 50 },
  )
})

test('rejects a truncated PNG and other kinds of PNG', async () => {
  const pixels: Pixels = { width: 4, height: 4, channels: 4, data: Buffer.alloc(64) }
  const png = encodePng(pixels)
  const at = png.indexOf('IDAT') - 4
  const short = deflateSync(Buffer.alloc(20))
  const header = Buffer.alloc(8)
  header.writeUInt32BE(short.length, 0)
  header.write('IDAT', 4)
  const cut = Buffer.concat([png.subarray(0, at), header, short, Buffer.alloc(4)])
  await expect(decodePngRegion(cut, fullRectangle(pixels))).rejects.toThrow('truncated')
  await expect(decodePngRegion(encodePng({ ...pixels, channels: 3 }), fullRectangle(pixels))).rejects.toThrow(
    'unexpected PNG format',
  )
})
