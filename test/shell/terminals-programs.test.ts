// More programs on a terminal, as a model uses them: a database client, a process viewer, a dialog, ssh with a password, and
// the REPL of Python with its own line editor. Each is skipped where the program is not installed.

import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'

import { emptyFolder, HAS_PROC, startServer, type TestClient } from '../support/client.js'
import { canRun, type Requirement, requires } from '../support/requirements.js'
import { SSH, SSH_PASSWORD, startSshServer } from '../support/ssh-server.js'
import { type PostgresServer, startPostgres } from '../store/postgres-server.js'
import { needs, openTerminalJob, type TerminalJob } from './terminal-job.js'

const TERMINALS: Requirement = {
  isMet: HAS_PROC && canRun('script'),
  reason: 'script of util-linux is not installed, or there is no /proc',
}

const cwd = emptyFolder()
let client: TestClient

beforeAll(() => {
  client = startServer({ cwd, env: { STATE_DIR: emptyFolder() } })
})

afterAll(async () => {
  expect(await client.close()).toBe(0)
})

const open = (command: string, more: object = {}): Promise<TerminalJob> => openTerminalJob(client, command, more)

describe('a program on a terminal:', requires(TERMINALS), () => {
  test('the REPL of python, with a block and a question of the program', needs('python3'), async () => {
    const job = await open('PYTHON_BASIC_REPL=1 python3 -q -i')
    await job.waitFor('>>> $')
    expect((await job.type({ input: '6 * 7\n', wait_for_pattern: '^42' })).text).toContain('\n42\n')
    await job.type({ input: 'name = input("Name? ")\n', wait_for_pattern: '^Name\\? ' })
    await job.type({ input: 'Ada\n', wait_for_pattern: '>>> $' })
    expect((await job.type({ input: 'name.upper()\n', wait_for_pattern: "^'ADA'" })).text).toContain("\n'ADA'\n")
    expect((await job.type({ keys: ['ctrl+d'], wait_for_end: true })).text).toContain('exit code 0')
  })

  test('htop', needs('htop'), async () => {
    const job = await open('htop --no-color', { cols: 100, rows: 30 })
    const { text, structured } = await job.screen(/PID[^\n]*USER[^]*Quit/)
    expect(text).toMatch(/\[Screen of 100x30, cursor at row \d+, column \d+\.\]/)
    expect(structured.screen).toMatchObject({ isAlternate: true })
    await job.type({ keys: ['f1'], wait_for_quiet_ms: 50 })
    await job.screen(/show this help screen/)
    await job.type({ keys: ['esc'], wait_for_quiet_ms: 50 })
    await job.screen(/PID[^\n]*USER[^]*Quit/)
    expect((await job.type({ input: 'q', wait_for_end: true })).text).toContain('exit code 0')
  })

  test('a dialog of curses: move, choose, confirm', needs('dialog'), async () => {
    const menu = 'dialog --menu "Which colour?" 12 40 3 r red g green b blue'
    const job = await open(`chosen=$(${menu} 3>&1 1>&2 2>&3); echo "chosen: $chosen, $?"`)
    await job.screen(/Which colour\?[^]*red[^]*green[^]*blue[^]*OK/)
    await job.type({ keys: ['down'], wait_for_quiet_ms: 50 })
    expect((await job.type({ keys: ['enter'], wait_for_end: true })).text).toContain('chosen: g, 0')
  })

  test('ssh to a server that asks for a password', requires(...SSH), async () => {
    const server = await startSshServer()
    onTestFinished(() => server.stop())
    const job = await open(`${server.command} -o StrictHostKeyChecking=no`)
    expect((await job.waitForPrompt('password: ')).text).toContain('[Waiting for input.]')
    expect((await job.type({ input: 'wrong\n', wait_for_pattern: 'password: ' })).text).toContain('denied')
    const { text } = await job.type({ input: `${SSH_PASSWORD}\n`, wait_for_pattern: '[$#] $' })
    expect(text).not.toContain(SSH_PASSWORD)
    expect((await job.type({ input: 'echo "$SSH_TTY" | cut -c -9\n', wait_for_pattern: '^/dev' })).text).toContain(
      '\n/dev/pts/',
    )
    await job.read({ screen: '90x20' })
    expect((await job.type({ input: 'stty size\n', wait_for_pattern: '^\\d+ \\d+' })).text).toContain('\n20 90\n')
    expect((await job.type({ input: 'exit 6\n', wait_for_end: true })).text).toContain('exit code 6')
  })
})

describe('psql', requires(TERMINALS), () => {
  let postgres: PostgresServer | undefined
  beforeAll(async () => {
    postgres = await startPostgres()
  })
  afterAll(() => postgres?.stop('immediate'))

  test('answers two queries, and ends', needs('psql'), async (context) => {
    context.skip(!postgres, 'PostgreSQL is not installed')
    const job = await open(`psql -X '${await postgres?.database()}'`)
    expect((await job.waitForPrompt('=[#>] $')).text).toContain('[Waiting for input.]')
    const first = await job.type({ input: 'select 6 * 7 as answer;\n', wait_for_pattern: '^\\(1 row' })
    expect(first.text).toMatch(/answer[^]*42[^]*\(1 row\)/)
    const second = await job.type({ input: 'select 1 from nothing;\n', wait_for_pattern: 'ERROR' })
    expect(second.text).toContain('relation "nothing" does not exist')
    expect((await job.type({ input: '\\q\n', wait_for_end: true })).text).toContain('exit code 0')
  })
})
