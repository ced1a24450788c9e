// Jobs, servers, callbacks and messages in the inbox, beside real servers, driven by key presses.

import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'

import { call, killServer, readPid, startJob, type TestClient, waitForExit } from '../support/client.js'
import { CTRL_C, DOWN, ENTER, ESC, HAS_TERMINALS, newInboxHome, printed, type Terminal } from '../support/terminal.js'
import { leave, moveTo, openItem } from './navigate.js'

test.skipIf(!HAS_TERMINALS)('the cursor begins at what needs the user, also if servers report it later', async () => {
  const home = newInboxHome()
  const server = home.server()
  await server.initialize('2025-06-18')
  await startJob(server, 'exit 3')
  await startJob(server, 'sleep 600')
  const terminal = await home.inbox()
  await terminal.waitForText(/Needs you\n▸ Job 1 · exit code 3[^]*Running and scheduled\n {2}Job 2/)
  await startJob(server, 'exit 4')
  await terminal.waitForText(/Job 3 · exit code 4[^]*D Hide all/)
  terminal.type('D')
  await terminal.waitForText(/^(?![^]*Needs you)[^]*Running and scheduled/)
  await leave(terminal)
  await server.close()
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
    await openItem(terminal, `Job ${job}`)
    await terminal.waitForText(new RegExp(`Job ${job} · running for [^]*\\none`))
    await server.request('tools/call', { name: 'Bash', arguments: { command: 'touch go' } })
    await terminal.waitForText(/\none[^\n]*\ntwo/)
    terminal.type('o')
    await terminal.waitForText(/\$ echo \$\$ > pid[^]*\none[^\n]*\n+two\n[^]*End of text/)
    terminal.type(ENTER)
    await terminal.waitForText('x Kill…')
    terminal.type('x')
    await terminal.waitForText(/Kill job[^]*y Kill {3}n\/Esc No/)
    terminal.type('n')
    await terminal.waitForText('x Kill…')
    const pid = await readPid(`${home.cwd}/pid`)
    terminal.type('x')
    await terminal.waitForText('y Kill')
    terminal.type('y')
    await terminal.waitForText('Killed.')
    await waitForExit(pid)
    await terminal.waitForText(/Job \d+ · killed after/)
    expect(terminal.screen()).not.toContain('x Kill…')
    terminal.type(ESC)
    await terminal.waitForText('Jobs · 1')
    expect(terminal.bytes()).not.toContain('\u001B]0;')
  })

  test('an ended job is restarted after confirmation', async () => {
    const short = await startJob(server, 'echo again; exit 3')
    await terminal.waitForText(new RegExp(`Job ${short} · exit code 3`))
    await openItem(terminal, `Job ${short}`)
    await terminal.waitForText(/r Restart…/)
    terminal.type('r')
    await terminal.waitForText(`Restart job ${short}?`)
    terminal.type('y')
    await terminal.waitForText(`Started again as job ${short + 1}.`)
    terminal.type(ESC)
    await terminal.waitForText(new RegExp(`Job ${short + 1} · exit code 3 .* again`))
    // Failed jobs need a look; one that was looked at is hidden.
    await moveTo(terminal, `Job ${short} `)
    terminal.type('d')
    await terminal.waitForText(new RegExp(`^(?![^]*Job ${short} )`))
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
    await terminal.waitForText(/Callback 4 · fires in (10m|9m \d+s) · every 10m, 3 more times/)
    await openItem(terminal, 'Callback 4')
    await terminal.waitForText(/\nlook at the build[^]*x Cancel…/)
    terminal.type('x')
    await terminal.waitForText('Cancel callback 4?')
    terminal.type('y')
    await terminal.waitForText('Callback 4 was cancelled.')
    expect(await home.write((rows) => rows.callbacks.list())).toEqual([])
    await backHome(terminal)
  })

  test('a message for the model can be dismissed', async () => {
    await home.write((rows) =>
      rows.messages.insert({ session: 's', kind: 'callback', text: 'the build is done', createdAt: Date.now() }),
    )
    await terminal.waitForText('For the model · the build is done')
    await openItem(terminal, 'For the model')
    await terminal.waitForText(/Callback that fired[^]*x Dismiss/)
    terminal.type('x')
    await terminal.waitForText('Dismissed.')
    expect(await home.write((rows) => rows.messages.listPending())).toEqual([])
  })

  test('what can only be read has no cursor, and what is longer than the screen can be scrolled', async () => {
    await backHome(terminal)
    await openItem(terminal, 'Servers and tools')
    await terminal.waitForText(/▸ .* · stdio, process \d+/)
    terminal.type(ENTER)
    const tools = await terminal.waitForText(/✓ Bash\n/)
    expect(tools).not.toContain('▸')
    expect(tools).not.toContain('↑/↓')
    terminal.resize(30, 8)
    const small = await terminal.waitForText(/── 1–\d+ \/ \d+ ──/)
    for (const line of small.split('\n')) expect(line.length).toBeLessThanOrEqual(30)
    terminal.type('G')
    await terminal.waitForText(/SetCallback/)
    terminal.resize(80, 24)
    await terminal.waitForText(/✓ Bash\n/)
    terminal.type(ESC, ESC)
    await terminal.waitForText('q/Esc')
  })
})

describe.skipIf(!HAS_TERMINALS).concurrent('a wide terminal', () => {
  test('shows what is selected beside the list, and follows the size of the terminal', async () => {
    const home = newInboxHome()
    await home.ask({ text: 'The first question?', choices: [{ label: 'yes', description: 'do it' }] })
    await home.ask({ text: 'The second question?' })
    const terminal = await home.inbox({ columns: 120, rows: 30 })
    await terminal.waitForText(/▸ Question .*│[^]*│ The first question\?[^]*│ +1 yes\n[^]*│ +do it/)
    // The list has the focus: what is beside it has no cursor.
    expect(terminal.screen().split('▸')).toHaveLength(2)
    terminal.type(DOWN)
    await terminal.waitForText(/│ The second question\?[^]*│ +1 red/)
    terminal.type(ENTER)
    await terminal.waitForText(/│ ▸ 1 red/)
    terminal.resize(80, 24)
    await terminal.waitForText(/\nThe second question\?[^]*\n▸ 1 red/)
    terminal.resize(120, 30)
    await terminal.waitForText(/│ ▸ 1 red/)
    terminal.type(ESC)
    await terminal.waitForText('q/Esc')
    terminal.resize(80, 24)
    await terminal.waitForText(/▸ Question[^│]*$/)
    await leave(terminal)
  })
})

describe.skipIf(!HAS_TERMINALS).concurrent('a server that is killed', () => {
  test('its job is marked and cannot be acted on, and the inbox continues', async () => {
    const home = newInboxHome()
    const other = home.server()
    await other.initialize('2025-06-18')
    const job = await startJob(other, 'echo hello from the job; sleep 600')
    const terminal = await home.inbox({ rows: 40 })
    await openItem(terminal, `Job ${job}`)
    await terminal.waitForText(/running for [^]*\nhello from the job[^]*x Kill…/)
    await killServer(other)
    // While it is open.
    await terminal.waitForText(/The server that ran this job has exited[^]*hello from the job/)
    await terminal.waitForText(/^(?![^]*(Kill|Restart|Full output))/)
    terminal.type(ESC)
    // How it ended is not known, so it is not listed as failed.
    await terminal.waitForText(/^(?![^]*(Running and|Needs you))[^]*0 servers[^]*Jobs · 1/)
    await openItem(terminal, 'Jobs ·')
    await terminal.waitForText(new RegExp(`Job ${job} · Server has exited`))
    terminal.type(ESC)
    await terminal.waitForText('q/Esc')
    await openItem(terminal, 'Servers and tools')
    await terminal.waitForText('Server has exited')
    terminal.type(ESC)
    await terminal.waitForText('q/Esc')
    await leave(terminal)
  })

  test('another server of the project takes its job over and ends it', async () => {
    const home = newInboxHome()
    const [server, other] = [home.server(), home.server()]
    await Promise.all([server.initialize('2025-06-18'), other.initialize('2025-06-18')])
    const job = await startJob(other, 'echo $$ > pid; sleep 600')
    const pid = await readPid(`${home.cwd}/pid`)
    const terminal = await home.inbox({ rows: 40 })
    await terminal.waitForText(/2 servers[^]*Running and scheduled\n. +Job/)
    await killServer(other)
    await terminal.waitForText(/^(?![^]*Running and)[^]*1 server\n[^]*Jobs · 1/)
    // Its list of jobs takes over what others have left.
    await call(server, 'ListBgTasks', {})
    await startJob(server, 'true')
    await terminal.waitForText(new RegExp(`Needs you[^]*Job ${job} · killed after its server exited unexpectedly`))
    await terminal.waitForText(/^(?![^]*Running and scheduled)/)
    await waitForExit(pid)
    await leave(terminal)
    await server.close()
  })

  test('a job that outlives it is acted on through the server that takes it over', async () => {
    const home = newInboxHome({ JOBS_OUTLIVE_SERVER: 'true' })
    const [server, other] = [home.server(), home.server()]
    await Promise.all([server.initialize('2025-06-18'), other.initialize('2025-06-18')])
    const job = await startJob(other, 'echo $$ > pid; echo still here; sleep 600')
    const pid = await readPid(`${home.cwd}/pid`)
    const terminal = await home.inbox({ rows: 40 })
    await openItem(terminal, `Job ${job}`)
    await terminal.waitForText(/running for [^]*still here/)
    await killServer(other)
    await terminal.waitForText('The server that ran this job has exited')
    await call(server, 'ListBgTasks', {})
    await startJob(server, 'true')
    await terminal.waitForText(/running for [^]*still here[^]*x Kill…/)
    expect(terminal.screen()).not.toContain('has exited')
    terminal.type('x', 'y')
    await terminal.waitForText('Killed.')
    await waitForExit(pid)
    terminal.type(ESC)
    await leave(terminal)
    await server.close()
  })
})

async function backHome(terminal: Terminal): Promise<void> {
  await terminal.waitForText(/Esc/)
  if (terminal.screen().includes('q/Esc')) return
  terminal.type(ESC)
  await terminal.waitForText('q/Esc')
}
