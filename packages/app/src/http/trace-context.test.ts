import { expect, test } from 'vitest'

import { parseTraceId } from './trace-context.js'

const TRACE = '0af7651916cd43dd8448eb211c80319c'
const PARENT = 'b7ad6b7169203331'

test.each([
  ['the usual form', `00-${TRACE}-${PARENT}-01`],
  ['a later version', `cc-${TRACE}-${PARENT}-00`],
  ['a later version that says more', `cc-${TRACE}-${PARENT}-01-what-the-future-will-be`],
])('reads the trace id of %s', (_, value) => {
  expect(parseTraceId(value)).toBe(TRACE)
})

test.each([
  ['nothing', undefined],
  ['a list of headers', [`00-${TRACE}-${PARENT}-01`]],
  ['an empty string', ''],
  ['version ff', `ff-${TRACE}-${PARENT}-01`],
  ['version 00 with more behind it', `00-${TRACE}-${PARENT}-01-more`],
  ['a later version with more but no dash', `cc-${TRACE}-${PARENT}-01more`],
  ['no trace', `00-${'0'.repeat(32)}-${PARENT}-01`],
  ['no parent', `00-${TRACE}-${'0'.repeat(16)}-01`],
  ['capitals', `00-${TRACE.toUpperCase()}-${PARENT}-01`],
  ['a short trace', `00-${TRACE.slice(1)}-${PARENT}-01`],
  ['a newline behind it', `00-${TRACE}-${PARENT}-01\n`],
  ['a book', `cc-${TRACE}-${PARENT}-01-${'x'.repeat(1000)}`],
])('rejects %s', (_, value) => {
  expect(parseTraceId(value)).toBeUndefined()
})
