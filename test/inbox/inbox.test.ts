// The inbox in a real pseudo-terminal beside a real server, driven by key presses.

import { constants } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'

import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'

import { textWidth } from '@scorpiox/server/text/column-width'
import {
  call,
  cleanEnv,
  killServer,
  PROGRAM,
  readPid,
  startJob,
  type TestClient,
  waitForExit,
} from '../support/client.js'
import { eventually } from '../support/eventually.js'
import {
  choices,
  CTRL_C,
  CTRL_D,
  DOWN,
  ENTER,
  ESC,
  HAS_TERMINALS,
  newInboxHome,
  printed,
  type Terminal,
  UP,
} from '../support/terminal.js'

const CURSOR_SHOWN = '\u001B[?25h'
const OWN_SCREEN_LEFT = '\u001B[?1049l'

/** Exits with Esc at the top level. */
async function leave(terminal: Terminal): Promise<void> {
  terminal.type(ESC)
  expect((await terminal.ended).code).toBe(0)
}

describe.skipIf(!HAS_TERMINALS).concurrent('questions', () => {
  test('are answered with arrow keys, one after the other, and sent together', async () => {
    const home = newInboxHome()
    const { id } = await home.ask(
      { text: 'Which colour?', header: 'Paint' },
      { text: 'How many?', choices: choices('1', '2') },
    )
    const terminal = await home.inbox()
    await terminal.waitForText('Question · Which colour? · +1 more')
    terminal.type(ENTER)
    await terminal.waitForText(/1 of 2 · Paint[^]*Which colour\?[^]*● red/)
    terminal.type(DOWN, DOWN, ENTER)
    await terminal.waitForText(/2 of 2[^]*How many\?[^]*● 1/)
    expect((await home.find(id))?.replies).toBeNull()
    terminal.type(DOWN, ENTER)
    await terminal.waitForText('Sent.')
    expect(await home.find(id)).toMatchObject({
      surface: 'inbox',
      replies: [
        { outcome: 'answered', selected: ['blue'] },
        { outcome: 'answered', selected: ['2'] },
      ],
    })
    await leave(terminal)
  })

  test('keys typed ahead are not lost', async () => {
    const home = newInboxHome()
    const { id } = await home.ask({ text: 'Which colour?' }, { text: 'And then?' })
    const terminal = await home.inbox()
    await terminal.waitForText('Which colour?')
    terminal.type(ENTER, DOWN, ENTER, DOWN, DOWN, DOWN, ENTER, 'own q words 한국어', ENTER)
    await terminal.waitForText('Sent.')
    expect((await home.find(id))?.replies).toEqual([
      { outcome: 'answered', selected: ['green'] },
      { outcome: 'answered', selected: ['own q words 한국어'] },
    ])
    await leave(terminal)
  })

  test('several options may be chosen, with free text beside them; declining deselects them', async () => {
    const home = newInboxHome()
    const { id } = await home.ask({ text: 'Which ones?', multiple: true })
    const terminal = await home.inbox()
    await terminal.waitForText('Which ones?')
    terminal.type(ENTER)
    await terminal.waitForText('◻ red')
    terminal.type(' ', UP, ' ', ENTER)
    await terminal.waitForText('Choose or decline, not both.')
    terminal.type(UP, ' ', UP, ' ', ENTER)
    await terminal.waitForText(/Which ones\?\n│ +_/)
    terminal.type('mauve', ENTER)
    await terminal.waitForText('Sent.')
    expect((await home.find(id))?.replies).toEqual([{ outcome: 'answered', selected: ['red', 'mauve'] }])
    await leave(terminal)
  })

  test('without colours the selection is still visible', async () => {
    const home = newInboxHome()
    const { id } = await home.ask({ text: 'Which ones?', multiple: true })
    const terminal = await home.inbox({ env: { NO_COLOR: '1' }, columns: 40, rows: 10 })
    await terminal.waitForText('Which ones?')
    terminal.type(ENTER)
    await terminal.waitForText('● [ ] red')
    terminal.type(ENTER, DOWN)
    await terminal.waitForText(/○ \[x\] red[^]*● \[ \] green/)
    terminal.type(ENTER, DOWN, DOWN, DOWN, DOWN, ENTER)
    await terminal.waitForText('Sent.')
    expect((await home.find(id))?.replies).toEqual([{ outcome: 'answered', selected: ['red', 'green'] }])
    await leave(terminal)
    // oxlint-disable-next-line no-control-regex -- searches for colours
    expect(terminal.bytes()).not.toMatch(/\u001B\[(3|4|9)\d[;\d]*m/)
  })

  test('can be declined; Esc answers nothing, and in free text returns to the choices', async () => {
    const home = newInboxHome()
    const { id } = await home.ask({ text: 'Which colour?' })
    const terminal = await home.inbox()
    await terminal.waitForText('Which colour?')
    terminal.type(ENTER)
    await terminal.waitForText('● red')
    terminal.type(UP, UP, ENTER)
    await terminal.waitForText(/\n│ +_/)
    terminal.type(ENTER)
    await terminal.waitForText('Enter some text')
    terminal.type(ESC)
    await terminal.waitForText('● Other…')
    terminal.type(ESC)
    await terminal.waitForText('Nothing was sent.')
    expect((await home.find(id))?.replies).toBeNull()
    terminal.type(ENTER)
    await terminal.waitForText('● red')
    terminal.type(UP, ENTER)
    await terminal.waitForText('Sent.')
    expect((await home.find(id))?.replies).toEqual([{ outcome: 'declined', selected: [] }])
    await leave(terminal)
  })

  test('one that is answered elsewhere meanwhile stays on the screen, and this is reported afterwards', async () => {
    const home = newInboxHome()
    const { id } = await home.ask({ text: 'Which colour?' })
    const terminal = await home.inbox()
    await terminal.waitForText('Which colour?')
    terminal.type(ENTER)
    await terminal.waitForText('● red')
    const replies = [{ outcome: 'answered', selected: ['green'] }] as const
    await home.write((rows) => rows.questions.answer(id, { replies, surface: 'page', answeredAt: Date.now() }))
    // Longer than the interval at which the inbox reads the database.
    await sleep(1500)
    expect(terminal.screen()).toContain('● red')
    terminal.type(ENTER)
    await terminal.waitForText(/answered/)
    expect((await home.find(id))?.replies).toEqual(replies)
    await leave(terminal)
  })

  test('a new one appears and rings the bell once, unless it is disabled; the cursor stays', async () => {
    const home = newInboxHome()
    await home.ask({ text: 'The first?' })
    const [terminal, quiet] = await Promise.all([home.inbox(), home.inbox({ args: ['--quiet'] })])
    await Promise.all([terminal.waitForText('The first?'), quiet.waitForText('The first?')])
    terminal.type(UP)
    await terminal.waitForText('● Quit')
    expect(terminal.bytes()).not.toContain('\u0007')
    await home.ask({ text: 'The second?' })
    await Promise.all([terminal.waitForText(/The second\?[^]*● Quit/), quiet.waitForText('The second?')])
    expect(terminal.bytes().split('\u0007').length - 1).toBe(1)
    expect(quiet.bytes()).not.toContain('\u0007')
    terminal.type(ENTER)
    expect((await terminal.ended).code).toBe(0)
    await leave(quiet)
  })

  test('control sequences in questions do not reach the terminal', async () => {
    const home = newInboxHome()
    const hostileText = 'A\u001B]0;pwned\u0007B\u009B31mC\u202ED\u001B[2J\r\u001B[1;1Hfake\n● Quit'
    await home.ask({ text: hostileText, header: hostileText, choices: choices(hostileText, '한국어 العربية') })
    const terminal = await home.inbox()
    await terminal.waitForText('Question · A')
    terminal.type(ENTER)
    await terminal.waitForText('한국어 العربية')
    terminal.type(ESC)
    await terminal.waitForText('Nothing was sent.')
    await leave(terminal)
    // oxlint-disable-next-line no-control-regex -- these must not reach the terminal
    expect(terminal.bytes()).not.toMatch(/\u001B\]|\u0007|\u009B|\u202E|\u001B\[1;1H/)
  })

  test('a text longer than the screen can be scrolled to its end before it is answered', async () => {
    const home = newInboxHome()
    const text = Array.from({ length: 60 }, (_, index) => `sentence ${index}.`).join('\n')
    await home.ask({ text })
    const terminal = await home.inbox({ columns: 40, rows: 12 })
    await terminal.waitForText('sentence 0.')
    terminal.type(ENTER)
    expect(await terminal.waitForText('● Read all of it')).not.toContain('sentence 59.')
    terminal.type(ENTER)
    await terminal.waitForText(/sentence 59\.\n[^]*● Back/)
    terminal.type(ENTER)
    await terminal.waitForText('● Read all of it')
    terminal.type(DOWN, ENTER)
    await terminal.waitForText('● red')
    terminal.type(ESC)
    await terminal.waitForText('Nothing was sent.')
    await leave(terminal)
  })
})

describe.skipIf(!HAS_TERMINALS).concurrent('languages', () => {
  test('in Korean, columns match those of the terminal', async () => {
    const home = newInboxHome()
    const { id } = await home.ask({ text: '어떤 색으로 칠할까요? '.repeat(8), multiple: true })
    const terminal = await home.inbox({ env: { LC_ALL: 'ko_KR.UTF-8' }, columns: 62, rows: 16 })
    const overview = await terminal.waitForText(/● 질문 · 어떤 색으로[^]*○ 나가기[^]*↑\/↓ 이동 • Enter: 확인/)
    const drawn = overview.slice(overview.indexOf('◆')).split('\n')
    expect(drawn.filter((line) => textWidth(line) > 62)).toEqual([])
    expect(overview).toMatch(/질문 · 어떤 .*…\n/)
    terminal.type(ENTER)
    await terminal.waitForText('Space: 선택')
    terminal.type(' ', UP, ' ', ENTER)
    await terminal.waitForText('선택하거나 거절하세요.')
    terminal.type(UP, ' ', ENTER)
    await terminal.waitForText('보냈습니다.')
    expect((await home.find(id))?.replies).toEqual([{ outcome: 'answered', selected: ['red'] }])
    await leave(terminal)
  })

  test('in Arabic, by --lang, in reading order', async () => {
    const home = newInboxHome()
    await home.ask({ text: 'أي لون؟' })
    const terminal = await home.inbox({ args: ['--lang', 'ar'] })
    await terminal.waitForText(/scorpiox-code inbox · سؤال واحد · لا خوادم[^]*● سؤال · أي لون؟[^]*○ خروج/)
    terminal.type(ENTER)
    await terminal.waitForText(/● red[^]*○ غير ذلك…[^]*○ رفض الإجابة/)
    terminal.type(ESC)
    await terminal.waitForText('لم يُرسل شيء.')
    await leave(terminal)
    // oxlint-disable-next-line no-control-regex -- direction marks must not be added
    expect(terminal.bytes()).not.toMatch(/[\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069]/)
  })
})

describe.skipIf(!HAS_TERMINALS)('plans and tasks', () => {
  test('a plan is shown completely, every open task is reachable, and a task shows its steps', async () => {
    const home = newInboxHome()
    const server = home.server()
    await server.initialize('2025-06-18')
    const plan = `# Roof\n${Array.from({ length: 60 }, (_, row) => `- [ ] row ${row}`).join('\n')}\n`
    await call(server, 'PlanMode', { action: 'enter', goal: 'A new roof' })
    await call(server, 'PlanMode', { action: 'status', plan })
    await server.close()
    await home.write(async ({ tasks }) => {
      for (let task = 1; task <= 15; task++) await tasks.insert(`chore ${task}`, Date.now())
      const steps = Array.from({ length: 25 }, (_, step) => ({ text: `move ${step}`, completedAt: null }))
      await tasks.insertSteps(1, steps, Date.now())
    })
    const terminal = await home.inbox({ rows: 40 })
    await terminal.waitForText('● Plans and tasks · 15 open')
    terminal.type(ENTER)
    await terminal.waitForText(
      /● Back[^]*Plan: A new roof[^]*15 · chore 15[^]*6 · chore 6[^]*Show more \(5 open tasks left\)/,
    )
    await toEntry(terminal, '  Plan: A new roof')
    terminal.type(ENTER)
    await terminal.waitForText(/# Roof[^]*\[ \] row 59\n[^]*● Back/)
    terminal.type(ENTER)
    await terminal.waitForText('●   Plan: A new roof')
    await toEntry(terminal, '  Show more')
    terminal.type(ENTER)
    await terminal.waitForText('1 · chore 1 · 0 of 25 steps done')
    expect(terminal.screen()).not.toContain('Show more')
    await toEntry(terminal, '    1 · chore 1')
    terminal.type(ENTER)
    await terminal.waitForText(/● Back[^]*\[ \] move 0[^]*\[ \] move 24/)
    terminal.type(ESC)
    await terminal.waitForText('●     1 · chore 1')
    terminal.type(ESC)
    await terminal.waitForText('● Plans and tasks')
    await leave(terminal)
  })
})

describe.skipIf(!HAS_TERMINALS).concurrent('a plan to approve', () => {
  const ROWS = Array.from({ length: 60 }, (_, row) => `- [ ] row ${row}`).join('\n')
  const PLAN = `# Roof \u001B]0;not hidden\u0007\n${ROWS}\n`

  async function submitted(env: NodeJS.ProcessEnv = {}, action = 'exit') {
    const home = newInboxHome()
    const server = home.server()
    await server.initialize('2025-06-18')
    const terminal = await home.inbox({ rows: 30, env })
    await terminal.waitForText('1 server')
    await call(server, 'PlanMode', { action: 'enter', goal: 'A new roof', plan: 'Something else.' })
    const result = call(server, 'PlanMode', { action, ...(action === 'exit' && { plan: PLAN }) })
    const row = action === 'exit' ? 'Plan to approve' : 'Leave plan mode'
    await terminal.waitForText(`${row} · A new roof · a call waits`)
    expect(terminal.screen()).toContain('1 plan to approve')
    await toEntry(terminal, row)
    terminal.type(ENTER)
    await terminal.waitForText('● Read the plan')
    return { server, terminal, result }
  }

  test('is read completely, with what changed, and approved', async () => {
    const { server, terminal, result } = await submitted()
    expect(terminal.screen()).toContain('Until you approve it, commands can only read.')
    terminal.type(ENTER)
    await terminal.waitForText(/# Roof .\]0;not hidden[^]*row 59\n[^]*● Back/)
    terminal.type(ENTER)
    await terminal.waitForText('● Read the plan')
    terminal.type(DOWN, ENTER)
    await terminal.waitForText(/- Something else\.\n\+ # Roof/)
    terminal.type(ENTER)
    await terminal.waitForText('● Changes since the last draft')
    terminal.type(DOWN, ENTER)
    await terminal.waitForText('Approved: commands can write again.')
    expect((await result).text).toContain('Approved by the user in the terminal inbox.')
    await leave(terminal)
    await server.close()
  })

  test('is rejected with a comment', async () => {
    const { server, terminal, result } = await submitted()
    await toEntry(terminal, 'Reject…')
    terminal.type(ENTER)
    await terminal.waitForText('What should change?')
    terminal.type('slate, not tiles', ENTER)
    await terminal.waitForText('Rejected: commands can still only read')
    expect((await result).text).toMatch(/^NOT APPROVED: .* in the terminal inbox\.[^]*comment: slate, not tiles/)
    expect((await call(server, 'PlanMode', { action: 'json' })).structured.active).toBe(true)
    await leave(terminal)
    await server.close()
  })

  test('is edited in the editor of the user and approved', async () => {
    const { server, terminal, result } = await submitted({ VISUAL: '', EDITOR: 'sed -i s/row/line/' })
    await toEntry(terminal, 'Edit and approve…')
    terminal.type(ENTER)
    await terminal.waitForText('Approve the edited plan?')
    terminal.type('y')
    await terminal.waitForText('Approved: commands can write again.')
    const { text } = await result
    expect(text).toContain('- [ ] line 59')
    expect(text).not.toContain('- [ ] row')
    await leave(terminal)
    await server.close()
  })

  test('an editor that fails, or changes nothing, sends nothing', async () => {
    for (const [editor, message] of [
      ['false', 'The editor could not be used (exit code 1). Nothing was sent.'],
      ['true', 'The plan was not changed. Nothing was sent.'],
    ] as const) {
      const { server, terminal, result } = await submitted({ VISUAL: editor })
      await toEntry(terminal, 'Edit and approve…')
      terminal.type(ENTER)
      await terminal.waitForText(message)
      expect((await call(server, 'PlanMode', { action: 'json' })).structured.active).toBe(true)
      await toEntry(terminal, 'Approve')
      terminal.type(ENTER)
      expect((await result).structured).toMatchObject({ approval: 'approved' })
      await leave(terminal)
      await server.close()
    }
  })

  test('is discarded with the approval of the user', async () => {
    const { server, terminal, result } = await submitted({}, 'reset')
    expect(terminal.screen()).toContain('Leave plan mode without a plan?')
    expect(terminal.screen()).not.toContain('Edit')
    await toEntry(terminal, 'Approve')
    terminal.type(ENTER)
    expect((await result).text).toMatch(
      /^Plan mode reset\. No plan saved\.\nApproved by the user in the terminal inbox/,
    )
    await leave(terminal)
    await server.close()
  })

  test('Esc decides nothing', async () => {
    const { server, terminal, result } = await submitted()
    terminal.type(ESC)
    await terminal.waitForText('Nothing was sent.')
    await toEntry(terminal, 'Plan to approve')
    terminal.type(ENTER)
    await toEntry(terminal, 'Approve')
    terminal.type(ENTER)
    await result
    await leave(terminal)
    await server.close()
  })
})

describe.skipIf(!HAS_TERMINALS).concurrent('a model that asks', () => {
  const form = JSON.stringify({
    questions: [
      {
        text: 'Which database?',
        header: 'Storage',
        options: ['SQLite', { label: 'PostgreSQL', description: 'a server' }],
      },
      { text: 'Which languages?', options: ['ko', 'ar', 'en'], multiSelect: true },
      { text: 'Which licence?', options: ['MIT', 'none'] },
    ],
  })

  test('gets the answer given in the inbox while its call waits', async () => {
    const home = newInboxHome()
    const server = home.server()
    await server.initialize('2025-06-18')
    const terminal = await home.inbox()
    await terminal.waitForText('1 server')
    const asked = call(server, 'AskUserQuestion', { questions_json: form })
    await terminal.waitForText('Question · Which database? · +2 more · a call waits')
    await toEntry(terminal, 'Question')
    terminal.type(ENTER)
    await terminal.waitForText('● SQLite')
    terminal.type(DOWN)
    await terminal.waitForText('● PostgreSQL (a server)')
    terminal.type(ENTER)
    await terminal.waitForText('◻ ko')
    terminal.type(' ', DOWN, DOWN, ' ', ENTER)
    await terminal.waitForText('● MIT')
    terminal.type(UP, ENTER)
    await terminal.waitForText('Sent.')
    const { text, structured } = await asked
    expect(text).toContain('PostgreSQL')
    expect(structured.answers).toEqual([
      { question: 'Which database?', selected: ['PostgreSQL'], outcome: 'answered' },
      { question: 'Which languages?', selected: ['ko', 'en'], outcome: 'answered' },
      { question: 'Which licence?', selected: [], outcome: 'declined' },
    ])
    await leave(terminal)
    await server.close()
  })

  test('gets the text at once if no console is open', async () => {
    const home = newInboxHome()
    const server = home.server()
    await server.initialize('2025-06-18')
    const terminal = await home.inbox()
    await terminal.waitForText('1 server')
    await leave(terminal)
    const { text } = await call(server, 'AskUserQuestion', { questions_json: form })
    expect(text).toContain('Which database?')
    const { out } = await printed(home)
    expect(out).toContain('1 question')
    await server.close()
  })
})

describe.skipIf(!HAS_TERMINALS)('jobs and servers', () => {
  const home = newInboxHome()
  let server: TestClient
  let terminal: Terminal
  let job: number

  beforeAll(async () => {
    server = home.server()
    await server.initialize('2025-06-18')
    job = await startJob(
      server,
      `echo $$ > pid; printf 'one\\033]0;pwned\\007\\n'; until [ -e go ]; do sleep 0.05; done; echo two; sleep 600`,
    )
    await vi.waitFor(async () => expect((await printed(home)).out).toContain('\nJobs\n'), 20_000)
    terminal = await home.inbox()
  })

  afterAll(async () => {
    terminal.type(CTRL_C)
    await Promise.all([terminal.ended, server.close()])
  })

  test('a job is followed as it prints, read completely, and killed after confirmation', async () => {
    // On a busy machine a first screen appears without the job, and the cursor is elsewhere.
    await terminal.waitForText(`Job ${job} · `)
    await toEntry(terminal, `Job ${job}`)
    terminal.type(ENTER)
    await terminal.waitForText(new RegExp(`Job ${job} · running[^]*one`))
    await server.request('tools/call', { name: 'Bash', arguments: { command: 'touch go' } })
    await terminal.waitForText(/one[^\n]*\n│ +two/)
    terminal.type(DOWN, ENTER)
    await terminal.waitForText(/one[^\n]*\n+two\n[^]*● Back/)
    terminal.type(ENTER)
    await terminal.waitForText('● Whole output')
    terminal.type(DOWN, ENTER)
    await terminal.waitForText(/Kill job[^]*● No/)
    terminal.type(ENTER)
    await terminal.waitForText('● Kill…')
    const pid = await readPid(`${home.cwd}/pid`)
    terminal.type(ENTER)
    await terminal.waitForText(/Kill job[^]*● No/)
    terminal.type('y')
    await terminal.waitForText('Killed.')
    await waitForExit(pid)
    await terminal.waitForText(/Job \d+ · (?!running)/)
    terminal.type(ESC)
    await terminal.waitForText('Ended jobs · 1')
    expect(terminal.bytes()).not.toContain('\u001B]0;')
  })

  test('the jobs of a killed server disappear from the screen, and the inbox continues', async () => {
    const other = home.server()
    await other.initialize('2025-06-18')
    const killedPid = await startJob(other, 'sleep 600')
    await terminal.waitForText('2 servers')
    await terminal.waitForText(`Job ${killedPid} · `)
    await killServer(other)
    await terminal.waitForText('1 server')
    await terminal.waitForText('Servers and tools · ')
  })

  test('a callback is shown, and cancelled after confirmation', async () => {
    await home.write((rows) =>
      rows.callbacks.upsert({
        session: 's',
        slot: 4,
        message: 'look at the build',
        setAt: Date.now(),
        delayMs: 600_000,
        repeatsLeft: 3,
        fireAt: Date.now() + 600_000,
        fireUptime: 1e12,
        boot: 'another',
        job: null,
        pattern: null,
        position: null,
      }),
    )
    await terminal.waitForText(/Callback 4 · in (10m|9m \d+s) · every 10m, 3 more times/)
    terminal.type(...Array.from({ length: 9 }, () => UP))
    await toEntry(terminal, 'Callback 4')
    terminal.type(ENTER)
    await terminal.waitForText(/look at the build[^]*● Back/)
    terminal.type(DOWN, ENTER)
    await terminal.waitForText('Cancel callback 4?')
    terminal.type('y')
    await terminal.waitForText('Callback 4 is cancelled.')
    expect(await home.write((rows) => rows.callbacks.list())).toEqual([])
  })

  test('a message for the model can be dismissed', async () => {
    await home.write((rows) =>
      rows.messages.insert({ session: 's', kind: 'callback', text: 'the build is done', createdAt: Date.now() }),
    )
    await terminal.waitForText('For the model · the build is done')
    await toEntry(terminal, 'For the model')
    terminal.type(ENTER)
    await terminal.waitForText(/Callback that fired[^]*● Back/)
    terminal.type(DOWN, ENTER)
    await terminal.waitForText('Dismissed.')
    expect(await home.write((rows) => rows.messages.listPending())).toEqual([])
  })

  test('other sections can be opened, also in a smaller terminal', async () => {
    await server.request('tools/call', {
      name: 'TaskManager',
      arguments: { action: 'create', query: '', text: 'Paint the shed' },
    })
    await terminal.waitForText('Plans and tasks · ')
    await toEntry(terminal, 'Recent calls')
    terminal.type(ENTER)
    await terminal.waitForText(/● Back[^]*BackgroundBash · /)
    terminal.resize(30, 8)
    const small = await terminal.waitForText(/Recent calls[^]*● Back\n.{0,30}\n/)
    for (const line of small.split('\n')) expect(line.length).toBeLessThanOrEqual(30)
    terminal.resize(80, 24)
    await terminal.waitForText('to navigate')
    terminal.type(ESC)
    await terminal.waitForText('scorpiox-code inbox')
    await toEntry(terminal, 'Servers and tools')
    terminal.type(ENTER)
    await terminal.waitForText(/stdio, process \d+[^]*✓ /)
    terminal.type(ESC)
    await terminal.waitForText('scorpiox-code inbox')
  })
})

/** Presses Down until the cursor is there, and no key that was pressed before moves it on. */
async function toEntry(terminal: Terminal, label: string): Promise<void> {
  for (let steps = 0; steps < 30; steps++) {
    if (await staysAt(terminal, label)) return
    const before = terminal.screen()
    terminal.type(DOWN)
    await eventually(() => terminal.screen() !== before)
  }
  await terminal.waitForText(`● ${label}`)
}

/** The screen may be drawn again while a key waits to be read, so that one look is not enough. */
async function staysAt(terminal: Terminal, label: string): Promise<boolean> {
  for (let looks = 0; looks < 4; looks++) {
    if (!terminal.screen().includes(`● ${label}`)) return false
    await sleep(100)
  }
  return true
}

describe.skipIf(!HAS_TERMINALS).concurrent('exit', () => {
  const ways: readonly [string, number, (terminal: Terminal) => void][] = [
    ['Ctrl+C', 130, (terminal) => terminal.type(CTRL_C)],
    ['Ctrl+D', 0, (terminal) => terminal.type(CTRL_D)],
    ['Esc', 0, (terminal) => terminal.type(ESC)],
    ['Quit', 0, (terminal) => terminal.type(UP, ENTER)],
    ['SIGTERM', 143, ({ pid }) => void process.kill(pid, 'SIGTERM')],
    ['SIGHUP', 129, ({ pid }) => void process.kill(pid, 'SIGHUP')],
  ]

  test.each(ways)('%s restores the terminal and exits with %i', async (_, code, go) => {
    const home = newInboxHome()
    await home.ask({ text: 'Which colour?' })
    const terminal = await home.inbox()
    await terminal.waitForText('Which colour?')
    go(terminal)
    const { code: exitCode, before, after } = await terminal.ended
    expect(exitCode).toBe(code)
    expect(before).toContain(' icanon')
    expect(after).toBe(before)
    const bytes = terminal.bytes()
    expect(bytes.lastIndexOf(CURSOR_SHOWN)).toBeGreaterThan(bytes.lastIndexOf('\u001B[?25l'))
    expect(bytes.lastIndexOf(OWN_SCREEN_LEFT)).toBeGreaterThan(bytes.lastIndexOf('\u001B[?1049h'))
    await waitForExit(terminal.pid)
  })

  test('also while free text is typed', async () => {
    const home = newInboxHome()
    const { id } = await home.ask({ text: 'Which colour?' })
    const terminal = await home.inbox()
    await terminal.waitForText('Which colour?')
    terminal.type(ENTER, UP, UP, ENTER, 'half of a')
    await terminal.waitForText('half of a')
    terminal.type(CTRL_C)
    const { code, before, after } = await terminal.ended
    expect(code).toBe(130)
    expect(after).toBe(before)
    expect((await home.find(id))?.replies).toBeNull()
  })

  test('closing the terminal ends it', async () => {
    const { cwd, env } = newInboxHome()
    const { spawn } = await import('@lydell/node-pty')
    const terminal = spawn(process.execPath, [PROGRAM, 'inbox'], { cwd, env: cleanEnv(env) })
    const ended = new Promise<number | undefined>((resolve) => terminal.onExit(({ signal }) => resolve(signal)))
    await new Promise<void>((resolve) => {
      let seen = ''
      terminal.onData((data) => {
        seen += data
        if (seen.includes('Nothing yet')) resolve()
      })
    })
    terminal.kill('SIGHUP')
    expect(await ended).toBe(constants.signals.SIGHUP)
  })
})
