// The judgement of `npm run soak` on made-up series: what is a trend, and which failures are those of a fault.

import { expect, test } from 'vitest'

import { attributeFailures, MARGIN_MS } from '../../scripts/soak/call-record.mjs'
import { ticksUpTo } from '../../scripts/soak/curves.mjs'
import { judgeTrend, theilSenSlope } from '../../scripts/soak/trend.mjs'

/** 360 samples, ten seconds apart. */
const series = (value: (at: number) => number) =>
  Array.from({ length: 360 }, (_, index) => ({ at: index * 10, value: value(index * 10) }))

/** Between -1 and 1, always the same. */
const noise = (at: number) => Math.sin(at * 12.9898) * Math.cos(at * 78.233)

test('noise around a level is no trend', () => {
  expect(judgeTrend(series((at) => 100 + 30 * noise(at))).isGrowing).toBe(false)
})

test('a rise of a fifth below noise is a trend', () => {
  const { isGrowing, growth } = judgeTrend(series((at) => 100 + at / 140 + 10 * noise(at)))
  expect(isGrowing).toBe(true)
  expect(growth).toBeGreaterThan(15)
})

test('a warm-up in the first quarter is no trend', () => {
  expect(judgeTrend(series((at) => Math.min(100, 50 + at / 15) + 5 * noise(at))).isGrowing).toBe(false)
})

test('single peaks and samples that are not known change nothing', () => {
  const values = series((at) => (at % 500 === 0 ? 900 : at % 300 === 0 ? NaN : 100 + noise(at)))
  expect(judgeTrend(values)).toMatchObject({ isGrowing: false, median: expect.closeTo(100, 0) })
})

test('steps that return are no trend, steps that add up are one', () => {
  expect(judgeTrend(series((at) => 100 + (at % 600 < 300 ? 0 : 20))).isGrowing).toBe(false)
  expect(judgeTrend(series((at) => 100 + 10 * Math.floor(at / 600))).isGrowing).toBe(true)
})

test('growth below the least value is none, and a fall is none', () => {
  expect(
    judgeTrend(
      series((at) => 10 + at / 1800),
      { share: 0.1, least: 4 },
    ).isGrowing,
  ).toBe(false)
  expect(judgeTrend(series((at) => 500 - at / 10)).isGrowing).toBe(false)
})

test('too few samples are not judged', () => {
  expect(judgeTrend(series((at) => at).slice(0, 8)).isGrowing).toBe(false)
})

test('the slope is the median of those between pairs', () => {
  expect(theilSenSlope([0, 1, 2, 3, 4].map((at) => ({ at, value: at === 2 ? 100 : 3 * at })))).toBe(3)
})

const FAULT = {
  subject: 'sqlite',
  kind: 'disk full',
  touches: ['disk'],
  says: /no space/,
  startedAt: 100_000,
  endedAt: 110_000,
}
const FAILURE = { subject: 'sqlite', needs: ['disk'], since: 105_000, endedAt: 106_000, words: 'no space is left' }

test.each([
  ['in its time, with what it touches and its words', {}, true],
  ['begun within the margin', { since: 110_000 + MARGIN_MS, endedAt: 130_000 }, true],
  ['begun after the margin', { since: 110_001 + MARGIN_MS, endedAt: 130_000 }, false],
  ['ended before it', { since: 90_000, endedAt: 99_999 }, false],
  ['that needs something else', { needs: ['session'] }, false],
  ['without its words', { words: 'Internal error' }, false],
  ['of another server', { subject: 'postgres' }, false],
])('a failure %s', (_, changes, isOwn) => {
  const { own, others } = attributeFailures([{ ...FAILURE, ...changes }], [FAULT])
  expect([own.length, others.length]).toEqual(isOwn ? [1, 0] : [0, 1])
})

test.each([
  [1, [0, 0.2, 0.4, 0.6, 0.8, 1]],
  [47, [0, 10, 20, 30, 40, 50]],
  [148, [0, 50, 100, 150]],
  [0, [0, 1]],
])('ticks of an axis up to %d', (most, ticks) => {
  expect(ticksUpTo(most)).toEqual(ticks)
})
