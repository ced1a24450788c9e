import { expect, test } from 'vitest'

import type { Sql } from '../../storage/database.js'
import { scanCalls } from './call-table.js'

test('no text of a request reaches the database with a NUL, which PostgreSQL refuses', async () => {
  const values: unknown[] = []
  const sql: Pick<Sql, 'all'> = {
    all: async (_text: string, ...given: readonly unknown[]) => {
      values.push(...given)
      return []
    },
  }
  const text = 'a\0b'
  const query = { project: text, session: text, tool: text, outcome: null, text, after: null }
  await scanCalls(Object.assign(Object.create(null), sql), {
    user: text,
    query,
    before: { startedAt: 1, id: text },
    count: 10,
  })
  expect(values.filter((value) => String(value).includes('\0'))).toEqual([])
  expect(values).toContain(1)
})
