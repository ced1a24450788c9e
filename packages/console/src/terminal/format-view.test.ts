import fc from 'fast-check'
import { describe, expect, test } from 'vitest'

import { UsageError } from '@scorpiox/server/terminal/terminal'
import { textWidth } from '@scorpiox/server/text/column-width'
import { LANGUAGES, TRANSLATIONS, type TranslationText } from '../i18n/translator.js'
import { type ConsoleView, EMPTY_VIEW } from '../view.js'
import { formatHeadline, formatPlanRows, formatReport, formatReportJson } from './format-view.js'
import { createInboxTranslator, inboxTranslatorFor } from './inbox-context.js'
import { endedJobsMenu, formatSectionLines, mainMenu } from './menu.js'
import { inboxMessagesAr } from './messages/ar.js'
import { inboxMessagesEn } from './messages/en.js'
import { inboxMessagesKo } from './messages/ko.js'

const NOW = 1_800_000_000_000
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
      plan: { goal: 'Ship it', startedAt: NOW },
      openTasks: 3,
      tasks: [
        {
          id: 4,
          name: 'Write tests',
          isCurrent: true,
          steps: [
            { id: 1, text: 'one', isDone: true },
            { id: 2, text: 'two', isDone: false },
          ],
          stepsDone: 1,
          stepsTotal: 2,
        },
        { id: 5, name: 'Rest', isCurrent: false, steps: [], stepsDone: 0, stepsTotal: 0 },
      ],
    },
    { project: '/srv/idle', plan: null, openTasks: 0, tasks: [] },
  ],
  calls: [
    { server: 'a', project: PROJECT, tool: 'Bash', about: 'ls', outcome: 'ok', startedAt: NOW, ms: 12.4 },
    { server: 'a', project: PROJECT, tool: 'Bash', about: 'make', outcome: 'running', startedAt: NOW, ms: 0 },
    { server: 'a', project: PROJECT, tool: 'Fetch', about: '', outcome: 'error', startedAt: NOW - 90_000, ms: 61_000 },
  ],
  problems: ['The state cannot be read.'],
}

test('the main menu lists open questions first', () => {
  expect(formatHeadline(VIEW, ENGLISH)).toBe('scorpiox-code inbox · 1 question · 1 server')
  expect(mainMenu(VIEW, ENGLISH, NOW).map(({ label }) => label)).toEqual([
    'Problems · The state cannot be read.',
    'Question · Which database? · +1 more · a call waits',
    'Job 3 · 2m 3s · npm test · two',
    'Callback 0 · in 5m · every 1m, 19 more times · look',
    'Callback 1 · due · every 1m, until cancelled · look',
    'Callback 2 · when job 3 ends · look',
    'Callback 3 · when job 3 prints ready · look',
    'For the model · look at the build',
    'Ended jobs · 2',
    'Plans and tasks · 3 open',
    'Recent calls · 3',
    'Servers and tools · 1 does not work',
    'Quit',
  ])
})

test('an empty view shows a placeholder and Quit', () => {
  expect(formatHeadline(EMPTY_VIEW, ENGLISH)).toBe('scorpiox-code inbox · no question · 0 servers')
  expect(mainMenu(EMPTY_VIEW, ENGLISH, NOW).map(({ value }) => value)).toEqual(['nothing', 'quit'])
  // With problems, the headline does not claim that there are no questions.
  expect(formatHeadline({ ...EMPTY_VIEW, problems: VIEW.problems }, ENGLISH)).toBe(
    'scorpiox-code inbox · 1 problem · 0 servers',
  )
  expect(formatReport(EMPTY_VIEW, ENGLISH, NOW)).toBe('scorpiox-code inbox · no question · 0 servers\n')
})

test('the value of an entry stays the same while its item changes', () => {
  const names = mainMenu(VIEW, ENGLISH, NOW).map(({ value }) => value)
  expect([...new Set(names)]).toEqual(names)
  expect(mainMenu({ ...VIEW, calls: [] }, ENGLISH, NOW + 5000).map(({ value }) => value)).toEqual(
    names.filter((name) => name !== 'section calls'),
  )
})

test('ended jobs, newest first', () => {
  expect(endedJobsMenu(VIEW, ENGLISH, NOW).map(({ label }) => label)).toEqual([
    'Job 2 · killed after 4.5s · sleep 9',
    'Job 1 · exit code 1 after 4s · sleep 9',
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
  expect(formatSectionLines(VIEW, 'calls', ENGLISH, NOW)).toEqual([
    '✓ Bash · 12ms · now · ls',
    '… Bash · running · now · make',
    '✗ Fetch · 1m 1s · 1 minute ago',
  ])
  expect(formatSectionLines(VIEW, 'servers', ENGLISH, NOW)).toEqual([
    'shop · stdio, process 41 · version 1.0.0 · started 2 hours ago',
    '  ✓ Bash',
    '  ✗ Fetch: no network',
    '  ! Search: slow',
  ])
})

test('the report contains all sections, and forms with their choices', () => {
  const text = formatReport(VIEW, ENGLISH, NOW)
  expect(text).toContain(
    '\nQuestions\n  shop · question 7 · 2 minutes ago\n    Which database?\n      ○ SQLite · a file\n      ○ PostgreSQL\n' +
      '    Which languages? · several may be chosen\n      ○ 한국어\n',
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
        ...mainMenu(view, ENGLISH, NOW).map(({ label }) => `${label}\n`),
        formatHeadline(view, ENGLISH),
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
    const text = [
      formatReport(view, translator, NOW),
      ...mainMenu(view, translator, NOW).map(({ label }) => label),
    ].join('\n')
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
