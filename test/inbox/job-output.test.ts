// The output of a job in the inbox: colours, search, wrapping, saving; and the signal when a job has failed.

import { chmodSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

import { afterAll, beforeAll, describe, expect, test } from 'vitest'

import { call, emptyFolder, readJob, startJob, type TestClient } from '../support/client.js'
import { ENTER, ESC, HAS_TERMINALS, newInboxHome, type Terminal } from '../support/terminal.js'
import { leave, openItem } from './navigate.js'

const RED = '\u001B[31m'
const INVERSE = '\u001B[7m'

describe.skipIf(!HAS_TERMINALS)('the output of a job', () => {
  const home = newInboxHome({ SANDBOX: 'off' })
  const folder = emptyFolder()
  let server: TestClient

  beforeAll(async () => {
    server = home.server()
    await server.initialize('2025-06-18')
  })

  afterAll(async () => {
    await server.close()
  })

  async function open(job: number, env: NodeJS.ProcessEnv = {}): Promise<Terminal> {
    const terminal = await home.inbox({ env })
    await terminal.waitForText(new RegExp(`Job ${job} |Jobs ·`))
    if (!terminal.screen().includes(`Job ${job} `)) await openItem(terminal, 'Jobs ·')
    await openItem(terminal, `Job ${job}`)
    return terminal
  }

  async function close(terminal: Terminal): Promise<void> {
    terminal.type(ESC)
    await terminal.waitForText('Enter Open')
    if (!terminal.screen().includes('q/Esc')) terminal.type(ESC)
    await leave(terminal)
  }

  test('has its colours, unless NO_COLOR is set', async () => {
    const job = await startJob(server, String.raw`printf 'plain \033[31mred\033[0m\n'; sleep 600`)
    const [coloured, plain] = await Promise.all([open(job), open(job, { NO_COLOR: '1' })])
    // The last lines that are known are shown until the output is read.
    await Promise.all([coloured.waitForText(/\nplain red[^]*\/ Search/), plain.waitForText(/\nplain red[^]*\/ Search/)])
    expect(coloured.bytes()).toContain(`${RED}red`)
    expect(plain.bytes()).not.toContain(RED)
    await Promise.all([close(coloured), close(plain)])
    await call(server, 'KillBgTask', { task_id: job })
  })

  test('is searched with / and n, N, and wraps or not with w', async () => {
    const job = await startJob(
      server,
      `seq -f 'line %.0f' 1 200; printf 'wide %.0s' {1..30}; echo at its end; sleep 600`,
    )
    const terminal = await open(job)
    await terminal.waitForText(/wide at its end\n[^]*\/ Search/)
    terminal.type('w')
    await terminal.waitForText(/wide…|wid…|wide …/)
    expect(terminal.screen()).not.toContain('wide at its end')
    terminal.type('w')
    await terminal.waitForText(/wide at its end\n/)
    terminal.type('/')
    await terminal.waitForText('Search the output.')
    terminal.type('LINE 4', ENTER)
    await terminal.waitForText(/\nline 49\n[^]*11 of 11/)
    expect(terminal.bytes()).toContain(`${INVERSE}line 4`)
    terminal.type('n')
    await terminal.waitForText(/\nline 4\n[^]*1 of 11/)
    terminal.type('N')
    await terminal.waitForText(/\nline 49\n[^]*11 of 11/)
    terminal.type('/')
    await terminal.waitForText('Search the output.')
    terminal.type('zzz', ENTER)
    await terminal.waitForText('No match')
    await close(terminal)
    await call(server, 'KillBgTask', { task_id: job })
  })

  test('is saved whole in a file of the user, and no file is replaced without a question', async () => {
    const job = await startJob(server, String.raw`seq 1 300000; printf '\033[31mthe end\033[0m\n'`)
    await readJob(server, job, { wait_for_end: true, wait_ms: 120_000 })
    const terminal = await open(job)
    const path = join(folder, 'saved.log')
    await terminal.waitForText(/s Save…/)
    const saveTo = async (): Promise<void> => {
      terminal.type('s')
      await terminal.waitForText('Save the whole output to this file:')
      // What is proposed is replaced.
      terminal.type('\u0015', path, ENTER)
    }
    await saveTo()
    await terminal.waitForText(/Saved \d[\d.]* MB to/)
    const saved = readFileSync(path, 'utf8')
    expect(saved.startsWith('1\n2\n')).toBe(true)
    expect(saved.endsWith(`300000\n${RED}the end\u001B[0m\n`)).toBe(true)
    expect(statSync(path).mode & 0o777).toBe(0o600)
    writeFileSync(path, 'mine')
    chmodSync(path, 0o644)
    await saveTo()
    await terminal.waitForText(/exists. Overwrite it\?/)
    terminal.type('n')
    await terminal.waitForText(/s Save…/)
    expect(readFileSync(path, 'utf8')).toBe('mine')
    await saveTo()
    await terminal.waitForText(/exists. Overwrite it\?/)
    terminal.type('y')
    await terminal.waitForText(/Saved \d[\d.]* MB to/)
    expect(readFileSync(path, 'utf8')).toBe(saved)
    expect(statSync(path).mode & 0o777).toBe(0o600)
    await close(terminal)
  })

  test('a job that fails while the inbox is open is notified, and one that is killed is not', async () => {
    const terminal = await home.inbox({ env: { TERM_PROGRAM: 'WezTerm' } })
    await terminal.waitForText('q/Esc')
    const killed = await startJob(server, 'sleep 600')
    const failing = await startJob(server, 'until [ -e fail ]; do sleep 0.05; done; exit 3')
    await terminal.waitForText(new RegExp(`Job ${failing} `))
    await call(server, 'KillBgTask', { task_id: killed })
    await terminal.waitForText(new RegExp(`^(?![^]*Job ${killed} )`))
    expect(terminal.bytes()).not.toContain('\u001B]9;')
    await call(server, 'Bash', { command: 'touch fail' })
    await terminal.waitForText(new RegExp(`Job ${failing} · exit code 3`))
    expect(terminal.bytes()).toContain(`\u001B]9;scorpiox-code: Job ${failing} failed in `)
    expect(terminal.bytes().split('\u001B]9;')).toHaveLength(2)
    // It has failed before it can be listed as running.
    const atOnce = await startJob(server, 'exit 4')
    await terminal.waitForText(new RegExp(`Job ${atOnce} · exit code 4`))
    expect(terminal.bytes()).toContain(`\u001B]9;scorpiox-code: Job ${atOnce} failed in `)
    await leave(terminal)
  })
})
