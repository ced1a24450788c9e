// The checklist of docs/console-internals.md: 40 points, each with a test that exists.

import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'

import { expect, test } from 'vitest'

const ROOT = resolve(import.meta.dirname, '../..')

/** The test of each point, in the file that the list names. */
const TITLES = [
  'what blocks a model is first and in sight, before plans, older questions, failed jobs and callbacks',
  'failed jobs and callbacks lead to their place, and stay hidden after a reload; a killed job has not failed',
  'two keys answer, and a third Enter does nothing',
  'several questions, several choices and own words: Enter goes on to the next question',
  'survives another view, a reload, a lost connection and a logout by the server',
  'names the command and its prompt; Enter sends what is typed, which does not stay on the page',
  'is rendered without HTML, rejected with a comment, and the next version shows what changed',
  'is edited with a preview; unsent text survives a reload; that version is accepted',
  'has a page: drafts as they are saved, and the decision; the link works in a new tab',
  'a call opens with its arguments, its result and where it came from; a failed one says why in the list',
  'filters select by tool, session, outcome, project and text, and pages continue',
  'the filter is in the address and survives a reload',
  'the list is virtual, reads earlier pages when it is scrolled, and follows new calls',
  'a call is run again after a confirmation, and its result opens',
  'a link to a call opens it in a new tab, and an unknown one says so',
  'the timeline shows calls, jobs, questions and callbacks of a session on one axis',
  'a call is kept with its arguments and its result as the model received it, and outlives its server',
  'with the history off nothing is written, and the calls of running servers are read from their memory',
  'a row is two lines at most; what is open is beside it, and the address survives a reload',
  'has its colours, in a job without a terminal',
  'is followed until the user scrolls up, and again at the end or by the key',
  'is searched: count, next and previous, also over colours, while it grows',
  'wraps long lines or not, and is copied; the command is copied whole',
  '10 MB with colours in every line are shown in parts, and nothing is lost in the download',
  'shows what was printed before, takes keys, refuses the model meanwhile, and is given back',
  'processor and memory with a graph, and a port whose link opens its page',
  'kill asks first and ends the whole process tree',
  'restart of a running job asks first, ends it and opens the new one',
  'search and filter show what matches, done tasks too',
  'tasks are ordered by keyboard and by dragging, and the model lists them in that order',
  'a task is renamed, its steps are edited, and it is completed, opened again and deleted',
  'a collapsed task stays collapsed after a reload, and a link opens a task',
  'a cancelled one never fires',
  'Ctrl+K finds a job, a task and a command; Enter opens it',
  'g and a letter open a view, j and k move through its cards, ? lists the keys; a field keeps its letters',
  'notifications are asked for by the button only, appear while the page is hidden, and open the item',
  'only public files are kept, and without a server the page says how to start it, until it runs',
  'after a restart the page is back at the same address by itself, and so are a reload and another tab',
  'a server that has exited is in a banner until it is closed, and has no green dot',
  'a phone has a bar at the bottom with counts, and a menu for the rest; nothing of it covers the end of the page',
]

interface Point {
  readonly number: number
  readonly file: string
}

test('each point of the list in docs/console-internals.md has a test that exists', () => {
  const points = readPoints()
  expect(points.map(({ number }) => number)).toEqual(TITLES.map((_, index) => index + 1))
  expect(points).toHaveLength(40)
  expect(points.filter(({ number, file }) => !hasTest(file, TITLES[number - 1] ?? ''))).toEqual([])
})

test('a test that does not exist is noticed', () => {
  const [point] = readPoints()
  expect(point && hasTest(point.file, `${TITLES[0]} not`)).toBe(false)
})

/** Rows such as `| 1 | part | what it does | file |`. */
function readPoints(): Point[] {
  const text = readFileSync(join(ROOT, 'docs/console-internals.md'), 'utf8')
  const section = text.split('\n## ').find((part) => part.startsWith('Checklist')) ?? ''
  return [...section.matchAll(/^\| (\d+) \|.*\| `([^`]+)` \|$/gm)].map(([, number, file = '']) => ({
    number: Number(number),
    file,
  }))
}

function hasTest(file: string, title: string): boolean {
  const code = readFileSync(join(ROOT, 'test', file), 'utf8')
  return [`'${title}'`, `"${title}"`, `\`${title}\``].some((quoted) =>
    new RegExp(`\\b(test|describe)\\(\\s*${escape(quoted)}`).test(code),
  )
}

function escape(text: string): string {
  return text.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')
}
