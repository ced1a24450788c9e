// Questions in the inbox, answered by key presses in a real pseudo-terminal.

import { setTimeout as sleep } from 'node:timers/promises'

import { describe, expect, test } from 'vitest'

import { textWidth } from '@scorpiox/server/text/column-width'
import { call } from '../support/client.js'
import { choices, DOWN, ENTER, ESC, HAS_TERMINALS, newInboxHome, type Terminal, UP } from '../support/terminal.js'
import { leave, moveTo } from './navigate.js'

async function openQuestion(terminal: Terminal, text: string): Promise<void> {
  await moveTo(terminal, 'Question')
  terminal.type(ENTER)
  await terminal.waitForText(new RegExp(`${text}[^]*▸ \\d`))
}

describe.skipIf(!HAS_TERMINALS).concurrent('questions', () => {
  test('are answered with arrow keys, one after the other, and sent together', async () => {
    const home = newInboxHome()
    const { id } = await home.ask(
      { text: 'Which colour?', header: 'Paint' },
      { text: 'How many?', choices: choices('1', '2') },
    )
    const terminal = await home.inbox()
    await terminal.waitForText(/▸ Question · .*\+1 more · Which colour\?/)
    terminal.type(ENTER)
    await terminal.waitForText(/1 of 2 · Paint[^]*Which colour\?[^]*▸ 1 red/)
    terminal.type(DOWN, DOWN, ENTER)
    await terminal.waitForText(/2 of 2[^]*How many\?[^]*▸ 1 1/)
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

  test('two keys answer: the number of an option, and Enter', async () => {
    const home = newInboxHome()
    const { id } = await home.ask({ text: 'Which colour?' })
    const terminal = await home.inbox()
    await terminal.waitForText('1–5 Choose')
    terminal.type('2', ENTER)
    await terminal.waitForText('Sent.')
    expect((await home.find(id))?.replies).toEqual([{ outcome: 'answered', selected: ['green'] }])
    await leave(terminal)
  })

  test('one that permits a command takes no number, and asks again before it is sent', async () => {
    const home = newInboxHome()
    const { id } = await home.ask({ text: 'May this command run?', isApproval: true })
    const terminal = await home.inbox()
    await openQuestion(terminal, 'May this command run\\?')
    expect(terminal.screen()).not.toContain('1–5 Choose')
    terminal.type(DOWN, '1', ENTER)
    await terminal.waitForText('Send this answer: green?')
    terminal.type(ENTER)
    await terminal.waitForText('Nothing was sent.')
    expect((await home.find(id))?.replies).toBeNull()
    terminal.type(ENTER)
    await terminal.waitForText('Send this answer: green?')
    terminal.type('y')
    await terminal.waitForText('Sent.')
    expect((await home.find(id))?.replies).toEqual([{ outcome: 'answered', selected: ['green'] }])
    await leave(terminal)
  })

  test('a number shows what it chooses before Enter sends it, and one without an option does nothing', async () => {
    const home = newInboxHome()
    const { id } = await home.ask({ text: 'Which colour?' })
    const terminal = await home.inbox()
    await terminal.waitForText('1–5 Choose')
    terminal.type('9', '3')
    await terminal.waitForText('▸ 3 blue')
    expect((await home.find(id))?.replies).toBeNull()
    terminal.type(ESC)
    await terminal.waitForText('Nothing was sent.')
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

  test('descriptions of all options are shown, also in a small terminal', async () => {
    const home = newInboxHome()
    const described = ['one file, nothing to install', 'a server of its own; several machines can share it']
    await home.ask({
      text: 'Which database?',
      choices: described.map((description, index) => ({ label: `option ${index}`, description })),
    })
    await home.ask({ text: 'A text that is longer than a row of a terminal with sixty columns' })
    const terminal = await home.inbox({ columns: 60, rows: 20 })
    const list = await terminal.waitForText('A text that is longer')
    expect(list.split('\n').find((row) => row.includes('A text'))).toMatch(/^.{59}…$/)
    await openQuestion(terminal, 'Which database\\?')
    const screen = await terminal.waitForText('do not answer this question')
    for (const text of [...described, 'enter your own answer']) expect(screen.replaceAll(/\s+/g, ' ')).toContain(text)
    terminal.type(ESC)
    await leave(terminal)
  })

  test('what was chosen and typed is kept when the user goes back, until the question is answered', async () => {
    const home = newInboxHome()
    const { id } = await home.ask({ text: 'Which ones?', multiple: true }, { text: 'And the name?' })
    const terminal = await home.inbox()
    await openQuestion(terminal, 'Which ones\\?')
    terminal.type('1', '3', ENTER)
    await terminal.waitForText('And the name?')
    terminal.type('4', ENTER)
    await terminal.waitForText('> ')
    terminal.type('half a na')
    await terminal.waitForText('> half a na')
    // Out of the text, to the first question, to the list.
    terminal.type(ESC)
    await terminal.waitForText(/▸ 4 Other…\n +half a na/)
    terminal.type(ESC)
    await terminal.waitForText(/1 \[x\] red[^]*2 \[ \] green[^]*3 \[x\] blue/)
    terminal.type(ESC)
    await terminal.waitForText('Nothing was sent.')
    expect((await home.find(id))?.replies).toBeNull()
    await openQuestion(terminal, 'Which ones\\?')
    await terminal.waitForText(/1 \[x\] red[^]*▸ 3 \[x\] blue/)
    terminal.type(ENTER)
    await terminal.waitForText(/▸ 4 Other…\n +half a na/)
    terminal.type(ENTER)
    await terminal.waitForText('> half a na')
    terminal.type('me', ENTER)
    await terminal.waitForText('Sent.')
    expect((await home.find(id))?.replies).toEqual([
      { outcome: 'answered', selected: ['red', 'blue'] },
      { outcome: 'answered', selected: ['half a name'] },
    ])
    await leave(terminal)
  })

  test('several options may be chosen, with free text beside them; declining excludes both', async () => {
    const home = newInboxHome()
    const { id } = await home.ask({ text: 'Which ones?', multiple: true })
    const terminal = await home.inbox()
    await openQuestion(terminal, 'Which ones\\?')
    terminal.type(ENTER)
    await terminal.waitForText('Select at least one option')
    terminal.type(' ', UP, ' ', ENTER)
    await terminal.waitForText('Choose an answer or decline, not both.')
    terminal.type(' ', UP, ' ', ENTER)
    await terminal.waitForText('> ')
    terminal.type(ENTER)
    await terminal.waitForText('Enter some text')
    terminal.type('mauve', ENTER)
    await terminal.waitForText('Sent.')
    expect((await home.find(id))?.replies).toEqual([{ outcome: 'answered', selected: ['red', 'mauve'] }])
    await leave(terminal)
  })

  test('can be declined; Esc answers nothing, and in free text returns to the options', async () => {
    const home = newInboxHome()
    const { id } = await home.ask({ text: 'Which colour?' })
    const terminal = await home.inbox()
    await openQuestion(terminal, 'Which colour\\?')
    terminal.type(UP, UP, ENTER)
    await terminal.waitForText('> ')
    terminal.type(ESC)
    await terminal.waitForText('▸ 4 Other…')
    terminal.type(ESC)
    await terminal.waitForText('Nothing was sent.')
    expect((await home.find(id))?.replies).toBeNull()
    terminal.type(ENTER, DOWN)
    await terminal.waitForText('▸ 5 Decline')
    terminal.type(ENTER)
    await terminal.waitForText('Sent.')
    expect((await home.find(id))?.replies).toEqual([{ outcome: 'declined', selected: [] }])
    await leave(terminal)
  })

  test('one that is answered elsewhere meanwhile stays on the screen with a note, and nothing is sent', async () => {
    const home = newInboxHome()
    const { id } = await home.ask({ text: 'Which colour?' })
    const terminal = await home.inbox()
    await openQuestion(terminal, 'Which colour\\?')
    const replies = [{ outcome: 'answered', selected: ['green'] }] as const
    await home.write((rows) => rows.questions.answer(id, { replies, surface: 'page', answeredAt: Date.now() }))
    await terminal.waitForText(/already answered elsewhere[^]*▸ 1 red/)
    terminal.type(ENTER)
    await terminal.waitForText(/no questions[^]*q\/Esc/)
    expect((await home.find(id))?.replies).toEqual(replies)
    await leave(terminal)
  })

  test('control sequences in questions do not reach the terminal', async () => {
    const home = newInboxHome()
    const hostileText = 'A\u001B]0;pwned\u0007B\u009B31mC\u202ED\u001B[2J\r\u001B[1;1Hfake\n▸ q/Esc'
    await home.ask({ text: hostileText, header: hostileText, choices: choices(hostileText, '한국어 العربية') })
    const terminal = await home.inbox()
    await terminal.waitForText('Question · ')
    terminal.type(ENTER)
    await terminal.waitForText('한국어 العربية')
    terminal.type(ESC)
    await terminal.waitForText('Nothing was sent.')
    await leave(terminal)
    // Only the inbox positions the cursor, each time at the beginning of a row that it writes.
    // oxlint-disable-next-line no-control-regex -- these must not reach the terminal
    expect(terminal.bytes()).not.toMatch(/\u001B\]|\u0007|\u009B|\u202E|\u001B\[1;1Hfake/)
  })

  test('a text longer than the screen can be scrolled to its end beside its options', async () => {
    const home = newInboxHome()
    const text = Array.from({ length: 60 }, (_, index) => `sentence ${index}.`).join('\n')
    const { id } = await home.ask({ text })
    const terminal = await home.inbox({ columns: 40, rows: 12 })
    await terminal.waitForText('sentence 0.')
    terminal.type(ENTER)
    expect(await terminal.waitForText(/sentence 0\.[^]*PgUp\/PgDn[^]*▸ 1 red/)).not.toContain('sentence 59.')
    for (let pages = 0; pages < 60 && !terminal.screen().includes('sentence 59.'); pages++) {
      const before = terminal.screen()
      terminal.type('\u001B[6~')
      await terminal.waitForText(new RegExp(`^(?!${before.replaceAll(/[^\w\s]/g, '.')}$)`))
    }
    await terminal.waitForText(/sentence 59\.[^]*▸ 1 red/)
    terminal.type('2', ENTER)
    await terminal.waitForText('Sent.')
    expect((await home.find(id))?.replies).toEqual([{ outcome: 'answered', selected: ['green'] }])
    await leave(terminal)
  })
})

describe.skipIf(!HAS_TERMINALS).concurrent('a new question', () => {
  const BELL = '\u0007'

  test('appears and rings the bell once, unless that is turned off; the cursor stays', async () => {
    const home = newInboxHome()
    await home.ask({ text: 'The first?' })
    const [terminal, quiet] = await Promise.all([home.inbox(), home.inbox({ args: ['--quiet'] })])
    await Promise.all([terminal.waitForText('The first?'), quiet.waitForText('The first?')])
    await moveTo(terminal, 'Servers and tools')
    expect(terminal.bytes()).not.toContain(BELL)
    await home.ask({ text: 'The second?' })
    await Promise.all([terminal.waitForText(/The second\?[^]*▸ Servers/), quiet.waitForText('The second?')])
    expect(terminal.bytes().split(BELL)).toHaveLength(2)
    expect(terminal.bytes()).not.toContain('\u001B]9;')
    expect(quiet.bytes()).not.toContain(BELL)
    await Promise.all([leave(terminal), leave(quiet)])
  })

  test('is notified by OSC 9, once, in a terminal that shows it, without control characters of others', async () => {
    const home = newInboxHome()
    const terminal = await home.inbox({ env: { TERM_PROGRAM: 'WezTerm' } })
    await terminal.waitForText('q/Esc')
    await home.ask({ text: 'Which \u001B]9;4;1\u0007colour?' })
    await terminal.waitForText('colour?')
    const sent = terminal.bytes()
    expect(sent.split('\u001B]9;')).toHaveLength(2)
    // oxlint-disable-next-line no-control-regex -- the notification is one sequence
    expect(sent).toMatch(/\u001B\]9;scorpiox-code: Which [^\p{Cc}]*colour\?\u001B\\\u0007/u)
    terminal.type('n')
    await terminal.waitForText('Notifications are off.')
    await home.ask({ text: 'Another?' })
    await terminal.waitForText('Another?')
    await sleep(0)
    expect(terminal.bytes().split('\u001B]9;')).toHaveLength(2)
    await leave(terminal)
  })
})

describe.skipIf(!HAS_TERMINALS).concurrent('languages', () => {
  test('in Korean, columns match those of the terminal, also side by side', async () => {
    const home = newInboxHome()
    const { id } = await home.ask({ text: '어떤 색으로 칠할까요? '.repeat(8), multiple: true })
    const terminal = await home.inbox({ env: { LC_ALL: 'ko_KR.UTF-8' }, columns: 62, rows: 16 })
    const overview = await terminal.waitForText(/▸ 질문 · [^]*어떤 색으로[^]*q\/Esc 나가기/)
    expect(overview.split('\n').filter((line) => textWidth(line) > 62)).toEqual([])
    expect(overview).toMatch(/질문 · .*어떤 .*… ?\n/)
    terminal.resize(120, 30)
    const wide = await terminal.waitForText(/│ .*어떤 색으로[^]*1 \[ \] red/)
    const dividers = wide.split('\n').filter((line) => line.includes('│'))
    expect(new Set(dividers.map((line) => textWidth(line.slice(0, line.indexOf('│')))))).toEqual(new Set([51]))
    terminal.resize(62, 16)
    await terminal.waitForText(/▸ 질문/)
    terminal.type(ENTER)
    await terminal.waitForText('Space 선택')
    terminal.type(' ', UP, ' ', ENTER)
    await terminal.waitForText('선택하거나 거절하세요.')
    terminal.type(' ', ENTER)
    await terminal.waitForText('보냈습니다.')
    expect((await home.find(id))?.replies).toEqual([{ outcome: 'answered', selected: ['red'] }])
    await leave(terminal)
  })

  test('in Arabic, by --lang, in reading order', async () => {
    const home = newInboxHome()
    await home.ask({ text: 'أي لون؟' })
    const terminal = await home.inbox({ args: ['--lang', 'ar'] })
    await terminal.waitForText(/scorpiox-code inbox · سؤال واحد · لا خوادم[^]*▸ سؤال · .*أي لون؟[^]*q\/Esc خروج/)
    terminal.type(ENTER)
    await terminal.waitForText(/▸ 1 red[^]*4 غير ذلك…[^]*5 رفض الإجابة/)
    terminal.type(ESC)
    await terminal.waitForText('لم يُرسل شيء.')
    await leave(terminal)
    // oxlint-disable-next-line no-control-regex -- direction marks must not be added
    expect(terminal.bytes()).not.toMatch(/[\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069]/)
  })
})

describe.skipIf(!HAS_TERMINALS).concurrent('a model that asks', () => {
  const form = JSON.stringify({
    questions: [
      {
        text: 'Which database?',
        options: [
          { label: 'SQLite', description: 'a file' },
          { label: 'PostgreSQL', description: 'a server' },
        ],
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
    await terminal.waitForText(/▸ Question · model is waiting · \+2 more · Which database\?/)
    terminal.type('2')
    await terminal.waitForText(/▸ 2 PostgreSQL\n +a server/)
    terminal.type(ENTER)
    await terminal.waitForText('▸ 1 [ ] ko')
    terminal.type(' ', DOWN, DOWN, ' ', ENTER)
    await terminal.waitForText('▸ 1 MIT')
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
    await server.close()
  })
})
