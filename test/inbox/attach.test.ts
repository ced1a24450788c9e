// The inbox attached to the terminal of a job: in a real pseudo-terminal, and in tmux.

import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'

import { describe, expect, onTestFinished, test } from 'vitest'

import { cleanEnv, emptyFolder, PROGRAM, type TestClient } from '../support/client.js'
import { eventually } from '../support/eventually.js'
import { ENTER, ESC, HAS_TERMINALS, type InboxHome, newInboxHome } from '../support/terminal.js'
import { openItem } from './navigate.js'
import { needs, openTerminalJob, type TerminalJob } from '../shell/terminal-job.js'

const DETACH = '\u001D'
const TYPING = 'The user is typing in this terminal.'
const PROMPT = `while IFS= read -r -p "? " line; do echo "got [$line] at $(stty size)"; done`

async function startJob(home: InboxHome, command: string): Promise<{ client: TestClient; job: TerminalJob }> {
  const client = home.server()
  await client.initialize('2025-11-25')
  const job = await openTerminalJob(client, command)
  onTestFinished(async () => void (await client.close()))
  return { client, job }
}

describe.skipIf(!HAS_TERMINALS)('attach', needs('script', 'stty'), () => {
  test('keys reach the program at the size of this terminal, the model is refused; detaching restores everything', async () => {
    const home = newInboxHome()
    const { job } = await startJob(home, `echo before; ${PROMPT}`)
    await job.waitFor('before')
    const inbox = await home.inbox({ columns: 100, rows: 30 })
    await openItem(inbox, `Job ${job.id}`)
    await inbox.waitForText('t Attach')
    inbox.type('t')
    await inbox.waitForText(/Ctrl\+\] detaches\][^]*before\s+\?/)
    inbox.type('hello')
    await inbox.waitForText('? hello')
    expect((await job.type({ input: 'x\n' })).text).toContain(`${TYPING} Nothing was typed.`)
    inbox.type(ENTER)
    await inbox.waitForText('got [hello] at 30 100')
    inbox.type(`half a line${DETACH}`)
    await inbox.waitForText('Detached.')
    await inbox.waitForText('You are typing in this terminal')
    // The line is not ended.
    expect((await job.type({ input: 'x\n' })).text).toContain(TYPING)
    await inbox.waitForText('b Return control to the model')
    inbox.type('b')
    await inbox.waitForText('The model can type again.')
    expect((await job.type({ input: '!\n' })).text).toContain('got [half a line!] at 24 80')
    inbox.type(ESC)
    await inbox.waitForText('q/Esc')
    inbox.type(ESC)
    const { code, before, after } = await inbox.ended
    expect(code).toBe(0)
    expect(after).toBe(before)
  })

  test('control sequences of the program that are not for drawing do not reach this terminal', async () => {
    const home = newInboxHome()
    const output = '\u001B]52;c;aGFja2Vk\u0007\u001B]0;evil\u0007\u001B[6n\u001B[?1000h\u001B[31mshown\u001B[0m\n'
    writeFileSync(join(home.cwd, 'output'), output)
    const { job } = await startJob(home, 'cat output -')
    const inbox = await home.inbox()
    await openItem(inbox, `Job ${job.id}`)
    await inbox.waitForText('t Attach')
    inbox.type('t')
    await inbox.waitForText(/detaches\]\s+shown/)
    expect(inbox.bytes()).toContain('\u001B[31mshown')
    for (const dropped of ['aGFja2Vk', 'evil', '\u001B[6n']) expect(inbox.bytes()).not.toContain(dropped)
    await job.kill()
    await inbox.waitForText('The program has exited.')
    // What it has switched on is switched off.
    expect(inbox.bytes().lastIndexOf('1000;1002;1003')).toBeGreaterThan(inbox.bytes().lastIndexOf('\u001B[?1000h'))
    inbox.type(ESC)
    await inbox.waitForText('q/Esc')
    inbox.type(ESC)
    expect((await inbox.ended).code).toBe(0)
  })
})

test('attach in tmux', needs('script', 'stty', 'tmux'), async () => {
  const home = newInboxHome()
  const { job } = await startJob(home, `echo before; ${PROMPT}`)
  const socket = `${emptyFolder()}/tmux`
  const env = { ...cleanEnv(home.env), TERM: 'xterm-256color', LC_ALL: 'C.UTF-8' }
  const tmux = (...args: readonly string[]): string =>
    execFileSync('tmux', ['-S', socket, '-f', '/dev/null', ...args], { env, encoding: 'utf8' })
  const sees = (expected: RegExp): Promise<string> =>
    eventually(
      () => tmux('capture-pane', '-p'),
      (text) => expected.test(text),
    )
  tmux('new-session', '-d', '-x', '90', '-y', '25', 'sh')
  onTestFinished(() => void tmux('kill-server'))
  tmux('send-keys', `${process.execPath} ${PROGRAM} inbox --cwd ${home.cwd}`, 'Enter')
  await sees(new RegExp(`Job ${job.id}`))
  // The job may appear after the rest of the list.
  tmux('send-keys', 'g')
  await sees(new RegExp(`▸ Job ${job.id}`))
  tmux('send-keys', 'Enter')
  await sees(/t Attach/)
  tmux('send-keys', 't')
  await sees(/detaches\]\s+before\s+\?/)
  tmux('send-keys', '-l', '안녕')
  tmux('send-keys', 'Enter')
  await sees(/got \[안녕\] at 25 90/)
  expect((await job.read()).structured).toMatchObject({ userTyping: true })
  tmux('send-keys', 'C-]')
  await sees(/Detached\./)
  await eventually(
    () => job.read(),
    ({ structured }) => structured?.userTyping !== true,
  )
})
