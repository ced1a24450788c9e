import fc from 'fast-check'
import sharp from 'sharp'
import { expect, test } from 'vitest'

import { countFrames } from './image-header.js'

const FORMATS = [
  ['GIF', 'gif'],
  ['WebP', 'webp'],
] as const

async function animation(format: 'gif' | 'webp', frames: number): Promise<Buffer> {
  const data = Buffer.alloc(8 * 8 * 3 * frames)
  for (let at = 0; at < data.length; at++) data[at] = Math.floor(at / 192) * 60 + (at % 50)
  const raw = { width: 8, height: 8 * frames, channels: 3, pageHeight: 8 } as const
  return sharp(data, { raw }).toFormat(format).toBuffer()
}

test.each(FORMATS)('%s: counts all frames', async (name, format) => {
  for (const frames of [1, 2, 5]) expect(countFrames(await animation(format, frames), name)).toBe(frames)
})

test('a still image has one frame', async () => {
  expect(
    countFrames(
      await sharp(await animation('gif', 1))
        .png()
        .toBuffer(),
      'PNG',
    ),
  ).toBe(1)
})

test('returns quickly for truncated or corrupted files', async () => {
  for (const [name, format] of FORMATS) {
    const bytes = await animation(format, 3)
    fc.assert(
      fc.property(fc.nat(bytes.length), fc.nat(bytes.length - 1), fc.nat(255), (end, at, value) => {
        const broken = Buffer.from(bytes.subarray(0, end))
        if (at < end) broken[at] = value
        expect(countFrames(broken, name)).toBeGreaterThanOrEqual(1)
      }),
      { numRuns: 500 },
    )
  }
})
