import { mkdtempSync, readdirSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { afterEach, expect, test } from 'vitest'

import { openState } from '../../store/state/open-state.js'
import type { State } from '../../store/state/state.js'
import { createNotices } from '../notices.js'
import type { LazyState } from '../state.js'
import { createBoard } from './create-board.js'
import { createDesk, type Desk } from './desk.js'
import { openDeskSocket } from './desk-socket.js'
import { createRecentCalls } from './recent-calls.js'
import type { BoardChange } from './view.js'

const endings: (() => unknown)[] = []

afterEach(async () => {
  for (const end of endings.splice(0).toReversed()) await end()
})

async function place() {
  const folder = mkdtempSync(join(tmpdir(), 'scorpiox-test-'))
  const state: State = await openState({ file: join(folder, 'state.db'), databaseUrl: '' })
  endings.push(() => state.close())
  const lazy: LazyState = {
    open: () => Promise.resolve(state),
    whenOpen: (use) => use(state),
    close: () => Promise.resolve(),
  }
  return { desks: join(folder, 'desks'), lazy, state }
}

async function openDesk(desks: string, state: LazyState, id = '00000000000000aa', silenceMs?: number): Promise<Desk> {
  const server = { id, pid: 1, transport: 'stdio', project: '/srv/p', startedAt: 1, version: '1', tools: [] } as const
  const desk = createDesk({
    id,
    project: '/srv/p',
    calls: createRecentCalls(),
    notices: createNotices(),
    jobs: () => undefined,
    state,
    server: async () => server,
  })
  const socket = await openDeskSocket(desk, desks, silenceMs)
  endings.push(() => socket.close())
  return desk
}

test('as long as somebody watches, and no longer, the desks know that this user does', async () => {
  const { desks, lazy } = await place()
  const desk = await openDesk(desks, lazy)
  const board = createBoard({ user: 'ann', own: undefined, folder: desks, state: lazy, project: '/srv/p' })
  let changes = 0
  desk.onChange(() => changes++)
  const first = board.watch(() => {})
  const second = board.watch(() => {})
  await expect.poll(() => desk.isWatched('ann')).toBe(true)
  expect(desk.isWatched('bob')).toBe(false)
  first()
  first()
  await new Promise((resolve) => setTimeout(resolve, 100))
  expect(desk.isWatched('ann')).toBe(true)
  second()
  await expect.poll(() => desk.isWatched('ann')).toBe(false)
  expect(changes).toBe(2)
  // A console that only acts does not count as watching.
  await expect(board.kill({ server: desk.id, id: 1 })).rejects.toThrow('no background task 1')
  expect(desk.isWatched('ann')).toBe(false)
  await board.close()
})

test('a board whose line breaks watches no more, and a desk that comes back is found', async () => {
  const { desks, lazy } = await place()
  const desk = await openDesk(desks, lazy)
  const name = readdirSync(desks).find((each) => each.endsWith('.sock')) ?? ''
  const line = connect(join(desks, name))
  line.write('{"kind":"presence","user":"ann","watching":true}\n')
  await expect.poll(() => desk.isWatched('ann')).toBe(true)
  line.destroy()
  await expect.poll(() => desk.isWatched('ann')).toBe(false)

  const shown: BoardChange[] = []
  const board = createBoard({ user: 'ann', own: undefined, folder: desks, state: lazy, project: '/srv/p' })
  endings.push(() => board.close())
  board.watch((change) => shown.push(change))
  await expect.poll(() => shown.at(-1)?.servers?.length).toBe(1)
  await endings.splice(1, 1)[0]?.()
  await expect.poll(() => shown.at(-1)?.servers, { timeout: 5000 }).toEqual([])
  await openDesk(desks, lazy, '00000000000000bb')
  await expect.poll(() => shown.at(-1)?.servers?.[0]?.id, { timeout: 5000 }).toBe('00000000000000bb')
})

test('a board that falls silent is let go, one that says that it is there is not', async () => {
  const { desks, lazy } = await place()
  const desk = await openDesk(desks, lazy, '00000000000000cc', 500)
  const address = join(desks, '00000000000000cc.sock')
  const present = '{"kind":"presence","user":"ann","watching":true}\n'
  const [silent, lively] = [connect(address), connect(address)]
  const letGo = new Promise((resolve) => silent.once('close', resolve))
  let isLivelyOpen = true
  lively.once('close', () => (isLivelyOpen = false))
  for (const line of [silent, lively]) line.resume().write(present)
  const saying = setInterval(() => lively.write(present), 50)
  await letGo
  expect([isLivelyOpen, desk.isWatched('ann')]).toEqual([true, true])
  clearInterval(saying)
  await expect.poll(() => isLivelyOpen, { timeout: 5000 }).toBe(false)
  expect(desk.isWatched('ann')).toBe(false)
})

test('each part is told when it differs, whole, and nothing is told twice', async () => {
  const { desks, lazy, state } = await place()
  await openDesk(desks, lazy)
  const shown: BoardChange[] = []
  const board = createBoard({ user: 'ann', own: undefined, folder: desks, state: lazy, project: '/srv/p' })
  endings.push(() => board.close())
  board.watch((change) => shown.push(change))
  await expect.poll(() => shown.some(({ servers }) => servers?.length === 1)).toBe(true)
  expect(Object.keys(shown[0] ?? {})).toHaveLength(8)
  const scope = { project: '/srv/p', user: 'ann' }
  for (let times = 0; times < 30; times++) await state.write(scope, ({ tasks }) => tasks.insert(`task ${times}`, 1))
  await state.write({ project: '/srv/p', user: 'bob' }, ({ tasks }) => tasks.insert('of bob', 1))
  await expect.poll(() => shown.at(-1)?.projects?.[0]?.openTasks).toBe(30)
  await new Promise((resolve) => setTimeout(resolve, 300))
  expect(shown.at(-1)?.projects?.[0]?.openTasks).toBe(30)
  expect(shown.slice(1).every((change) => Object.keys(change).length <= 2)).toBe(true)
  const texts = shown.flatMap(({ projects }) => (projects ? [JSON.stringify(projects)] : []))
  expect(new Set(texts).size).toBe(texts.length)
  expect(JSON.stringify(shown)).not.toContain('of bob')
})
