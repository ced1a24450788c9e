// The inbox attached to the terminal of a job: in a real pseudo-terminal, and in tmux.

import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'

import { describe, expect, onTestFinished, test } from 'vitest'

import { cleanEnv, emptyFolder, PROGRAM, type TestClient } from '../support/client.js'
import { eventually } from '../support/eventually.js'
import { DOWN, ENTER, ESC, HAS_TERMINALS, type InboxHome, newInboxHome, type Terminal } from '../support/terminal.js'
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

/** Moves the cursor to an entry, wherever it is, and confirms. */
async function choose(inbox: Terminal, entry: string): Promise<void> {
  await inbox.waitForText(entry)
  for (let shown = inbox.screen(); !shown.includes(`● ${entry}`); shown = inbox.screen()) {
    inbox.type(DOWN)
    await eventually(
      () => inbox.screen(),
      (text) => text !== shown,
    )
  }
  inbox.type(ENTER)
}

describe.skipIf(!HAS_TERMINALS)('attach', needs('script', 'stty'), () => {
  test('keys reach the program at the size of this terminal, the model is refused; detaching restores everything', async () => {
    const home = newInboxHome()
    const { job } = await startJob(home, `echo before; ${PROMPT}`)
    await job.waitFor('before')
    const inbox = await home.inbox({ columns: 100, rows: 30 })
    await choose(inbox, `Job ${job.id}`)
    await choose(inbox, 'Attach: type into its terminal (ctrl+] detaches)')
    await inbox.waitForText(/ctrl\+\] detaches\][^]*before\s+\?/)
    inbox.type('hello')
    await inbox.waitForText('? hello')
    expect((await job.type({ input: 'x\n' })).text).toContain(`${TYPING} Nothing was typed.`)
    inbox.type(ENTER)
    await inbox.waitForText('got [hello] at 30 100')
    inbox.type(`half a line${DETACH}`)
    await inbox.waitForText('Detached.')
    await inbox.waitForText('You are typing in its terminal')
    // The line is not ended.
    expect((await job.type({ input: 'x\n' })).text).toContain(TYPING)
    await choose(inbox, 'Give back')
    await inbox.waitForText('The model can type again.')
    expect((await job.type({ input: '!\n' })).text).toContain('got [half a line!] at 24 80')
    inbox.type(ESC)
    await inbox.waitForText('Quit')
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
    await choose(inbox, `Job ${job.id}`)
    await choose(inbox, 'Attach')
    await inbox.waitForText(/detaches\]\s+shown/)
    expect(inbox.bytes()).toContain('\u001B[31mshown')
    for (const dropped of ['aGFja2Vk', 'evil', '\u001B[6n']) expect(inbox.bytes()).not.toContain(dropped)
    await job.kill()
    await inbox.waitForText('The program has ended.')
    // What it has switched on is switched off.
    expect(inbox.bytes().lastIndexOf('1000;1002;1003')).toBeGreaterThan(inbox.bytes().lastIndexOf('\u001B[?1000h'))
    inbox.type(ESC)
    await inbox.waitForText('Quit')
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
  const chooseEntry = async (entry: string): Promise<void> => {
    let shown = await sees(new RegExp(entry))
    while (!shown.includes(`● ${entry}`)) {
      const before = shown
      tmux('send-keys', 'Down')
      shown = await eventually(
        () => tmux('capture-pane', '-p'),
        (text) => text !== before,
      )
    }
    tmux('send-keys', 'Enter')
  }
  tmux('new-session', '-d', '-x', '90', '-y', '25', 'sh')
  onTestFinished(() => void tmux('kill-server'))
  tmux('send-keys', `${process.execPath} ${PROGRAM} inbox --cwd ${home.cwd}`, 'Enter')
  await chooseEntry(`Job ${job.id}`)
  await chooseEntry('Attach')
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
