import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'

import { UsageError } from '@scorpiox/server/terminal/terminal'
import { textWidth } from '@scorpiox/server/text/column-width'
import { LANGUAGES, TRANSLATIONS, type TranslationText } from '../i18n/translator.js'
import { type ConsoleView, EMPTY_VIEW } from '../view.js'
import { formatCounts, formatJobRow, formatPlanRows, formatReport, formatReportJson } from './format-view.js'
import { createHomeScreen } from './home-screen.js'
import { createInboxTranslator, type InboxContext, inboxTranslatorFor } from './inbox-context.js'
import type { ListScreen } from './pane.js'
import { renderRow, rowText } from './rows.js'
import { inboxMessagesAr } from './messages/ar.js'
import { inboxMessagesEn } from './messages/en.js'
import { inboxMessagesKo } from './messages/ko.js'

const NOW = 1_800_000_000_000
const CALL = { session: 's', client: '', error: null }
const PROJECT = '/srv/shop'
const ENGLISH = inboxTranslatorFor('en')

const VIEW: ConsoleView = {
  servers: [
    {
      id: 'a',
      pid: 41,
      transport: 'stdio',
      project: PROJECT,
      startedAt: NOW - 7_380_000,
      version: '1.0.0',
      isGone: false,
      goneAt: null,
      tools: [
        { name: 'Bash', works: true, note: null },
        { name: 'Fetch', works: false, note: 'no network' },
        { name: 'Search', works: true, note: 'slow' },
      ],
    },
  ],
  secrets: [],
  approvals: [],
  questions: [
    {
      project: PROJECT,
      id: 7,
      askedAt: NOW - 120_000,
      waiting: true,
      questions: [
        {
          text: 'Which database?',
          header: 'Storage',
          choices: [
            { label: 'SQLite', description: 'a file' },
            { label: 'PostgreSQL', description: null },
          ],
          multiple: false,
        },
        { text: 'Which languages?', header: null, choices: [{ label: '한국어', description: null }], multiple: true },
      ],
    },
  ],
  messages: [{ project: PROJECT, id: 1, kind: 'callback', text: 'look at\nthe build', createdAt: NOW }],
  callbacks: [
    callback({ slot: 0, fireAt: NOW + 299_500, everyMs: 60_000, repeatsLeft: 19 }),
    callback({ slot: 1, fireAt: NOW - 1, everyMs: 60_000, repeatsLeft: -1 }),
    callback({ slot: 2, job: 3 }),
    callback({ slot: 3, job: 3, pattern: 'ready' }),
  ],
  jobs: [
    job({ id: 3, command: 'npm test', startedAt: NOW - 123_000, tail: 'one\ntwo\n' }),
    job({ id: 1, isRunning: false, endedAt: NOW - 1000, startedAt: NOW - 5000, ending: 'exit', exitCode: 1 }),
    job({ id: 2, isRunning: false, endedAt: NOW - 500, startedAt: NOW - 5000, ending: 'killed' }),
  ],
  projects: [
    {
      project: PROJECT,
      plan: { goal: 'Ship it', startedAt: NOW, version: 1 },
      openTasks: 3,
      doneTasks: 0,
      taskRevision: 1,
      tasks: [
        {
          id: 4,
          name: 'Write tests',
          isCurrent: true,
          createdAt: NOW,
          completedAt: null,
          steps: [
            { id: 1, text: 'one', isDone: true },
            { id: 2, text: 'two', isDone: false },
          ],
          stepsDone: 1,
          stepsTotal: 2,
        },
        {
          id: 5,
          name: 'Rest',
          isCurrent: false,
          createdAt: NOW,
          completedAt: null,
          steps: [],
          stepsDone: 0,
          stepsTotal: 0,
        },
      ],
    },
    { project: '/srv/idle', plan: null, openTasks: 0, doneTasks: 0, taskRevision: 0, tasks: [] },
  ],
  calls: [
    {
      ...CALL,
      id: '1',
      server: 'a',
      project: PROJECT,
      tool: 'Bash',
      about: 'ls',
      outcome: 'ok',
      startedAt: NOW,
      ms: 12.4,
    },
    {
      ...CALL,
      id: '2',
      server: 'a',
      project: PROJECT,
      tool: 'Bash',
      about: 'make',
      outcome: 'running',
      startedAt: NOW,
      ms: 0,
    },
    {
      ...CALL,
      id: '3',
      server: 'a',
      project: PROJECT,
      tool: 'Fetch',
      about: '',
      outcome: 'error',
      startedAt: NOW - 90_000,
      ms: 61_000,
    },
  ],
  problems: ['The state cannot be read.'],
}

beforeEach(() => void vi.useFakeTimers({ now: NOW, toFake: ['Date'] }))
afterEach(() => void vi.useRealTimers())

/** The screens read the view through their context only. */
function contextOf(view: ConsoleView, translator = ENGLISH): InboxContext {
  return { view: () => view, translator, notifications: { areOn: true, toggle() {} } } as unknown as InboxContext
}

const rowsOf = (screen: ListScreen): readonly string[] => screen.items().map((item) => rowText(item.row()))
const home = (view: ConsoleView, translator = ENGLISH): ListScreen => createHomeScreen(contextOf(view, translator))

test('home lists problems and what needs the user first', () => {
  expect(formatCounts(VIEW, ENGLISH)).toBe('1 question · 1 server')
  expect(rowsOf(home(VIEW))).toEqual([
    'The state cannot be read.',
    'Question · model is waiting · +1 more · Which database?',
    'Job 1 · exit code 1 after 4s · sleep 9',
    'For the model · look at the build',
    'Job 3 · 2m 3s · npm test · two',
    'Callback 0 · fires in 5m · every 1m, 19 more times · look',
    'Callback 1 · due now · every 1m, until cancelled · look',
    'Callback 2 · fires when job 3 ends · look',
    'Callback 3 · fires when job 3 prints ready · look',
    'Jobs · 3',
    'Plans and tasks · 3 open',
    'Recent calls · 3',
    'Servers and tools · 1 tool does not work',
  ])
})

test('what blocks a model is listed before what was asked earlier, questions before plans', () => {
  const [question] = VIEW.questions
  if (!question) throw new Error('no question')
  const early = { ...question, id: 1, waiting: false, askedAt: NOW - 999_000 }
  const requestedAt = NOW - 500_000
  const approval = { project: PROJECT, id: 2, action: 'exit', goal: 'roof', requestedAt, waiting: true } as const
  const view = { ...EMPTY_VIEW, questions: [early, question], approvals: [approval] }
  const values = home(view)
    .items()
    .map(({ value }) => value)
  expect(values.slice(0, 3)).toEqual([`question 7 ${PROJECT}`, `approval 2 ${PROJECT}`, `question 1 ${PROJECT}`])
})

test('what waits and each server names its clients, a server those that called last', () => {
  const client = 'atlas-code\u001B 2.1'
  const named = (names: readonly string[]) =>
    names.map((name, index) => ({ session: `${index}`, client: name, lastCallAt: NOW }))
  const [server] = VIEW.servers
  const [question] = VIEW.questions
  if (!server || !question) throw new Error('nothing to show')
  const view: ConsoleView = {
    ...EMPTY_VIEW,
    questions: [{ ...question, client }],
    servers: [
      { ...server, clients: named(['one 1', 'two 2', 'one 1']) },
      { ...server, clients: named(['1', '2', '3', '4', '5']) },
    ],
  }
  const lines = formatReport(view, ENGLISH, NOW).split('\n')
  expect(lines.filter((row) => row.includes('question 7'))).toEqual([
    `  shop · atlas-code 2.1 · question 7 · 2 minutes ago`,
  ])
  expect(lines.filter((row) => row.includes('stdio')).map((row) => row.replace(/ · stdio.*/, ''))).toEqual([
    '  shop · one 1 · two 2',
    '  shop · 1 · 2 · 3 · and 2 more',
  ])
})

test('with problems, the first line does not claim that there are no questions', () => {
  expect(formatCounts(EMPTY_VIEW, ENGLISH)).toBe('no questions · 0 servers')
  expect(formatCounts({ ...EMPTY_VIEW, problems: VIEW.problems }, ENGLISH)).toBe('1 problem · 0 servers')
  expect(formatReport(EMPTY_VIEW, ENGLISH, NOW)).toBe('scorpiox-code inbox · no questions · 0 servers\n')
})

test('the value of an item is its own, and stays the same while the item changes', () => {
  const values = home(VIEW)
    .items()
    .map(({ value }) => value)
  expect([...new Set(values)]).toEqual(values)
  vi.setSystemTime(NOW + 5000)
  expect(
    home({ ...VIEW, calls: [] })
      .items()
      .map(({ value }) => value),
  ).toEqual(values)
})

test('the row of a job has its project if there are several, and says that a person types into it', () => {
  const [first, ...others] = VIEW.jobs
  if (!first) throw new Error('no job')
  const terminal = { cols: 80, rows: 24, isUserTyping: true }
  const jobs = [{ ...first, terminal }, ...others]
  const rows = (view: ConsoleView): readonly string[] => view.jobs.map((each) => formatJobRow(each, view, ENGLISH, NOW))
  expect(rows({ ...VIEW, jobs })[0]).toBe('3 · 2m 3s · you are typing · npm test · two')
  expect(rows({ ...VIEW, jobs: [...VIEW.jobs, job({ id: 8, project: '/srv/blog' })] })).toEqual([
    '3 · 2m 3s · shop · npm test · two',
    '1 · exit code 1 after 4s · shop · sleep 9',
    '2 · killed after 4.5s · shop · sleep 9',
    '8 · 1s · blog · sleep 9',
  ])
})

test('sections', () => {
  expect(formatPlanRows(VIEW, ENGLISH)).toEqual([
    'shop · 3 open tasks',
    '  Plan: Ship it',
    '  ▸ 4 · Write tests · 1 of 2 steps done',
    '      [x] one',
    '      [ ] two',
    '    5 · Rest',
    '  and 1 more',
  ])
  const withoutGoal = VIEW.projects.map((each) => ({ ...each, plan: each.plan && { ...each.plan, goal: '' } }))
  expect(formatPlanRows({ ...VIEW, projects: withoutGoal }, ENGLISH)[1]).toBe('  Plan in progress')
  const report = formatReport(VIEW, ENGLISH, NOW)
  expect(report).toContain(
    '\nRecent calls\n  ✓ Bash · 12ms · now · ls\n  … Bash · running · now · make\n  ✗ Fetch · 1m 1s · 1 minute ago\n',
  )
  expect(report).toContain(
    'shop · stdio, process 41 · version 1.0.0 · started 2 hours ago\n    ✓ Bash\n    ✗ Fetch: no network\n    ! Search: slow\n',
  )
})

test('the report contains all sections, and forms with their choices', () => {
  const text = formatReport(VIEW, ENGLISH, NOW)
  expect(text).toContain(
    '\nQuestions\n  shop · question 7 · 2 minutes ago\n    Which database?\n      ○ SQLite · a file\n      ○ PostgreSQL\n' +
      '    Which languages? · choose one or more\n      ○ 한국어\n',
  )
  expect(text.match(/^\S.*$/gm)?.slice(1)).toEqual([
    'Questions',
    'Jobs',
    'Callbacks',
    'Messages for the model',
    'Plans and tasks',
    'Recent calls',
    'Servers and tools',
    'Problems',
  ])
  expect(JSON.parse(formatReportJson(VIEW))).toEqual(VIEW)
})

test('no control characters of the view reach the terminal', () => {
  const hostileText = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.constantFrom(
      '\u001B[2J\u001B[H',
      '\u009B31m',
      '\u001B]52;c;eA==\u0007',
      '\r\nfake',
      '\u202Eabc',
      '\u2066',
      '\uD800',
    ),
  )
  fc.assert(
    fc.property(hostileText, (text) => {
      const view = replaced(VIEW, text)
      const results = [
        formatReport(view, ENGLISH, NOW),
        ...home(view)
          .items()
          .map((item) => renderRow(item.row(), 200, { styleCode: () => '' })),
        formatCounts(view, ENGLISH),
      ]
      expect(results.join('').replaceAll('\n', '')).not.toMatch(/[\p{Cc}\u2028-\u202E\u2066-\u2069\p{Cs}]/u)
      expect(formatReport(view, ENGLISH, NOW).split('\n')).toHaveLength(
        formatReport(replaced(VIEW, 'x'), ENGLISH, NOW).split('\n').length,
      )
      expect(formatReportJson(view).replaceAll('\n', '')).not.toMatch(/[\p{Cc}\u2028-\u202E\u2066-\u2069]/u)
      expect(JSON.parse(formatReportJson(view))).toEqual(view)
    }),
  )
})

describe('languages', () => {
  test.each([
    [{ LC_ALL: 'ko_KR.UTF-8', LANG: 'ar_EG.UTF-8' }, 'ko'],
    [{ LC_ALL: '', LC_MESSAGES: 'ar_EG', LANG: 'ko_KR.UTF-8' }, 'ar'],
    [{ LANG: 'ko' }, 'ko'],
    [{ LC_ALL: 'C', LANG: 'ko_KR.UTF-8' }, 'en'],
    [{ LANG: 'ar_SA@latin' }, 'ar'],
    [{ LANG: 'de_DE.UTF-8' }, 'en'],
    [{}, 'en'],
  ] as const)('%j is %s', (env, language) => {
    expect(createInboxTranslator(undefined, env).language).toBe(language)
  })

  test('--lang takes precedence, and an unknown language is rejected', () => {
    expect(createInboxTranslator('ar', { LC_ALL: 'ko_KR' }).language).toBe('ar')
    expect(() => createInboxTranslator('de', {})).toThrow(new UsageError('--lang must be one of en, ko, ar, got de'))
  })

  test.each([
    ['ko', inboxMessagesKo],
    ['ar', inboxMessagesAr],
  ] as const)(
    'the catalogue %s has every phrase with the same placeholders, and the plural forms of its language',
    (name, own) => {
      expect(Object.keys(own)).toEqual(Object.keys(inboxMessagesEn))
      for (const [key, model] of Object.entries<TranslationText>(inboxMessagesEn)) {
        const phrase: TranslationText = own[key as keyof typeof inboxMessagesEn]
        expect(typeof phrase, key).toBe(typeof model)
        expect(placeholdersOf(phrase), key).toEqual(placeholdersOf(model))
        if (typeof phrase === 'string') continue
        const forms = new Intl.PluralRules(name).resolvedOptions().pluralCategories
        expect(Object.keys(phrase).sort(), key).toEqual([...forms].sort())
      }
    },
  )

  test('messages of the inbox do not override those of the page', () => {
    expect(Object.keys(inboxMessagesEn).filter((key) => key in TRANSLATIONS.en)).toEqual([])
  })

  test.each(LANGUAGES)('in $name only names are in English', ({ language }) => {
    if (language === 'en') return
    const view = replaced(VIEW, '#')
    const translator = inboxTranslatorFor(language)
    const text = [formatReport(view, translator, NOW), ...rowsOf(home(view, translator))].join('\n')
    const latin = text.match(/[A-Za-z]{2,}/g) ?? []
    const names = new Set(['scorpiox', 'code', 'inbox', 'stdio', 'ms'])
    expect(latin.filter((word) => !names.has(word))).toEqual([])
  })

  test('the width of a Korean line matches the terminal', () => {
    expect(textWidth(inboxTranslatorFor('ko').translate('quit'))).toBe(6)
    // Decomposed syllables (NFD), as some file systems store them, have the same width.
    expect(textWidth('한국어'.normalize('NFD'))).toBe(textWidth('한국어'))
  })
})

function placeholdersOf(phrase: TranslationText): string[] {
  const text = typeof phrase === 'string' ? phrase : phrase.other
  return [...text.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name).sort()
}

function job(some: Partial<ConsoleView['jobs'][number]>): ConsoleView['jobs'][number] {
  return {
    server: 'a',
    project: PROJECT,
    id: 1,
    command: 'sleep 9',
    startedAt: NOW,
    endedAt: null,
    isRunning: true,
    exitCode: null,
    ending: null,
    signal: null,
    tail: '',
    ...some,
  }
}

function callback(some: Partial<ConsoleView['callbacks'][number]>): ConsoleView['callbacks'][number] {
  return {
    project: PROJECT,
    session: 's',
    slot: 0,
    message: 'look',
    fireAt: null,
    everyMs: 0,
    repeatsLeft: 0,
    job: null,
    pattern: null,
    ...some,
  }
}

/** Replaces all free text of the view. */
function replaced(view: ConsoleView, text: string): ConsoleView {
  const fixed = new Set(['transport', 'kind', 'outcome', 'ending'])
  return JSON.parse(
    JSON.stringify(view, (key, value: unknown) => (typeof value === 'string' && !fixed.has(key) ? text : value)),
  )
}
