import fc from 'fast-check'
import { expect, test } from 'vitest'

import { ProtocolError } from '../errors.js'
import { createMcpServer } from '../server/mcp-server.js'
import { paginate } from './paging.js'

const names = fc.uniqueArray(fc.string({ unit: 'binary' }), { maxLength: 30 })
const same = (name: string): string => name

test('the pages make up the list, all but the last are full, and cursors of other lists are rejected', () => {
  fc.assert(
    fc.property(names, fc.integer({ min: 1, max: 12 }), (items, size) => {
      const walked: string[] = []
      let cursor: string | undefined
      do {
        const page = paginate(items, same, { list: 'tools', cursor, size })
        if (page.nextCursor !== undefined) {
          expect(page.items).toHaveLength(size)
          const other = { list: 'prompts', cursor: page.nextCursor, size }
          expect(() => paginate(items, same, other)).toThrow(ProtocolError)
        }
        walked.push(...page.items)
        cursor = page.nextCursor
      } while (cursor !== undefined)
      expect(walked).toEqual(items)
    }),
  )
})

test('rejects a cursor that was not issued', () => {
  const items = ['a', 'b', 'c', 'd']
  const issued = paginate(items, same, { list: 'tools', cursor: undefined, size: 2 }).nextCursor
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.base64String(), fc.anything()), (cursor) => {
      if (cursor === undefined || cursor === issued) return
      const isOurs = typeof cursor === 'string' && /^tools\n[abcd]$/.test(Buffer.from(cursor, 'base64url').toString())
      if (!isOurs) expect(() => paginate(items, same, { list: 'tools', cursor, size: 2 })).toThrow(ProtocolError)
    }),
    { numRuns: 2000 },
  )
})

test('a growing list shows nothing twice', () => {
  const items = ['b', 'c', 'd']
  const first = paginate(items, same, { list: 'tools', cursor: undefined, size: 2 })
  items.unshift('a')
  const second = paginate(items, same, { list: 'tools', cursor: first.nextCursor, size: 2 })
  expect([first.items, second.items]).toEqual([['b', 'c'], ['d']])
})

test.each([0, -1, 1.5, Number.NaN])('rejects the page size %s', (pageSize) => {
  expect(() => createMcpServer({ name: 'x', version: '0', tools: [], pageSize })).toThrow('pageSize')
})
