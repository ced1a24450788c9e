import { join } from 'node:path'

import { expect, onTestFinished, test } from 'vitest'

import { emptyFolder } from '../../../../test/support/client.js'
import { openSqlite } from './sqlite.js'

const WORK_MS = 10
const COUNT = 20

test('transactions that wait for one another leave turns of the event loop to other work', async () => {
  const database = openSqlite(join(emptyFolder(), 'state.db'))
  onTestFinished(() => database.close())
  const work = async (): Promise<{ value: undefined; commit: boolean }> => {
    for (const end = performance.now() + WORK_MS; performance.now() < end;);
    return { value: undefined, commit: false }
  }
  // The first one loads the library and creates the file.
  await database.write('', work)
  let turns = 0
  const count = (): void => {
    turns++
    timer = setImmediate(count)
  }
  let timer = setImmediate(count)
  await Promise.all(Array.from({ length: COUNT }, () => database.write('', work)))
  clearImmediate(timer)
  expect(turns).toBeGreaterThanOrEqual(COUNT - 1)
})
