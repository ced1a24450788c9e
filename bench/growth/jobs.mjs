// Growth of jobs: listing beside many records, and the memory of finished jobs.

import { createHash } from 'node:crypto'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { userInfo } from 'node:os'

import { createPlace, measureBlocking, medianOf, startServer } from './server.mjs'

const hash = (text) => createHash('sha256').update(text).digest('hex').slice(0, 16)

function plantRecords({ state, cwd }, count, keep) {
  const folder = join(state, 'jobs', hash(cwd), hash(userInfo().username))
  const now = Date.now()
  for (let id = 1; id <= count; id += 1) {
    const record = {
      command: `make target-${id}`,
      background: true,
      user: userInfo().username,
      session: 'earlier',
      cwd,
      owner: { pid: 1, startedAt: '5', boot: 'b' },
      family: 'sx-earlier',
      tag: `sx-earlier.${id}`,
      keep,
      startedAt: now - 60_000,
      id,
      endedAt: now - 30_000,
      exitCode: 0,
      signal: null,
      ending: 'exit',
    }
    mkdirSync(join(folder, String(id)), { recursive: true, mode: 0o700 })
    writeFileSync(join(folder, String(id), 'record.json'), JSON.stringify(record), { mode: 0o600 })
  }
}

/** ListBgTasks beside records of earlier servers, the first call and later ones. */
export async function measureJobLists() {
  const rows = []
  for (const count of [100, 10_000, 100_000]) {
    const place = createPlace()
    plantRecords(place, count, true)
    const server = await startServer(place)
    const first = await measureBlocking(server, () => server.call('ListBgTasks'))
    // Later than the time of the folder by more than its resolution.
    await sleep(2500)
    await server.call('ListBgTasks')
    const later = await measureBlocking(server, () => server.call('ListBgTasks'))
    const ms = await medianOf(7, () => server.call('ListBgTasks'))
    await server.stop()
    place.remove()
    rows.push({ what: 'ListBgTasks, the first', size: `${count} records`, ...first })
    rows.push({ what: 'ListBgTasks', size: `${count} records`, ...later, ms })
  }
  return rows
}

/** Memory that one finished job with 100 KB of output leaves. */
export async function measureFinishedJobs() {
  const place = createPlace()
  const server = await startServer(place)
  const finish = async (count) => {
    for (let job = 0; job < count; job += 1) {
      const { structuredContent, content } = await server.call('BackgroundBash', { command: 'seq 20000' })
      const id = structuredContent?.task_id ?? Number(/\d+/.exec(content[0].text)[0])
      await server.call('ReadBgOutput', { task_id: id, wait_for_end: true })
    }
  }
  await finish(25)
  await sleep(1000)
  const before = await server.retainedBytes()
  await finish(20)
  await sleep(1000)
  const bytes = ((await server.retainedBytes()) - before) / 20
  await server.stop()
  place.remove()
  return [{ what: 'memory of a finished job', size: '20 jobs', bytes }]
}
