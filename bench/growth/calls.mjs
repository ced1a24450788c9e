// Growth of calls: what a call costs after many others, and what they leave in memory.

import { createPlace, measureBlocking, startServer } from './server.mjs'

const AT_ONCE = 100
const MEASURED = 1000

async function makeCalls(server, count) {
  for (let made = 0; made < count; made += AT_ONCE)
    await Promise.all(Array.from({ length: AT_ONCE }, () => server.call('ListBgTasks')))
}

export async function measureCalls() {
  const place = createPlace()
  const server = await startServer(place)
  await makeCalls(server, 5000)
  const before = await server.retainedBytes()
  const rows = []
  let made = 0
  for (const count of [1000, 100_000]) {
    await makeCalls(server, count - made)
    made = count
    const bytes = ((await server.retainedBytes()) - before) / count
    const { ms, ...blocked } = await measureBlocking(server, () => makeCalls(server, MEASURED))
    rows.push({
      what: 'a call',
      size: `after ${count.toLocaleString('en')} calls`,
      ms: ms / MEASURED,
      bytes,
      ...blocked,
    })
  }
  await server.stop()
  place.remove()
  return rows
}
