import { afterEach, beforeEach, expect, test, vi } from 'vitest'

import { createGoneServers } from './gone-servers.js'
import type { CallView, JobView } from './view.js'

const MINUTE = 60_000

const server = (id: string) => ({
  id,
  pid: 1,
  transport: 'stdio' as const,
  project: '/p',
  startedAt: 1,
  version: '1',
  tools: [],
})

const job = (of: string, id: number): JobView => ({
  server: of,
  project: '/p',
  id,
  command: 'sleep 9',
  startedAt: 1,
  endedAt: null,
  isRunning: true,
  exitCode: null,
  ending: null,
  signal: null,
  tail: 'x',
  terminal: { cols: 80, rows: 24, isUserTyping: true },
})

const running: CallView = {
  id: 'a.1',
  server: 'a',
  project: '/p',
  session: 's',
  client: '',
  tool: 'Bash',
  about: '',
  outcome: 'running',
  startedAt: 1,
  ms: 0,
  error: null,
}

beforeEach(() => void vi.useFakeTimers({ now: 10_000 }))
afterEach(() => void vi.useRealTimers())

test('nothing of a server that has exited still runs, and it is dropped after five minutes', () => {
  const onExpire = vi.fn()
  const gone = createGoneServers({ onExpire })
  gone.add({ server: server('a'), jobs: [job('a', 3)], calls: [running] })
  expect(gone.list([])).toMatchObject([
    {
      server: { id: 'a', isGone: true, goneAt: 10_000 },
      jobs: [{ id: 3, isRunning: false, endedAt: 10_000, ending: 'unknown', exitCode: null, terminal: null }],
      calls: [{ outcome: 'cancelled', ms: 9999 }],
    },
  ])
  vi.advanceTimersByTime(4 * MINUTE)
  gone.add({ server: server('b') })
  vi.advanceTimersByTime(MINUTE - 1)
  expect(gone.list([])).toHaveLength(2)
  vi.advanceTimersByTime(1)
  expect(onExpire).toHaveBeenCalledOnce()
  expect(gone.list([]).map((each) => each.server.id)).toEqual(['b'])
  gone.close()
})

test('a job that another server has taken over is not listed twice', () => {
  const gone = createGoneServers({ onExpire: () => {} })
  gone.add({ server: server('a'), jobs: [job('a', 3), job('a', 4)] })
  const elsewhere = { ...job('c', 4), project: '/q' }
  expect(gone.list([job('b', 3), elsewhere])[0]?.jobs.map(({ id }) => id)).toEqual([4])
  gone.close()
})

test('a server that is connected again is not gone; at most 20 are kept', () => {
  const gone = createGoneServers({ onExpire: () => {} })
  for (let id = 0; id < 30; id++) gone.add({ server: server(`${id}`) })
  expect(gone.list([]).map((each) => each.server.id)).toEqual(Array.from({ length: 20 }, (_, index) => `${index + 10}`))
  gone.remove('15')
  expect(gone.list([])).toHaveLength(19)
  gone.close()
  expect(gone.list([])).toEqual([])
})
