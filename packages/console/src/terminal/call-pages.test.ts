import { expect, test } from 'vitest'

import { type CallPage, type CallView, type ConsoleView, EMPTY_VIEW } from '../view.js'
import { createCallPages } from './call-pages.js'

function callAt(startedAt: number): CallView {
  return {
    id: `aa.${String(startedAt).padStart(8, '0')}`,
    server: 'aa',
    project: '/srv/p',
    session: 's',
    client: '',
    tool: 'Bash',
    about: '',
    outcome: 'ok',
    startedAt,
    ms: 1,
    error: null,
  }
}

/** Pages whose requests are answered one by one. */
function startPages(answer: (after: string | null) => Omit<CallPage, 'isHistoryKept'>) {
  let view: ConsoleView = EMPTY_VIEW
  const asked: (string | null)[] = []
  const pages = createCallPages({
    userConsole: {
      listCalls: async ({ after }) => {
        asked.push(after)
        return { isHistoryKept: true, ...answer(after) }
      },
    },
    view: () => view,
    ui: { redraw() {} },
  })
  const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))
  return {
    pages,
    asked,
    /** The newest call of all, whether or not it fits the filter. */
    async addLive(startedAt: number) {
      view = { ...view, calls: [callAt(startedAt), ...view.calls] }
      pages.list()
      await settle()
    },
    async list() {
      pages.list()
      await settle()
      return pages.list().map((call) => call.startedAt)
    },
    async loadMore() {
      pages.loadMore()
      await settle()
    },
  }
}

test('a search that has found nothing yet goes on where it was when other calls arrive', async () => {
  const depth: Record<string, string> = { first: '900~', '900~': '800~', '800~': '700~' }
  const inbox = startPages((after) => ({
    calls: [],
    next: depth[after ?? 'first'] ?? null,
  }))
  await inbox.list()
  await inbox.loadMore()
  await inbox.addLive(1000)
  await inbox.loadMore()
  expect(inbox.asked).toEqual([null, '900~', null, '800~'])
})

test('what a long search has found stays when other calls arrive, and a new one that fits is put before it', async () => {
  let newest: number[] = []
  const inbox = startPages((after) =>
    after === null ? { calls: newest.map(callAt), next: '900~' } : { calls: [callAt(300)], next: '250~' },
  )
  await inbox.list()
  await inbox.loadMore()
  await inbox.addLive(1000)
  expect(await inbox.list()).toEqual([300])
  newest = [1001]
  await inbox.addLive(1001)
  expect(await inbox.list()).toEqual([1001, 300])
  expect(inbox.pages.isComplete).toBe(false)
})

test('more new calls than a page holds begin the list again, so that none is missing between', async () => {
  let from = 100
  const inbox = startPages(() => ({
    calls: Array.from({ length: 100 }, (_, index) => callAt(from - index)),
    next: `${from - 99}~aa.${String(from - 99).padStart(8, '0')}`,
  }))
  await inbox.list()
  from = 300
  await inbox.addLive(300)
  expect((await inbox.list()).at(-1)).toBe(201)
})
