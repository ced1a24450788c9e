// Several clients in one project, in a real pseudo-terminal: what each of them asks and has set names it, and what waits is
// in the order of the console.

import { describe, expect, test } from 'vitest'

import { LINUX } from '../secrets/support.js'
import { call, type ClientInfo, startJob, type TestClient } from '../support/client.js'
import { eventually } from '../support/eventually.js'
import { ENTER, ESC, HAS_TERMINALS, type InboxHome, newInboxHome, printed } from '../support/terminal.js'
import { moveTo, openItem } from './navigate.js'

const ATLAS = { name: 'atlas-code', version: '2.1' }
const BOREAL = { name: 'Boreal', version: '0.9.4' }

async function serve(home: InboxHome, info: ClientInfo): Promise<TestClient> {
  const client = home.server()
  await client.initialize('2025-11-25', {}, info)
  return client
}

function ask(client: TestClient, text: string) {
  const questions = [{ text, options: ['red', 'green'] }]
  return call(client, 'AskUserQuestion', { questions_json: JSON.stringify({ questions }) })
}

describe.skipIf(!HAS_TERMINALS).concurrent('several clients', () => {
  test('each question, plan and callback names its client, and questions come before plans', async () => {
    const home = newInboxHome({ ASK_WAIT: '600' })
    await home.ask({ text: 'An old question?' })
    const [atlas, boreal] = [await serve(home, ATLAS), await serve(home, BOREAL)]
    const terminal = await home.inbox({ columns: 90, rows: 30 })
    await terminal.waitForText('2 servers')
    // Plan mode may have no commands.
    const job = await startJob(atlas, 'sleep 600')
    await call(atlas, 'PlanMode', { action: 'enter', goal: 'A new roof' })
    const calls = [call(atlas, 'PlanMode', { action: 'exit', plan: '# Roof' })]
    await terminal.waitForText('A new roof')
    calls.push(ask(boreal, 'Of boreal?'))
    await terminal.waitForText('Of boreal?')
    calls.push(ask(atlas, 'Of atlas?'))
    await terminal.waitForText(/Of boreal\?[^]*Of atlas\?[^]*A new roof[^]*An old question\?/)
    await call(boreal, 'SetCallback', { action: 'set', message: 'Look', delay_seconds: 900 })
    await openItem(terminal, 'Callback 0')
    await terminal.waitForText(/Callback 0 · .* · Boreal 0\.9\.4 · fires in/)
    terminal.type(ESC)
    await openItem(terminal, 'Plan to approve')
    await terminal.waitForText(/ · atlas-code 2\.1 · the model is waiting/)
    terminal.type(ESC)
    await openItem(terminal, 'Question · model is waiting · Of boreal?')
    await terminal.waitForText('Boreal 0.9.4 · the model is waiting for your answer')
    terminal.type(ESC)
    await openItem(terminal, `Job ${job}`)
    await terminal.waitForText(new RegExp(`Job ${job} · running for .* · atlas-code 2\\.1`))
    terminal.type(ESC)
    await moveTo(terminal, 'Servers and tools')
    terminal.type(ENTER)
    await terminal.waitForText(/atlas-code 2\.1[^]*Boreal 0\.9\.4|Boreal 0\.9\.4[^]*atlas-code 2\.1/)
    terminal.type('q')
    await terminal.ended
    atlas.child.kill('SIGKILL')
    boreal.child.kill('SIGKILL')
    await Promise.allSettled(calls)
  })

  test('the printed state names the clients of what waits and of servers', async () => {
    const home = newInboxHome()
    const atlas = await serve(home, ATLAS)
    await ask(atlas, 'Of atlas?')
    const out = await eventually(
      async () => (await printed(home, '--once')).out,
      (text) => text.includes('1 server'),
    )
    expect(out).toMatch(/· atlas-code 2\.1 · question 1 · /)
    expect(out).toMatch(/ · atlas-code 2\.1 · stdio, process \d+ · /)
    await atlas.close()
    // Only the history names it now.
    const { out: json } = await printed(home, '--json')
    expect(JSON.parse(json).questions).toMatchObject([{ client: 'atlas-code 2.1' }])
  })

  test('a password names the client whose command asks', LINUX, async () => {
    const home = newInboxHome()
    const terminal = await home.inbox()
    const boreal = await serve(home, BOREAL)
    await terminal.waitForText('1 server')
    const result = call(boreal, 'Bash', { command: '"$SUDO_ASKPASS" "Password:" > /dev/null' })
    await openItem(terminal, 'Password')
    await terminal.waitForText('Boreal 0.9.4 · ')
    terminal.type('d')
    await result
    terminal.type('q')
    await terminal.ended
    await boreal.close()
  })
})
