import { expect, test } from 'vitest'

import { createMetricRegistry } from './prometheus.js'

test('prints a family once, with help, type and its series in order of creation', () => {
  const registry = createMetricRegistry()
  const cakes = registry.counter('cakes_total', 'Cakes baked.')
  const plum = cakes({ kind: 'plum' })
  cakes({ kind: 'apple' }).add(2)
  plum.add(1)
  plum.add(0.5)
  expect(registry.format()).toBe(`# HELP cakes_total Cakes baked.
# TYPE cakes_total counter
cakes_total{kind="plum"} 1.5
cakes_total{kind="apple"} 2
`)
})

test('a family without series is not printed', () => {
  const registry = createMetricRegistry()
  registry.counter('nothing_total', 'Nothing.')
  expect(registry.format()).toBe('')
})

test('histogram buckets are cumulative; a value on a bound counts below it', () => {
  const registry = createMetricRegistry()
  const waits = registry.histogram('wait_seconds', 'Waits.', [0.1, 1])({ at: 'door' })
  for (const value of [0.05, 0.1, 0.5, 1, 7]) waits.observe(value)
  expect(registry.format()).toBe(`# HELP wait_seconds Waits.
# TYPE wait_seconds histogram
wait_seconds_bucket{at="door",le="0.1"} 2
wait_seconds_bucket{at="door",le="1"} 4
wait_seconds_bucket{at="door",le="+Inf"} 5
wait_seconds_sum{at="door"} 8.65
wait_seconds_count{at="door"} 5
`)
})

test('observable values are read for each output', () => {
  const registry = createMetricRegistry()
  let heat = 20
  registry.observable('gauge', 'oven_celsius', 'Heat.')({}, () => heat)
  expect(registry.format()).toContain('\noven_celsius 20\n')
  heat = -Infinity
  expect(registry.format()).toContain('\noven_celsius -Inf\n')
  heat = Number.NaN
  expect(registry.format()).toContain('\noven_celsius NaN\n')
})

test('labels and help are escaped', () => {
  const registry = createMetricRegistry()
  registry.counter('odd_total', 'One\\two\nthree "four".')({ name: 'a\\b"c\nd} 7' }).add(1)
  expect(registry.format()).toBe(`# HELP odd_total One\\\\two\\nthree "four".
# TYPE odd_total counter
odd_total{name="a\\\\b\\"c\\nd} 7"} 1
`)
})
