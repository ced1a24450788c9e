import fc from 'fast-check'
import sharp from 'sharp'
import { expect, test } from 'vitest'

import { readExifOrientation } from './image-header.js'

const FORMATS = [
  ['JPEG', 'jpeg'],
  ['PNG', 'png'],
  ['WebP', 'webp'],
] as const

function picture(format: 'jpeg' | 'png' | 'webp') {
  return sharp({ create: { width: 8, height: 6, channels: 3, background: 'red' } }).toFormat(format)
}

test.each(FORMATS)('%s: reads each orientation, and 1 if there is none', async (name, format) => {
  expect(readExifOrientation(await picture(format).toBuffer(), name)).toBe(1)
  for (let orientation = 1; orientation <= 8; orientation++) {
    const bytes = await picture(format).withMetadata({ orientation }).toBuffer()
    expect(readExifOrientation(bytes, name)).toBe(orientation)
  }
})

test('returns an orientation quickly for truncated or corrupted files', async () => {
  for (const [name, format] of FORMATS) {
    const bytes = await picture(format).withMetadata({ orientation: 6 }).toBuffer()
    fc.assert(
      fc.property(fc.nat(bytes.length), fc.nat(bytes.length - 1), fc.nat(255), (end, at, value) => {
        const broken = Buffer.from(bytes.subarray(0, end))
        if (at < end) broken[at] = value
        expect(readExifOrientation(broken, name)).toBeGreaterThanOrEqual(1)
        expect(readExifOrientation(broken, name)).toBeLessThanOrEqual(8)
      }),
      { numRuns: 500 },
    )
  }
})
