// How the inbox ends, and what the terminal is like afterwards; and what it draws without colours.

import { execFileSync } from 'node:child_process'
import { constants } from 'node:os'

import { describe, expect, onTestFinished, test } from 'vitest'

import { needs } from '../shell/terminal-job.js'
import { cleanEnv, emptyFolder, PROGRAM, waitForExit } from '../support/client.js'
import { eventually } from '../support/eventually.js'
import {
  CTRL_C,
  CTRL_D,
  DOWN,
  ENTER,
  ESC,
  HAS_TERMINALS,
  newInboxHome,
  type Terminal,
  UP,
} from '../support/terminal.js'
import { leave } from './navigate.js'

const CURSOR_SHOWN = '\u001B[?25h'
const OWN_SCREEN_LEFT = '\u001B[?1049l'
const PASTE_UNBRACKETED = '\u001B[?2004l'
// oxlint-disable-next-line no-control-regex -- searches for colours
const COLOUR = /\u001B\[(3|4|9)\d[;\d]*m/

describe.skipIf(!HAS_TERMINALS).concurrent('exit', () => {
  const ways: readonly [string, number, (terminal: Terminal) => void][] = [
    ['Ctrl+C', 130, (terminal) => terminal.type(CTRL_C)],
    ['Ctrl+D', 0, (terminal) => terminal.type(CTRL_D)],
    ['Esc', 0, (terminal) => terminal.type(ESC)],
    ['q', 0, (terminal) => terminal.type('q')],
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
    expect(bytes.lastIndexOf(PASTE_UNBRACKETED)).toBeGreaterThan(bytes.lastIndexOf('\u001B[?2004h'))
    await waitForExit(terminal.pid)
  })

  test('q quits from every screen where no text is typed, and the footer says so', async () => {
    const home = newInboxHome()
    await home.ask({ text: 'Which colour?' }, { text: 'Which size?' })
    const screens: readonly (readonly [string, ...string[]])[] = [
      ['Next question', ENTER],
      ['2 of 2', ENTER, ENTER],
      ['Esc Back', UP, ENTER],
      ['f Filter', UP, UP, UP, ENTER],
      ['Home/End', '?'],
    ]
    for (const [text, ...keys] of screens) {
      const terminal = await home.inbox()
      await terminal.waitForText('q/Esc Quit')
      terminal.type(...keys)
      await terminal.waitForText(text)
      expect(terminal.screen()).toContain('q Quit')
      terminal.type('q')
      expect((await terminal.ended).code).toBe(0)
    }
  })

  test('while text is typed, q is text, and Ctrl+C restores the terminal', async () => {
    const home = newInboxHome()
    const { id } = await home.ask({ text: 'Which colour?' })
    const terminal = await home.inbox()
    await terminal.waitForText('Which colour?')
    terminal.type(ENTER, UP, UP, ENTER, 'half of a q')
    await terminal.waitForText('> half of a q')
    expect(terminal.screen()).not.toContain('q Quit')
    terminal.type(CTRL_C)
    const { code, before, after } = await terminal.ended
    expect(code).toBe(130)
    expect(after).toBe(before)
    expect((await home.find(id))?.replies).toBeNull()
  })

  test('pasted text is no command', async () => {
    const home = newInboxHome()
    await home.ask({ text: 'Which colour?' })
    const terminal = await home.inbox()
    await terminal.waitForText('q/Esc')
    terminal.type('\u001B[200~q\r\u001B[201~', ENTER)
    await terminal.waitForText('▸ 1 red')
    terminal.type('4', ENTER)
    await terminal.waitForText('> ')
    terminal.type('\u001B[200~mauve\rand q\r\u001B[201~')
    await terminal.waitForText('> mauve and q')
    terminal.type(ESC, ESC)
    await leave(terminal)
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
        if (seen.includes('Quit')) resolve()
      })
    })
    terminal.kill('SIGHUP')
    expect(await ended).toBe(constants.signals.SIGHUP)
  })
})

test('Ctrl+Z suspends it, and the shell continues it, also after a stop from outside', needs('tmux'), async () => {
  const home = newInboxHome()
  await home.ask({ text: 'Which colour?' })
  const socket = `${emptyFolder()}/tmux`
  const env = { ...cleanEnv(home.env), TERM: 'xterm-256color', LC_ALL: 'C.UTF-8' }
  const tmux = (...args: readonly string[]): string =>
    execFileSync('tmux', ['-S', socket, '-f', '/dev/null', ...args], { env, encoding: 'utf8' })
  const sees = (expected: RegExp): Promise<string> =>
    eventually(
      () => tmux('capture-pane', '-p'),
      (text) => expected.test(text),
    )
  tmux('new-session', '-d', '-x', '90', '-y', '25', 'bash --norc -i')
  onTestFinished(() => void tmux('kill-server'))
  tmux('send-keys', `${process.execPath} ${PROGRAM} inbox --cwd ${home.cwd}`, 'Enter')
  await sees(/▸ Question/)
  tmux('send-keys', 'C-z')
  const stopped = await sees(/Stopped/)
  expect(stopped).not.toContain('▸ Question')
  tmux('send-keys', 'stty -a', 'Enter')
  await sees(/ icanon/)
  tmux('send-keys', 'fg', 'Enter')
  await sees(/▸ Question/)
  tmux('send-keys', 'Enter')
  await sees(/▸ 1 red/)
  const pid = Number(tmux('display-message', '-p', '#{pane_pid}'))
  const inbox = Number(execFileSync('ps', ['-o', 'pid=', '--ppid', String(pid)], { encoding: 'utf8' }))
  process.kill(inbox, 'SIGSTOP')
  await sees(/Stopped/)
  tmux('send-keys', 'fg', 'Enter')
  await sees(/▸ 1 red[^]*Enter Send/)
  tmux('send-keys', 'q')
  await sees(/[#$]\s*$/)
})

describe.skipIf(!HAS_TERMINALS).concurrent('colours', () => {
  test('without them, the selection is still visible, also of several options', async () => {
    const home = newInboxHome()
    const { id } = await home.ask({ text: 'Which ones?', multiple: true })
    const terminal = await home.inbox({ env: { NO_COLOR: '1' }, columns: 40, rows: 12 })
    await terminal.waitForText('▸ Question')
    // What each key does has room, in few rows after scrolling.
    terminal.type('?')
    await terminal.waitForText(/g\/G\n +Move\n/)
    terminal.type('?')
    await terminal.waitForText('▸ Question')
    terminal.type(ENTER)
    await terminal.waitForText('▸ 1 [ ] red')
    terminal.type(' ', DOWN)
    await terminal.waitForText(/ {2}1 \[x\] red[^]*▸ 2 \[ \] green/)
    terminal.type(' ', ENTER)
    await terminal.waitForText('Sent.')
    expect((await home.find(id))?.replies).toEqual([{ outcome: 'answered', selected: ['red', 'green'] }])
    await leave(terminal)
    expect(terminal.bytes()).not.toMatch(COLOUR)
  })

  test.each([
    [{}, true],
    [{ NO_COLOR: '' }, true],
    [{ NO_COLOR: '1', FORCE_COLOR: '1' }, true],
    [{ FORCE_COLOR: '0' }, false],
    [{ TERM: 'vt52' }, false],
  ])('%j: %j', async (env, hasColours) => {
    const home = newInboxHome()
    await home.ask({ text: 'Which colour?', header: 'Paint' })
    const terminal = await home.inbox({ env })
    await terminal.waitForText('▸ Question')
    terminal.type(ENTER)
    await terminal.waitForText('Paint')
    expect(COLOUR.test(terminal.bytes())).toBe(hasColours)
    terminal.type(ESC)
    await leave(terminal)
  })

  test('a dumb terminal gets the state once', async () => {
    const home = newInboxHome()
    await home.ask({ text: 'Which colour?' })
    const terminal = await home.inbox({ env: { TERM: 'dumb', FORCE_COLOR: '1' } })
    expect((await terminal.ended).code).toBe(0)
    expect(terminal.bytes()).toContain('Which colour?')
    expect(terminal.bytes()).not.toContain('\u001B[')
  })
})
