import { expect, test } from 'vitest'

import { FIT, moveBy, zoomAround } from './image-position.js'

const box = { width: 400, height: 200 }

test('the point under the pointer stays where it is', () => {
  const point = { x: 300, y: 50 }
  const { scale, x, y } = zoomAround(FIT, 2, point, box)
  // A point of the image is at centre + offset + scale * (its distance from the centre).
  expect([scale, 200 + x + scale * (point.x - 200), 100 + y + scale * (point.y - 100)]).toEqual([2, point.x, point.y])
})

test('the image stays within its box', () => {
  const zoomed = zoomAround(FIT, 2, { x: 200, y: 100 }, box)
  expect(moveBy(zoomed, 1000, -1000, box)).toEqual({ scale: 2, x: 200, y: -100 })
  expect(moveBy(FIT, 10, 10, box)).toEqual(FIT)
})

test('it is not smaller than its box, and at most 16 times as large', () => {
  expect(zoomAround(FIT, 0.5, { x: 10, y: 10 }, box)).toEqual(FIT)
  expect(zoomAround(FIT, 100, { x: 200, y: 100 }, box).scale).toBe(16)
})
