import { expect, test } from 'vitest'

import { EMPTY_VIEW, type JobView } from '../view.js'
import { type InboxContext, inboxTranslatorFor } from './inbox-context.js'
import { createJobsScreen } from './jobs-screen.js'
import type { ListScreen } from './pane.js'

const NOW = Date.now()

const JOBS: readonly JobView[] = [
  job({ id: 1, command: 'npm run lint', endedAt: NOW - 9000, tail: 'one\n3 problems\n' }),
  job({ id: 2, command: 'npm test', endedAt: NOW - 1000, tail: 'all passed' }),
  job({ id: 3, command: 'npm run dev', isRunning: true, startedAt: NOW - 50_000, tail: 'İstanbul\nready' }),
  job({ id: 14, command: 'vite', isRunning: true, startedAt: NOW - 10_000, project: '/srv/Blog' }),
]

test('running jobs come first, then those that ended, the newest first', () => {
  const screen = openScreen('')
  expect(listJobs(screen)).toEqual(['14 Running', '3 Running', '2 Ended', '1 Ended'])
  expect(screen.title()).toBe('Jobs')
  expect(openScreen('', []).emptyText).toBe('No background jobs')
})

test.each([
  ['lint', [1]],
  ['NPM run', [3, 1]],
  ['run  problems ', [1]],
  ['job 14', [14]],
  ['blog', [14]],
  ['srv', []],
  ['ready', [3]],
  // Of the output, only the last line is searched.
  ['istanbul', []],
  ['dev lint', []],
])('%j finds %j', async (query, found) => {
  const screen = openScreen(query)
  await search(screen)
  expect(listJobs(screen).map((each) => Number(each.split(' ')[0]))).toEqual(found)
  expect(screen.title()).toMatch(/^Jobs · \/\S/)
  expect(screen.emptyText).toBe('No jobs match.')
})

test('a search that is left empty shows all jobs', async () => {
  let typed: string | undefined = 'lint'
  const screen = openScreen(() => typed)
  await search(screen)
  expect(listJobs(screen)).toHaveLength(1)
  typed = undefined
  await search(screen)
  expect(listJobs(screen)).toHaveLength(1)
  typed = ''
  await search(screen)
  expect(listJobs(screen)).toHaveLength(JOBS.length)
})

/** `typed`: in the prompt of a search. */
function openScreen(typed: string | (() => string | undefined), jobs = JOBS): ListScreen {
  const enterText = async (): Promise<string | undefined> => (typeof typed === 'string' ? typed : typed())
  const translator = inboxTranslatorFor('en')
  return createJobsScreen({
    view: () => ({ ...EMPTY_VIEW, jobs }),
    translator,
    ui: { enterText },
  } as unknown as InboxContext)
}

async function search(screen: ListScreen): Promise<void> {
  await screen
    .bindings?.(undefined)
    .find(({ keys }) => keys.includes('/'))
    ?.run('/')
}

function listJobs(screen: ListScreen): readonly string[] {
  return screen.items().map(({ value, group }) => `${value.split(' ')[1]} ${group}`)
}

function job(some: Partial<JobView>): JobView {
  return {
    server: 'a',
    project: '/srv/shop',
    id: 1,
    command: 'sleep 9',
    startedAt: NOW - 60_000,
    endedAt: null,
    isRunning: false,
    exitCode: null,
    ending: null,
    signal: null,
    tail: '',
    ...some,
  }
}
