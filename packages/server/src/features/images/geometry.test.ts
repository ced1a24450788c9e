import fc from 'fast-check'
import { expect, test } from 'vitest'

import {
  applyOrientation,
  clipRectangle,
  fullRectangle,
  orientSize,
  type Rectangle,
  scaleSize,
  type Size,
  toStoredRectangle,
} from './geometry.js'

const size = fc.record({ width: fc.integer({ min: 1, max: 12 }), height: fc.integer({ min: 1, max: 12 }) })
const orientation = fc.integer({ min: 1, max: 8 })

/** One channel; each pixel has a different value. */
const numbered = ({ width, height }: Size): Buffer => Buffer.from(Array.from({ length: width * height }, (_, n) => n))

function cut(pixels: Buffer, { width: across }: Size, { x, y, width, height }: Rectangle): Buffer {
  const rows = Array.from({ length: height }, (_, row) => pixels.subarray((y + row) * across + x).subarray(0, width))
  return Buffer.concat(rows)
}

test('cropping and orienting commute', () => {
  const property = fc.property(size, orientation, fc.nat(), fc.nat(), fc.nat(), fc.nat(), (stored, way, a, b, c, d) => {
    const seen = orientSize(stored, way)
    const x = a % seen.width
    const y = b % seen.height
    const part = { x, y, width: 1 + (c % (seen.width - x)), height: 1 + (d % (seen.height - y)) }
    const pixels = numbered(stored)
    const early = toStoredRectangle(part, way, stored)
    expect(applyOrientation(cut(pixels, stored, early), early, 1, way)).toEqual(
      cut(applyOrientation(pixels, stored, 1, way), seen, part),
    )
  })
  fc.assert(property, { numRuns: 2000 })
})

test('the eight orientations are distinct', () => {
  const stored = { width: 2, height: 2 }
  const seen = [1, 2, 3, 4, 5, 6, 7, 8].map((way) => [...applyOrientation(Buffer.from('abcd'), stored, 1, way)])
  const names = seen.map((bytes) => Buffer.from(bytes).toString())
  expect(names).toEqual(['abcd', 'badc', 'dcba', 'cdab', 'acbd', 'cadb', 'dbca', 'bdac'])
})

test('clips a rectangle to the bounds', () => {
  const within = { width: 10, height: 5 }
  const number = fc.integer({ min: -20, max: 20 })
  const property = fc.property(
    number,
    number,
    fc.integer({ min: 1, max: 30 }),
    fc.integer({ min: 1, max: 30 }),
    (x, y, width, height) => {
      const found = clipRectangle({ x, y, width, height }, within)
      for (let at = -20; at < 20; at++) {
        const wanted = at >= 0 && at < 10 && at >= x && at < x + width
        if (found) expect(at >= found.x && at < found.x + found.width).toBe(wanted)
        else expect(wanted && y < 5 && y + height > 0).toBe(false)
      }
    },
  )
  fc.assert(property)
  expect(clipRectangle(fullRectangle(within), within)).toEqual({ x: 0, y: 0, ...within })
})

test('scales to at least one pixel', () => {
  expect(scaleSize({ width: 100_000, height: 3 }, 0.01)).toEqual({ width: 1000, height: 1 })
})
