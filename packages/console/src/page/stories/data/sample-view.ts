// What the console shows on a normal day, for the stories: two clients that work on a shop, each with its server, and a
// server of notes that two clients use. Pure.

import type {
  CallbackView,
  CallView,
  ConsoleView,
  JobUsageView,
  JobView,
  ProjectView,
  QuestionView,
  SecretView,
  ServerView,
  TaskView,
} from '../../../view.js'
import type { StoryContext } from '../story.js'
import { type StoryTexts, TEXTS } from './texts.js'

export const MINUTE = 60_000
export const HOUR = 60 * MINUTE

export const SHOP = '/home/mina/projects/shop-api'
export const NOTES = '/home/mina/projects/field-notes'

export const CLAUDE = 'Claude Code 2.1.0'
export const CODEX = 'codex-mcp-client 0.98.1'
const CURSOR = 'Cursor 2.4.1'

export function sampleView({ language, now }: StoryContext): ConsoleView {
  const texts = TEXTS[language]
  return {
    servers: sampleServers(now),
    secrets: [],
    approvals: [],
    questions: sampleQuestions(texts, now),
    messages: [
      { project: NOTES, id: 7, kind: 'answer', text: texts.answered, createdAt: now - 4 * MINUTE, client: CURSOR },
    ],
    callbacks: sampleCallbacks(texts, now),
    jobs: sampleJobs(now),
    projects: sampleProjects(texts, now),
    calls: sampleCalls(now),
    problems: [],
  }
}

export function sampleSecret(now: number): SecretView {
  return {
    server: 'a1',
    project: SHOP,
    id: 'secret-1',
    command: 'git push origin refunds && ssh deploy@staging.example.org sudo systemctl restart shop',
    prompt: "Password for 'https://mina@git.example.org': ",
    askedAt: now - 12_000,
    isSecret: true,
    client: CLAUDE,
  }
}

function sampleServers(now: number): readonly ServerView[] {
  const tools = TOOLS.map((name) => ({ name, works: true, note: null }))
  const limited = tools.map((tool) => ({ ...tool, ...LIMITS[tool.name] }))
  return [
    {
      id: 'a1',
      pid: 41_872,
      transport: 'stdio',
      project: SHOP,
      startedAt: now - 3 * HOUR,
      version: '1.1.0',
      tools,
      isGone: false,
      goneAt: null,
      clients: [{ session: 'stdio-41872', client: CLAUDE, lastCallAt: now - 40_000 }],
    },
    {
      id: 'c3',
      pid: 42_004,
      transport: 'stdio',
      project: SHOP,
      startedAt: now - 2 * HOUR,
      version: '1.1.0',
      tools,
      isGone: false,
      goneAt: null,
      clients: [{ session: 'stdio-42004', client: CODEX, lastCallAt: now - 20 * MINUTE }],
    },
    {
      id: 'b2',
      pid: 39_210,
      transport: 'http',
      project: NOTES,
      startedAt: now - 50 * HOUR,
      version: '1.1.0',
      tools: limited,
      isGone: false,
      goneAt: null,
      clients: [
        { session: 'http-7f3a', client: CURSOR, lastCallAt: now - 9 * MINUTE },
        { session: 'http-19bc', client: CLAUDE, lastCallAt: now - 3 * HOUR },
      ],
    },
  ]
}

const TOOLS = [
  'Bash',
  'TaskManager',
  'PlanMode',
  'InvokeSkill',
  'BackgroundBash',
  'ReadBgOutput',
  'ListBgTasks',
  'KillBgTask',
  'AskUserQuestion',
  'SetCallback',
]

const LIMITS: Readonly<Record<string, { readonly works: boolean; readonly note: string }>> = {
  SetCallback: { works: false, note: 'The state folder cannot be written to; callbacks are not kept.' },
  Bash: { works: true, note: 'The sandbox is not available here: commands run unconfined.' },
}

function sampleQuestions({ database, checks, rename }: StoryTexts, now: number): readonly QuestionView[] {
  return [
    {
      project: SHOP,
      id: 12,
      askedAt: now - 40_000,
      waiting: true,
      client: CLAUDE,
      questions: [
        { ...database, multiple: false },
        { text: checks.text, header: null, multiple: true, choices: checks.choices.map(toChoice) },
      ],
    },
    {
      project: NOTES,
      id: 3,
      askedAt: now - 26 * MINUTE,
      waiting: false,
      client: CURSOR,
      questions: [{ text: rename.text, header: null, multiple: false, choices: rename.choices.map(toChoice) }],
    },
  ]
}

function toChoice(label: string) {
  return { label, description: null }
}

function sampleCallbacks({ callbacks: { deploy, tests, certificate } }: StoryTexts, now: number): CallbackView[] {
  const base = { project: SHOP, session: 'stdio', job: null, pattern: null, client: CLAUDE }
  return [
    { ...base, slot: 0, message: deploy, fireAt: now + 4 * MINUTE + 12_000, everyMs: 5 * MINUTE, repeatsLeft: 18 },
    { ...base, slot: 1, message: tests, fireAt: null, everyMs: 0, repeatsLeft: 1, job: 41, client: CODEX },
    {
      ...base,
      project: NOTES,
      // Its client is not known.
      client: undefined,
      slot: 0,
      message: certificate,
      fireAt: now + 47 * MINUTE,
      everyMs: HOUR,
      repeatsLeft: -1,
    },
  ]
}

function sampleUsage(now: number): JobUsageView {
  const percents = [12, 180, 194, 176, 92, 88, 131, 140, 96, 20, 14, 60, 120, 118, 97]
  const history = percents.map((processorPercent, index) => ({
    processorPercent,
    memoryBytes: 1e8 + 9e6 * index - 4e5 * processorPercent,
  }))
  return {
    ports: [5173, 51_204],
    hasOwnNetwork: false,
    processes: 4,
    memoryBytes: 1.87e8,
    processorMs: 81_400,
    at: now,
    history,
    historySince: now - 45_000,
  }
}

function sampleJobs(now: number): readonly JobView[] {
  const running: Omit<JobView, 'id' | 'command' | 'startedAt'> = {
    server: 'a1',
    project: SHOP,
    endedAt: null,
    isRunning: true,
    exitCode: null,
    ending: null,
    signal: null,
    tail: '',
    usage: null,
    client: CLAUDE,
  }
  const ended = { ...running, isRunning: false, exitCode: 0, ending: 'exit' } as const
  return [
    {
      ...running,
      id: 41,
      command: 'npx vitest run test/orders',
      startedAt: now - 74_000,
      tail: TEST_RUN,
      usage: sampleUsage(now),
    },
    {
      ...running,
      id: 38,
      command: 'npm run dev',
      startedAt: now - 2 * HOUR - 11 * MINUTE,
      tail: SERVER_LOG,
      terminal: { cols: 80, rows: 24, isUserTyping: true },
      usage: 'unknown',
    },
    {
      ...ended,
      id: 40,
      command: 'npm ci',
      startedAt: now - 9 * MINUTE,
      endedAt: now - 8 * MINUTE,
      tail: 'added 412 packages in 14s',
    },
    {
      ...ended,
      server: 'c3',
      client: CODEX,
      id: 39,
      command: 'docker compose up --wait db && npm run migrate -- --to latest',
      startedAt: now - 21 * MINUTE,
      endedAt: now - 20 * MINUTE,
      exitCode: 1,
      tail: 'error: port 5432 is already in use',
    },
    {
      ...ended,
      server: 'b2',
      project: NOTES,
      client: CURSOR,
      id: 12,
      command: 'node scripts/reindex.mjs',
      startedAt: now - 5 * HOUR,
      endedAt: now - 5 * HOUR + 340_000,
      exitCode: null,
      ending: 'killed',
    },
  ]
}

export const TEST_RUN = `$ vitest run test/orders
 ✓ test/orders/create.test.ts (18 tests) 412ms
 ✓ test/orders/refund.test.ts (11 tests) 389ms
 ✓ test/orders/shipping.test.ts (24 tests) 1204ms
 ❯ test/orders/concurrency.test.ts 6/20
   ✓ two refunds of one order: one succeeds
   ✓ a refund during shipping is refused
   … 200 buyers of the last item`

const SERVER_LOG = `> shop-api@2.4.0 dev
> tsx watch src/server.ts

[10:41:07] listening on http://127.0.0.1:4000
[10:41:32] GET  /orders/8123        200   12ms
[10:41:33] POST /orders/8123/refund 409    8ms
[10:41:51] GET  /health             200    1ms`

function sampleProjects(texts: StoryTexts, now: number): readonly ProjectView[] {
  return [
    {
      project: SHOP,
      plan: { goal: texts.goal, startedAt: now - 50 * MINUTE, version: 3 },
      tasks: [
        toTask(31, texts.refunds, 2, true),
        toTask(29, texts.upgrade, 0),
        toTask(30, { name: texts.health, steps: [] }, 0),
      ].map((task) => ({ ...task, createdAt: now - 30 * HOUR })),
      openTasks: 5,
      doneTasks: 0,
      taskRevision: 1,
    },
    {
      project: NOTES,
      plan: null,
      tasks: [toTask(4, texts.search, 3, true)],
      openTasks: 1,
      doneTasks: 0,
      taskRevision: 1,
    },
  ]
}

export function toTask(
  id: number,
  { name, steps }: { readonly name: string; readonly steps: readonly string[] },
  stepsDone: number,
  isCurrent = false,
): TaskView {
  return {
    id,
    name,
    isCurrent,
    createdAt: 0,
    completedAt: null,
    steps: steps.map((text, index) => ({ id: id * 10 + index, text, isDone: index < stepsDone })),
    stepsDone,
    stepsTotal: steps.length,
  }
}

type CallRow = Pick<CallView, 'tool' | 'about' | 'outcome' | 'ms'> & { readonly ago: number; readonly isNotes?: true }

const CALL_ROWS: readonly CallRow[] = [
  {
    tool: 'AskUserQuestion',
    about: 'The refund tests need a database. Which one',
    outcome: 'running',
    ago: 40_000,
    ms: 0,
  },
  { tool: 'ReadBgOutput', about: '41', outcome: 'ok', ago: 52_000, ms: 3 },
  { tool: 'BackgroundBash', about: 'npx vitest run test/orders', outcome: 'ok', ago: 74_000, ms: 21 },
  { tool: 'Bash', about: 'npx vitest run test/orders', outcome: 'ok', ago: 2 * MINUTE, ms: 8_400 },
  { tool: 'Bash', about: 'npm run migrate -- --to latest', outcome: 'error', ago: 6 * MINUTE, ms: 2417 },
  { tool: 'TaskManager', about: 'complete 11', outcome: 'ok', ago: 9 * MINUTE, ms: 6, isNotes: true },
  {
    tool: 'SetCallback',
    about: 'set 0: Check whether the deployment has finished',
    outcome: 'ok',
    ago: 11 * MINUTE,
    ms: 9,
  },
  {
    tool: 'Bash',
    about: 'grep -rn "drafts/" content | wc -l',
    outcome: 'cancelled',
    ago: 14 * MINUTE,
    ms: 12_600,
    isNotes: true,
  },
  { tool: 'PlanMode', about: 'enter: Refunds in parts', outcome: 'ok', ago: 50 * MINUTE, ms: 44 },
]

export function sampleCalls(now: number): readonly CallView[] {
  return CALL_ROWS.map(({ ago, isNotes = false, ...row }, index) => ({
    ...row,
    id: `c${100 - index}`,
    server: isNotes ? 'b2' : 'a1',
    project: isNotes ? NOTES : SHOP,
    session: isNotes ? 'http-7f3a' : 'stdio-41872',
    client: isNotes ? CURSOR : CLAUDE,
    startedAt: now - ago,
    error: row.outcome === 'error' ? 'Exit code 1: relation "refund_items" already exists' : null,
  }))
}
