import { expect, test } from 'vitest'

import { exposeGarbageCollector } from './garbage-collector.js'
import { parseTags } from './process-tags.js'

test('the tags of an environment', () => {
  expect(parseTags('PATH=/bin\0SCORPIOX_TREE=;a.1;b.2;\0HOME=/root\0')).toBe('SCORPIOX_TREE=;a.1;b.2;')
  expect(parseTags('PATH=/bin\0NOT_SCORPIOX_TREE=;a;\0')).toBe(undefined)
})

test('tags that are kept do not keep the environments they were read from', () => {
  const collect = exposeGarbageCollector()
  collect()
  const before = process.memoryUsage().heapUsed
  const environment = (number: number): string =>
    Buffer.from(`${'x'.repeat(64 * 1024)}${number}\0SCORPIOX_TREE=;tag.${number};\0`).toString('latin1')
  const kept = Array.from({ length: 500 }, (_, number) => parseTags(environment(number)))
  collect()
  expect(process.memoryUsage().heapUsed - before).toBeLessThan(8 * 1024 * 1024)
  expect(kept.at(-1)).toBe('SCORPIOX_TREE=;tag.499;')
})
