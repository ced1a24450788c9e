// The data that the stand-in shows: a normal day in English and in Arabic, an empty console, and an overfull one.

const MINUTE = 60_000
const HOUR = 60 * MINUTE

const SHOP = '/home/mina/projects/shop-api'
const NOTES = '/home/mina/projects/field-notes'

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

const TEST_RUN = `$ vitest run test/orders
 ✓ test/orders/create.test.ts (18 tests) 412ms
 ✓ test/orders/refund.test.ts (11 tests) 389ms
 ✓ test/orders/shipping.test.ts (24 tests) 1204ms
 ❯ test/orders/concurrency.test.ts 6/20
   ✓ two refunds of one order: one succeeds
   ✓ a refund during shipping is refused
   … 200 buyers of the last item`

const SERVER = `> shop-api@2.4.0 dev
> tsx watch src/server.ts

[10:41:07] listening on http://127.0.0.1:4000
[10:41:32] GET  /orders/8123        200   12ms
[10:41:33] POST /orders/8123/refund 409    8ms
[10:41:51] GET  /health             200    1ms`

export const PLAN = `# Refunds in parts

1. Write down the states of a refund.
2. A table \`refund_items\` and its migration.
3. An endpoint with an idempotency key.

- [ ] Concurrency tests
- [ ] A page in the handbook

## الخطة بالعربية

1. تدوين حالات الاسترداد.
`

const LONG_LINE = `${'averyverylongwordwithoutanyspacesinit'.repeat(8)} <img src=x onerror=alert(1)> \u202e reversed`

/** What is shown of a plan to approve, by its id: 5 and 6 are ordinary ones. */
export function approvalDetails(id) {
  if (id === 6) return { hash: 'h', text: null, discarded: '# Notes\n\n- [ ] Rename the folder', changes: [] }
  const text =
    id === 5 ? PLAN : `# ${LONG_LINE}\n\n- [ ] ${LONG_LINE}\n\n\`\`\`${LONG_LINE}\n${LONG_LINE}\n\`\`\`\n${LONG_LINE}`
  const changes = [
    { mark: ' ', text: '1. Write down the states of a refund.' },
    { mark: '-', text: '2. A column for the amount.' },
    { mark: '+', text: id === 5 ? '2. A table `refund_items` and its migration.' : LONG_LINE },
    null,
  ]
  return { hash: 'h', text, discarded: null, changes }
}

export const SCENES = { english, arabic, empty, crowd, approvals }

function english(now) {
  return {
    servers: servers(now),
    approvals: [],
    questions: [
      {
        project: SHOP,
        id: 12,
        askedAt: now - 40_000,
        waiting: true,
        questions: [
          {
            text: 'The refund tests need a database. Which one should they use?',
            header: 'Test database',
            multiple: false,
            choices: [
              {
                label: 'SQLite in memory',
                description: 'Fast, nothing to install; differs from production in locking.',
              },
              { label: 'PostgreSQL in a container', description: 'As in production; 6 s slower per run.' },
              { label: 'The shared staging database', description: null },
            ],
          },
          {
            text: 'Which checks should run before every commit?',
            header: null,
            multiple: true,
            choices: [
              { label: 'Types', description: null },
              { label: 'Lint', description: null },
              { label: 'Unit tests', description: null },
            ],
          },
        ],
      },
      {
        project: NOTES,
        id: 3,
        askedAt: now - 26 * MINUTE,
        waiting: false,
        questions: [
          {
            text: 'May I rename the folder “drafts” to “entries”? 14 links point to it; I would update them.',
            header: null,
            multiple: false,
            choices: [
              { label: 'Rename and update', description: null },
              { label: 'Leave it', description: null },
            ],
          },
        ],
      },
    ],
    messages: [
      {
        project: NOTES,
        id: 7,
        kind: 'answer',
        text: 'The answer to “Which map service?” is: OpenStreetMap.',
        createdAt: now - 4 * MINUTE,
      },
    ],
    callbacks: callbacks(now, {
      deploy: 'Check whether the deployment has finished, and report the error rate.',
      rest: 'If the tests are green, go on with step 3.',
      certificate: 'Look at the log for renewed certificates.',
    }),
    jobs: jobs(now),
    projects: [
      {
        project: SHOP,
        plan: {
          goal: 'Refunds in parts: an order can be refunded item by item, each once.',
          startedAt: now - 50 * MINUTE,
        },
        tasks: [
          task(
            31,
            'Refunds in parts',
            true,
            [
              'Write down the states of a refund',
              'Table and migration',
              'Endpoint with idempotency key',
              'Concurrency tests',
              'Page in the handbook',
            ],
            2,
          ),
          task(29, 'Upgrade the payment client to 5.x', false, ['Read the changes', 'Replace the callbacks'], 0),
          task(30, 'Find out why /health is slow after a deploy', false, [], 0),
        ],
        openTasks: 5,
      },
      {
        project: NOTES,
        plan: null,
        tasks: [task(4, 'Search across all notes', true, ['Index titles', 'Index bodies', 'Rank by age'], 3)],
        openTasks: 1,
      },
    ],
    calls: calls(now),
    problems: [],
  }
}

function arabic(now) {
  const view = english(now)
  return {
    ...view,
    questions: [
      {
        ...view.questions[0],
        questions: [
          {
            text: 'تحتاج اختبارات الاسترداد إلى قاعدة بيانات. أيها أستخدم؟',
            header: 'قاعدة بيانات الاختبار',
            multiple: false,
            choices: [
              {
                label: 'SQLite في الذاكرة',
                description: 'سريعة ولا تحتاج إلى تثبيت، لكنها تختلف عن بيئة الإنتاج في الأقفال.',
              },
              { label: 'PostgreSQL في حاوية', description: 'كما في بيئة الإنتاج، وأبطأ بست ثوانٍ في كل تشغيل.' },
              { label: 'قاعدة البيانات التجريبية المشتركة', description: null },
            ],
          },
        ],
      },
      {
        ...view.questions[1],
        questions: [
          {
            text: 'هل أعيد تسمية المجلد drafts إلى entries؟ تشير إليه 14 وصلة وسأحدّثها.',
            header: null,
            multiple: false,
            choices: [
              { label: 'أعد التسمية وحدّث الوصلات', description: null },
              { label: 'اتركه كما هو', description: null },
            ],
          },
        ],
      },
    ],
    messages: [{ ...view.messages[0], text: 'الإجابة عن «أي خدمة خرائط؟» هي: OpenStreetMap.' }],
    callbacks: callbacks(now, {
      deploy: 'تحقق من انتهاء النشر وأبلغ عن معدل الأخطاء.',
      rest: 'إذا نجحت الاختبارات فتابع الخطوة الثالثة.',
      certificate: 'راجع السجل بحثًا عن الشهادات المجدَّدة.',
    }),
    projects: [
      {
        ...view.projects[0],
        plan: { goal: 'الاسترداد الجزئي: يُسترد كل عنصر من الطلب على حدة ومرة واحدة.', startedAt: now - 50 * MINUTE },
        tasks: [
          task(
            31,
            'الاسترداد الجزئي',
            true,
            [
              'تدوين حالات الاسترداد',
              'الجدول والترحيل',
              'نقطة وصول بمفتاح عدم التكرار',
              'اختبارات التزامن',
              'صفحة في الدليل',
            ],
            2,
          ),
          task(29, 'ترقية عميل الدفع إلى الإصدار 5', false, ['قراءة التغييرات', 'استبدال الاستدعاءات'], 0),
        ],
      },
      {
        ...view.projects[1],
        tasks: [task(4, 'البحث في كل الملاحظات', true, ['فهرسة العناوين', 'فهرسة المتون', 'الترتيب بحسب العمر'], 3)],
      },
    ],
  }
}

/** Plans to approve before the questions. */
function approvals(now) {
  const view = english(now)
  const { goal } = view.projects[0].plan
  const approval = { project: SHOP, id: 5, action: 'exit', goal, requestedAt: now - 20_000, waiting: true }
  const reset = { project: NOTES, id: 6, action: 'reset', goal: '', requestedAt: now - 9 * MINUTE, waiting: false }
  return { ...view, approvals: [approval, reset] }
}

function empty() {
  return {
    servers: [],
    approvals: [],
    questions: [],
    messages: [],
    callbacks: [],
    jobs: [],
    projects: [],
    calls: [],
    problems: [],
  }
}

function crowd(now) {
  const view = english(now)
  const long = 'averyverylongwordwithoutanyspacesinit'.repeat(8)
  const mixed = `👩🏽‍💻 مرحبا بالعالم <img src=x onerror=alert(1)> \u202e reversed ${long}`
  return {
    ...view,
    servers: Array.from({ length: 6 }, (_, index) => ({
      ...view.servers[0],
      id: `s${index}`,
      project: `/srv/${long}/${index}`,
    })),
    approvals: ['exit', 'reset'].map((action, id) => ({
      project: `/srv/${long}/${id}`,
      id,
      action,
      goal: mixed,
      requestedAt: 0,
      waiting: true,
    })),
    questions: [
      {
        ...view.questions[0],
        questions: Array.from({ length: 4 }, () => ({
          text: mixed,
          header: mixed,
          multiple: true,
          choices: Array.from({ length: 12 }, (_, index) => ({ label: `${index} ${mixed}`, description: mixed })),
        })),
      },
    ],
    messages: Array.from({ length: 30 }, (_, id) => ({ ...view.messages[0], id, text: mixed })),
    callbacks: Array.from({ length: 8 }, (_, slot) => ({
      ...view.callbacks[0],
      slot,
      message: mixed,
      pattern: long,
      job: 1,
      fireAt: slot % 2 === 0 ? null : now + HOUR * slot,
    })),
    jobs: Array.from({ length: 200 }, (_, id) => ({
      ...view.jobs[id % view.jobs.length],
      id: id + 1,
      command: `echo ${mixed}`,
      tail: `${mixed}\n`.repeat(20),
    })),
    projects: Array.from({ length: 12 }, (_, index) => ({
      project: `/srv/${long}/${index}`,
      plan: { goal: mixed, startedAt: 0 },
      tasks: Array.from({ length: 10 }, (_unused, id) => task(id, mixed, id === 0, [mixed, mixed], 1)),
      openTasks: 4000,
    })),
    calls: Array.from({ length: 300 }, (_, index) => ({
      ...view.calls[index % view.calls.length],
      about: mixed,
      startedAt: now - index * 1000,
    })),
    problems: [mixed, `The state file cannot be read: ${long}`],
  }
}

function servers(now) {
  const tools = TOOLS.map((name) => ({ name, works: true, note: null }))
  const without = tools.map((tool) => {
    if (tool.name === 'SetCallback')
      return { ...tool, works: false, note: 'The state folder cannot be written to; callbacks are not kept.' }
    if (tool.name === 'Bash') return { ...tool, note: 'The sandbox is not available here: commands run unconfined.' }
    return tool
  })
  return [
    { id: 'a1', pid: 41_872, transport: 'stdio', project: SHOP, startedAt: now - 3 * HOUR, version: '1.1.0', tools },
    {
      id: 'b2',
      pid: 39_210,
      transport: 'http',
      project: NOTES,
      startedAt: now - 50 * HOUR,
      version: '1.1.0',
      tools: without,
    },
  ]
}

function callbacks(now, words) {
  const base = { project: SHOP, session: 'stdio', job: null, pattern: null }
  return [
    {
      ...base,
      slot: 0,
      message: words.deploy,
      fireAt: now + 4 * MINUTE + 12_000,
      everyMs: 5 * MINUTE,
      repeatsLeft: 18,
    },
    { ...base, slot: 1, message: words.rest, fireAt: null, everyMs: 0, repeatsLeft: 1, job: 41 },
    {
      ...base,
      project: NOTES,
      slot: 0,
      message: words.certificate,
      fireAt: now + 47 * MINUTE,
      everyMs: HOUR,
      repeatsLeft: -1,
    },
  ]
}

function jobs(now) {
  const base = {
    server: 'a1',
    project: SHOP,
    endedAt: null,
    isRunning: true,
    exitCode: null,
    ending: null,
    signal: null,
    tail: '',
  }
  const ended = { ...base, isRunning: false, exitCode: 0, ending: 'exit' }
  return [
    { ...base, id: 41, command: 'npx vitest run test/orders', startedAt: now - 74_000, tail: TEST_RUN },
    {
      ...base,
      id: 38,
      command: 'npm run dev',
      startedAt: now - 2 * HOUR - 11 * MINUTE,
      tail: SERVER,
      terminal: { cols: 80, rows: 24, isUserTyping: true },
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
      id: 12,
      command: 'node scripts/reindex.mjs',
      startedAt: now - 5 * HOUR,
      endedAt: now - 5 * HOUR + 340_000,
      exitCode: null,
      ending: 'killed',
    },
  ]
}

function calls(now) {
  const rows = [
    ['a1', SHOP, 'AskUserQuestion', 'The refund tests need a database. Which one', 'running', 40_000, 0],
    ['a1', SHOP, 'ReadBgOutput', '41', 'ok', 52_000, 3],
    ['a1', SHOP, 'BackgroundBash', 'npx vitest run test/orders', 'ok', 74_000, 21],
    ['a1', SHOP, 'Bash', 'git diff --stat main...HEAD', 'ok', 2 * MINUTE, 38],
    ['a1', SHOP, 'Bash', 'npm run migrate -- --to latest', 'error', 6 * MINUTE, 2417],
    ['b2', NOTES, 'TaskManager', 'complete_step 11', 'ok', 9 * MINUTE, 6],
    ['a1', SHOP, 'SetCallback', 'set 0: Check whether the deployment has finished', 'ok', 11 * MINUTE, 9],
    ['b2', NOTES, 'Bash', 'grep -rn "drafts/" content | wc -l', 'cancelled', 14 * MINUTE, 12_600],
    ['a1', SHOP, 'PlanMode', 'start: Refunds in parts', 'ok', 50 * MINUTE, 44],
  ]
  return rows.map(([server, project, tool, about, outcome, ago, ms]) => ({
    server,
    project,
    tool,
    about,
    outcome,
    startedAt: now - ago,
    ms,
  }))
}

function task(id, name, isCurrent, steps, done) {
  return {
    id,
    name,
    isCurrent,
    steps: steps.map((text, index) => ({ id: id * 10 + index, text, isDone: index < done })),
    stepsDone: done,
    stepsTotal: steps.length,
  }
}
