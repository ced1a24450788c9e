// Stories of the whole page: every view on a normal day, empty, with more than anybody has, and when something is wrong.

import { type ConsoleView, EMPTY_VIEW } from '../../view.js'
import { EXTREME_PLAN, extremeView, largeView, MIXED_TEXT } from './data/extreme-view.js'
import { CLAUDE, CODEX, HOUR, MINUTE, NOTES, sampleSecret, sampleView, SHOP, TEST_RUN } from './data/sample-view.js'
import { TEXTS } from './data/texts.js'
import { click, pageStory, press, type Story, type StoryContext } from './story.js'
import { answerEvents, answerJson, type StoryAnswers } from './story-answers.js'

const PLAN = `# Refunds in parts

1. Write down the states of a refund.
2. A table \`refund_items\` and its migration.
3. An endpoint with an idempotency key.

- [x] States
- [ ] Concurrency tests
- [ ] A page in the handbook

## الخطة بالعربية

1. تحديد حالات الاسترداد.
`

const PLAN_CHANGES = [
  { mark: ' ', text: '1. Write down the states of a refund.' },
  { mark: '-', text: '2. A column for the amount.' },
  { mark: '+', text: '2. A table `refund_items` and its migration.' },
  null,
]

const APPROVAL_ANSWERS: StoryAnswers = {
  'board/approval': ({ body }) =>
    answerJson(
      body.includes('"id":5')
        ? {
            hash: 'h',
            text: PLAN,
            discarded: null,
            changes: PLAN_CHANGES,
          }
        : { hash: 'h', text: null, discarded: '# Notes\n\n- [ ] Rename the folder', changes: [] },
    ),
}

const OUTPUT_ANSWERS: StoryAnswers = {
  'board/output': () =>
    answerEvents([
      {
        from: 2e6,
        next: 3e6,
        size: 3.1e8,
        isRunning: true,
        missing: 52_000,
        text: `\u001B[1;32m✓\u001B[m \u001B[36mtest/orders\u001B[m\n${TEST_RUN}\n`.repeat(20),
        open: '   … 200 buyers of the last item 61/200',
        isLast: true,
      },
    ]),
  'board/terminal': () =>
    answerEvents([{ cols: 80, rows: 24, isReset: true, text: TEST_RUN.replaceAll('\n', '\r\n'), isLast: true }]),
}

const EXTREME_ANSWERS: StoryAnswers = { 'board/approval': () => answerJson(EXTREME_PLAN) }

const HOME_STORIES: readonly Story[] = [
  pageStory({ name: 'home', view: sampleView }),
  pageStory({ name: 'home-approvals', view: withApprovals, answers: () => APPROVAL_ANSWERS }),
  pageStory({
    name: 'home-approval-reject',
    view: withApprovals,
    answers: () => APPROVAL_ANSWERS,
    play: click('main .card .actions button:nth-child(2)'),
  }),
  pageStory({
    name: 'home-approval-edit',
    view: withApprovals,
    answers: () => APPROVAL_ANSWERS,
    play: click('main .card .actions button:nth-child(3)'),
  }),
  pageStory({
    name: 'home-secret',
    view: (context) => ({ ...sampleView(context), secrets: [sampleSecret(context.now)] }),
  }),
  pageStory({ name: 'home-12-options', view: withTwelveOptions }),
  pageStory({ name: 'home-incomplete', view: sampleView, play: click('main button[type=submit]') }),
  pageStory({ name: 'home-empty', view: () => EMPTY_VIEW }),
  pageStory({ name: 'home-extreme', view: extremeView, answers: () => EXTREME_ANSWERS }),
]

const JOB_STORIES: readonly Story[] = [
  pageStory({ name: 'jobs', address: '#/jobs', view: sampleView }),
  pageStory({
    name: 'jobs-output',
    address: '#/jobs/41',
    view: sampleView,
    answers: () => OUTPUT_ANSWERS,
  }),
  pageStory({ name: 'jobs-terminal', address: '#/jobs/a1/38', view: sampleView, answers: () => OUTPUT_ANSWERS }),
  pageStory({
    name: 'jobs-kill',
    address: '#/jobs/41',
    view: sampleView,
    answers: () => OUTPUT_ANSWERS,
    play: click('main .job-title .danger'),
  }),
  pageStory({ name: 'jobs-server-gone', address: '#/jobs/41', view: withGoneServer }),
  pageStory({ name: 'jobs-empty', address: '#/jobs', view: () => EMPTY_VIEW }),
  pageStory({ name: 'jobs-extreme', address: '#/jobs', view: extremeView }),
  pageStory({ name: 'jobs-200', address: '#/jobs', view: largeView }),
]

const PLAN_ANSWERS: StoryAnswers = {
  ...APPROVAL_ANSWERS,
  'board/plan': () => answerJson({ text: PLAN, changes: PLAN_CHANGES }),
}

const PLAN_STORIES: readonly Story[] = [
  pageStory({ name: 'plans', address: '#/plans', view: sampleView, answers: () => PLAN_ANSWERS }),
  pageStory({
    name: 'plans-changes',
    address: '#/plans',
    view: sampleView,
    answers: () => PLAN_ANSWERS,
    play: click('main .switch button:nth-child(2)'),
  }),
  pageStory({ name: 'plans-approval', address: '#/plans', view: withApprovals, answers: () => PLAN_ANSWERS }),
  pageStory({ name: 'plans-empty', address: '#/plans', view: () => EMPTY_VIEW }),
  pageStory({ name: 'plans-extreme', address: '#/plans', view: extremeView, answers: () => EXTREME_ANSWERS }),
]

const CALL_STORIES: readonly Story[] = [
  pageStory({ name: 'calls', address: '#/calls', view: sampleView }),
  pageStory({ name: 'call', address: '#/calls/c97', view: sampleView }),
  pageStory({ name: 'call-failed', address: '#/calls/c96', view: sampleView }),
  pageStory({ name: 'call-running', address: '#/calls/c100', view: sampleView }),
  pageStory({ name: 'calls-timeline', address: '#/calls/session/stdio-41872', view: sampleView }),
  pageStory({ name: 'calls-none-found', address: '#/calls?text=zzz', view: sampleView }),
  pageStory({ name: 'calls-empty', address: '#/calls', view: () => EMPTY_VIEW }),
  pageStory({ name: 'calls-extreme', address: '#/calls', view: extremeView }),
  pageStory({ name: 'call-extreme', address: '#/calls/c296', view: extremeView }),
  pageStory({ name: 'calls-timeline-extreme', address: '#/calls/session/stdio-41872', view: extremeView }),
  pageStory({ name: 'calls-5000', address: '#/calls', view: largeView }),
  // On the second page of the list, which scrolls to it.
  pageStory({ name: 'call-earlier', address: '#/calls/c4880', view: largeView }),
]

const OTHER_STORIES: readonly Story[] = [
  pageStory({ name: 'tasks', address: '#/tasks', view: sampleView }),
  pageStory({ name: 'task', address: `#/tasks/${encodeURIComponent(SHOP)}/31`, view: sampleView }),
  pageStory({ name: 'task-missing', address: `#/tasks/${encodeURIComponent(SHOP)}/4711`, view: sampleView }),
  pageStory({ name: 'tasks-2000', address: '#/tasks', view: largeView }),
  pageStory({ name: 'tasks-empty', address: '#/tasks', view: () => EMPTY_VIEW }),
  pageStory({ name: 'tasks-extreme', address: '#/tasks', view: extremeView }),
  pageStory({ name: 'callbacks', address: '#/callbacks', view: sampleView }),
  pageStory({ name: 'callbacks-empty', address: '#/callbacks', view: () => EMPTY_VIEW }),
  pageStory({ name: 'callbacks-extreme', address: '#/callbacks', view: extremeView }),
  ...CALL_STORIES,
  pageStory({ name: 'tools', address: '#/tools', view: sampleView }),
  pageStory({ name: 'tools-server-gone', address: '#/tools', view: withGoneServer }),
  pageStory({ name: 'tools-empty', address: '#/tools', view: () => EMPTY_VIEW }),
  pageStory({ name: 'tools-extreme', address: '#/tools', view: extremeView }),
]

const FRAME_STORIES: readonly Story[] = [
  pageStory({ name: 'frame-lost', view: sampleView, isLost: true }),
  pageStory({ name: 'frame-server-gone', view: withGoneServer }),
  pageStory({ name: 'frame-menu', view: sampleView, play: click('nav .menu button') }),
  pageStory({ name: 'frame-settings', view: sampleView, play: click('.head-button.settings') }),
  pageStory({ name: 'frame-keys', view: sampleView, play: press('?') }),
  pageStory({ name: 'frame-palette', view: sampleView, play: click('.head-button.search') }),
  pageStory({ name: 'frame-palette-extreme', view: extremeView, play: click('.head-button.search') }),
]

export const PAGE_STORIES: readonly Story[] = [
  ...FRAME_STORIES,
  ...HOME_STORIES,
  ...JOB_STORIES,
  ...PLAN_STORIES,
  ...OTHER_STORIES,
]

function withApprovals(context: StoryContext): ConsoleView {
  const { now, language } = context
  const approval = {
    project: SHOP,
    id: 5,
    action: 'exit',
    goal: TEXTS[language].goal,
    requestedAt: now - 20_000,
    client: CODEX,
  } as const
  const reset = { project: NOTES, id: 6, action: 'reset', goal: '', requestedAt: now - 9 * MINUTE } as const
  return {
    ...sampleView(context),
    questions: [],
    approvals: [
      { ...approval, waiting: true },
      { ...reset, waiting: false },
    ],
  }
}

function withTwelveOptions(context: StoryContext): ConsoleView {
  const { text, header, choices } = TEXTS[context.language].database
  const twelve = Array.from({ length: 12 }, (_, index) => choices[index % choices.length]).filter(
    (choice) => choice !== undefined,
  )
  const question = { text, header, multiple: false, choices: twelve }
  return {
    ...sampleView(context),
    questions: [
      { project: SHOP, id: 12, askedAt: context.now - MINUTE, waiting: true, questions: [question], client: CLAUDE },
    ],
  }
}

function withGoneServer(context: StoryContext): ConsoleView {
  const view = sampleView(context)
  const [first, ...others] = view.servers
  if (first === undefined) return view
  return {
    ...view,
    servers: [
      { ...first, isGone: true, goneAt: context.now - 2 * MINUTE, startedAt: context.now - 3 * HOUR },
      ...others,
    ],
    problems: [`The console socket of server a1 cannot be reached: ${MIXED_TEXT}`],
  }
}
