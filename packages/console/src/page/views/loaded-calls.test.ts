import { expect, test } from 'vitest'

import type { CallPage, CallView } from '../../view.js'
import {
  addLive,
  addPage,
  type CallFilter,
  isConnected,
  listUnknownEnds,
  type LoadedCalls,
  replaceFirstPage,
  sortCalls,
} from './loaded-calls.js'

const ALL: CallFilter = { project: null, session: null, tool: null, outcome: null, text: null }

function callAt(startedAt: number, changed: Partial<CallView> = {}): CallView {
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
    ...changed,
  }
}

function pageOf(times: readonly number[], next: string | null = null, changed: Partial<CallView> = {}): CallPage {
  return { calls: times.map((time) => callAt(time, changed)), next, isHistoryKept: true }
}

function timesOf(loaded: LoadedCalls): number[] {
  return sortCalls(loaded).map(({ startedAt }) => startedAt)
}

test('a call that ends leaves the list of running ones, and is shown as ended in the list of all', () => {
  const running = addPage(undefined, pageOf([7], null, { outcome: 'running' }))
  expect(timesOf(addLive(running, [callAt(7)], { ...ALL, outcome: 'running' }))).toEqual([])
  expect(sortCalls(addLive(running, [callAt(7)], ALL))).toMatchObject([{ outcome: 'ok' }])
  expect(addLive(running, [callAt(7, { outcome: 'running' })], ALL)).toBe(running)
})

test('a call that was listed as running and is not among the live ones may have ended', () => {
  const loaded = addPage(undefined, pageOf([7, 6], null, { outcome: 'running' }))
  expect(listUnknownEnds(loaded, [callAt(7, { outcome: 'running' })])).toMatchObject([{ startedAt: 6 }])
})

test('live calls are added if they fit and are not older than the pages, and never to a search', () => {
  const loaded = addPage(undefined, pageOf([9, 8], '8~'))
  const live = [callAt(10), callAt(11, { tool: 'ReadDocs' }), callAt(3)]
  expect(timesOf(addLive(loaded, live, { ...ALL, tool: 'Bash' }))).toEqual([10, 9, 8])
  expect(timesOf(addLive(loaded, live, { ...ALL, text: 'x' }))).toEqual([9, 8])
  expect(timesOf(addLive(addPage(loaded, pageOf([5])), live, ALL))).toEqual([11, 10, 9, 8, 5, 3])
})

test('a first page that is read again keeps the later pages and where they continue', () => {
  const loaded = addPage(addPage(undefined, pageOf([9, 8], '8~')), pageOf([7, 6], '6~'))
  const again = pageOf([11, 9], '9~')
  expect(isConnected(loaded, again)).toBe(true)
  const merged = replaceFirstPage(loaded, again)
  expect(timesOf(merged)).toEqual([11, 9, 8, 7, 6])
  expect(merged).toMatchObject({ next: '6~', last: { startedAt: 6 } })
})

test('what a first page that is read again should contain, and does not, is dropped', () => {
  const loaded = addPage(undefined, pageOf([9, 8, 7], '7~'))
  expect(timesOf(replaceFirstPage(loaded, pageOf([9, 7], '7~')))).toEqual([9, 7])
  expect(timesOf(replaceFirstPage(loaded, pageOf([], null)))).toEqual([])
})

test('a search that has found nothing yet goes on where it is when its first page is read again', () => {
  const searched = addPage(addPage(undefined, pageOf([], '50~')), pageOf([], '20~'))
  expect(replaceFirstPage(searched, pageOf([], '51~')).next).toBe('20~')
  const found = replaceFirstPage(searched, pageOf([60], '51~'))
  expect([timesOf(found), found.next]).toEqual([[60], '20~'])
})

test('a page of new calls only is not connected with what was loaded', () => {
  expect(isConnected(addPage(undefined, pageOf([5, 4], '4~')), pageOf([9, 8], '8~'))).toBe(false)
})

test('servers that did not answer are named once, and forgotten when they answer', () => {
  const first = addPage(undefined, { ...pageOf([9], '9~'), missing: ['aa'] })
  const second = addPage(first, { ...pageOf([8], '8~'), missing: ['aa', 'bb'] })
  expect(second.missing).toEqual(['aa', 'bb'])
  expect(replaceFirstPage(second, pageOf([9], '9~')).missing).toEqual([])
})
