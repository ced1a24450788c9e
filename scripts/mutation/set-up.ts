// Property tests draw the same few values in every run, so that a mutant is either always found or never. Tests of
// limits and durations are left out: each takes longer than all others together.

import fc from 'fast-check'
import { beforeEach } from 'vitest'

fc.configureGlobal({ seed: 1 })

const LONG_TESTS = new Set([
  'agrees with the full compiler on any value',
  'test and explanation never disagree',
  'a schema and its negation never agree',
  'limits the expansion of dynamic references',
  'a long chain of references needs no stack',
  'uniqueItems of many items is not quadratic',
  'unevaluated properties, a thousand deep',
  'services are opened by the first call and closed with the line, also when a tool does not stop',
  'of another user or call: 3,000',
  'tampered, truncated, extended, invented: 4,000',
  'replayed, expired, of another server: 3,000',
  'memory is bounded for requests from many addresses',
])

beforeEach(({ task, skip }) => {
  if (LONG_TESTS.has(task.name)) skip()
})
