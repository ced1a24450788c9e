// More programs on a terminal, as a model uses them: a database client, a process viewer, a dialog, ssh with a password, and
// the REPL of Python with its own line editor. Each is skipped where the program is not installed.

import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'

import { afterAll, beforeAll, describe, expect, test } from 'vitest'

import { emptyFolder, HAS_PROC, startServer, type TestClient } from '../support/client.js'
import { eventually } from '../support/eventually.js'
import { canRun, type Requirement, requires } from '../support/requirements.js'
import { freePort, type PostgresServer, startPostgres } from '../store/postgres-server.js'
import { needs, openTerminalJob, type TerminalJob } from './terminal-job.js'

const TERMINALS: Requirement = {
  isMet: HAS_PROC && canRun('script'),
  reason: 'script of util-linux is not installed, or there is no /proc',
}

/** A server that knows a password needs one in its shadow file, and to change to the user: in a mount namespace of root. */
const SSH_SERVER: Requirement = {
  isMet: spawnSync('unshare', ['-m', 'sh', '-c', 'mount --bind /etc/passwd /etc/passwd && dropbear -V']).status === 0,
  reason: 'dropbear is not installed, or there are no mount namespaces of root',
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
    expect(text).toMatch(/\[Screen of 100x30, cursor in row \d+, column \d+\.\]/)
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

  test('ssh to a server that asks for a password', requires(SSH_SERVER, ...sshClient()), async () => {
    const server = await startSshServer()
    const flags = '-o StrictHostKeyChecking=no -o UserKnownHostsFile=/dev/null -o PubkeyAuthentication=no -F none'
    const job = await open(`ssh ${flags} -p ${server.port} root@127.0.0.1`)
    expect((await job.waitForPrompt('password: ')).text).toContain('[Waiting for input.]')
    expect((await job.type({ input: 'wrong\n', wait_for_pattern: 'password: ' })).text).toContain('denied')
    const { text } = await job.type({ input: `${PASSWORD}\n`, wait_for_pattern: '[$#] $' })
    expect(text).not.toContain(PASSWORD)
    expect((await job.type({ input: 'echo "$SSH_TTY" | cut -c -9\n', wait_for_pattern: '^/dev' })).text).toContain(
      '\n/dev/pts/',
    )
    await job.read({ screen: '90x20' })
    expect((await job.type({ input: 'stty size\n', wait_for_pattern: '^\\d+ \\d+' })).text).toContain('\n20 90\n')
    expect((await job.type({ input: 'exit 6\n', wait_for_end: true })).text).toContain('exit code 6')
    server.stop()
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

const PASSWORD = 'open sesame'
/** Of the password above: `openssl passwd -6 -salt scorpiox 'open sesame'` */
const PASSWORD_HASH =
  '$6$scorpiox$EY8rdxerhND9dZkz6kvJWVeoNWB1M8D4q6fw9JuuLRXSLVynfv1VXNgNVf6u7UO7cEcPmd8Jrt9omg1KvOAd/0'

function sshClient(): readonly Requirement[] {
  return [{ isMet: canRun('ssh', ['-V']), reason: 'ssh is not installed' }]
}

interface SshServer {
  readonly port: number
  stop(): void
}

/** One that knows a single user with a password, on loopback. */
async function startSshServer(): Promise<SshServer> {
  const folder = emptyFolder()
  writeFileSync(join(folder, 'passwd'), `root:x:0:0:root:${folder}:/bin/bash\n`)
  writeFileSync(join(folder, 'shadow'), `root:${PASSWORD_HASH}:19000:0:99999:7:::\n`)
  execFileSync('dropbearkey', ['-t', 'ed25519', '-f', 'key'], { cwd: folder, stdio: 'ignore' })
  const port = await freePort()
  const script =
    'mount --bind passwd /etc/passwd && mount --bind shadow /etc/shadow && exec dropbear -F -E -r key -P pid -p "$0"'
  const child: ChildProcess = spawn('unshare', ['-m', 'sh', '-c', script, `127.0.0.1:${port}`], {
    cwd: folder,
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  let log = ''
  child.stderr?.on('data', (chunk) => (log += chunk))
  await eventually(
    () => log,
    (text) => text.includes('Not backgrounding'),
  )
  return { port, stop: () => void child.kill('SIGTERM') }
}
