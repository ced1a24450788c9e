// Terminals in the sandbox, in plan mode, of several users, with servers that come and go; and that none of the ways in
// which one ends leaves a process.

import { existsSync, readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { join } from 'node:path'

import { describe, expect, onTestFinished, test } from 'vitest'

import {
  call,
  emptyFolder,
  HAS_PROC,
  killServer,
  outputOf,
  readJob,
  startServer,
  type TestClient,
  toolResultOf,
} from '../support/client.js'
import { eventually } from '../support/eventually.js'
import { modernCall, sendRequest, startProgram, tokenFor } from '../support/http-client.js'
import { canRun, type Requirement, requires, SANDBOX } from '../support/requirements.js'
import { openTerminalJob } from './terminal-job.js'

const TERMINALS: Requirement = {
  isMet: HAS_PROC && canRun('script'),
  reason: 'script of util-linux is not installed, or there is no /proc',
}

describe('in the sandbox', requires(TERMINALS, SANDBOX), () => {
  test('a terminal works, and what is typed can do no more than a command', async () => {
    const cwd = emptyFolder()
    const outside = emptyFolder()
    const client = startServer({ cwd, env: { SANDBOX: 'workspace' } })
    const job = await openTerminalJob(client, "PS1='$ ' bash --norc --noprofile -i", { cols: 200 })
    const first = await job.waitForPrompt('\\$ ')
    expect(first.text).toContain('[Waiting for input.]')
    await job.type({
      input: `stty size; echo in > inside; echo out > ${outside}/file; echo "left $?"\n`,
      wait_for_pattern: '^left',
    })
    expect(existsSync(join(outside, 'file'))).toBe(false)
    expect(readFileSync(join(cwd, 'inside'), 'utf8')).toBe('in\n')
    const size = await job.type({ input: 'stty size\n', wait_for_pattern: '^\\d+ \\d+' })
    expect(size.text).toContain('24 200')
    // Text cannot be put into the input of the terminal, which is outside.
    const push = `python3 -c "import fcntl,termios; fcntl.ioctl(0, termios.TIOCSTI, b'x')" 2>&1 | tail -1; echo over`
    if (canRun('python3'))
      expect((await job.type({ input: `${push}\n`, wait_for_pattern: '^over' })).text).toMatch(
        /PermissionError|Operation not permitted/,
      )
    await job.read({ screen: '90x20' })
    expect((await job.type({ input: 'stty size\n', wait_for_pattern: '^\\d+ \\d+' })).text).toContain('20 90')
    expect((await job.type({ input: 'exit\n', wait_for_end: true })).text).toContain('exit code')
    expect(await client.close()).toBe(0)
  })

  test('plan mode: a terminal that was started before refuses input; a new one can only read', async () => {
    const cwd = emptyFolder()
    const client = startServer({ cwd, env: { STATE_DIR: emptyFolder() } })
    const before = await openTerminalJob(client, "PS1='$ ' bash --norc --noprofile -i")
    await before.waitFor('\\$ ')
    await call(client, 'PlanMode', { action: 'enter', goal: 'see' })
    const refused = await before.type({ input: 'touch made\n' })
    expect(refused.text).toMatch(
      /^Nothing was typed: plan mode is on, and job \d+ was started earlier with more rights/,
    )
    expect(refused.isError).toBe(true)
    expect((await before.read()).isError).toBe(false)
    const after = await openTerminalJob(client, "PS1='$ ' bash --norc --noprofile -i")
    await after.waitFor('\\$ ')
    const { text } = await after.type({ input: 'touch made; echo "left $?"\n', wait_for_pattern: '^left' })
    expect(text).toContain('left 1')
    expect(existsSync(join(cwd, 'made'))).toBe(false)
    expect(await client.close()).toBe(0)
  })
})

test('a user cannot type into the terminal of another', requires(TERMINALS), async () => {
  const env = { STATE_DIR: emptyFolder(), SANDBOX: 'off' }
  const server = await startProgram({ env })
  const as = async (token: string, name: string, args: object) =>
    toolResultOf((await sendRequest(server, { ...modernCall(name, args), token })).json)
  const alice = tokenFor('alice', env)
  const bob = tokenFor('bob', env)
  const { structured } = await as(alice, 'BackgroundBash', { command: 'read -p "? " a; echo "got $a"', tty: true })
  const { task_id: id } = structured
  const stranger = await as(bob, 'ReadBgOutput', { task_id: id, input: 'mine\n' })
  expect(stranger.text).toMatch(/^There is no job/)
  const own = await as(alice, 'ReadBgOutput', { task_id: id, input: 'hers\n', wait_for_end: true })
  expect(own.text).toContain('got hers')
  expect(await server.stop()).toBe(0)
})

describe.skipIf(!HAS_PROC).each([
  ['closed', (server: TestClient) => server.close()],
  ['killed', killServer],
] as const)('with JOBS_OUTLIVE_SERVER, a server that is %s', (_, end) => {
  test.each([
    ['a terminal', true],
    ['a pipe', false],
  ])('leaves %s that the next server types into', requires(TERMINALS), async (_name, tty) => {
    const options = { cwd: emptyFolder(), env: { STATE_DIR: emptyFolder(), JOBS_OUTLIVE_SERVER: '1' } }
    const first = startServer(options)
    const job = await openTerminalJob(
      first,
      'while printf "name? "; read -r n; do echo "hello $n"; [ "$n" = bye ] && exit 5; done',
      { tty },
    )
    await job.waitFor('name\\?')
    expect((await job.type({ input: 'one\n', wait_for_pattern: 'hello one' })).text).toContain('hello one')
    await end(first)
    const second = startServer(options)
    const { text } = await readJob(second, job.id, { input: 'two\n', wait_for_pattern: 'hello two' })
    expect(text).toContain('hello two')
    const over = await readJob(second, job.id, { input: 'bye\n', wait_for_end: true })
    expect(outputOf(over)).toContain('hello bye')
    expect(over.text).toContain('exit code 5')
    expect(await second.close()).toBe(0)
  })
})

test(
  'the prompt before the input is not reported again while the record of the output is late',
  requires(TERMINALS),
  async () => {
    const state = emptyFolder()
    const client = startServer({ env: { STATE_DIR: state, JOBS_OUTLIVE_SERVER: '1' } })
    const job = await openTerminalJob(client, 'while printf "name? "; read -r n; do echo "hello $n"; done', {
      tty: false,
    })
    // Its server would leave it running.
    onTestFinished(async () => {
      await job.kill()
      await client.close()
    })
    await job.waitFor('name\\?')
    const recorder = await eventually(
      () => findRecorder(state),
      (pid) => pid !== undefined,
    )
    process.kill(Number(recorder), 'SIGSTOP')
    const reading = job.type({ input: 'two\n', wait_ms: 60_000 })
    setTimeout(() => process.kill(Number(recorder), 'SIGCONT'), 300)
    expect((await reading).text).toContain('hello two')
  },
)

/** The dd that writes the output of a job to a file in this folder. */
function findRecorder(folder: string): string | undefined {
  return findProcesses('dd\0').find((pid) => {
    try {
      return readlinkSync(`/proc/${pid}/fd/1`).startsWith(folder)
    } catch {
      return false
    }
  })
}

/** Processes that have this text in their command line. */
function findProcesses(mark: string): readonly string[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .filter((pid) => readQuietly(`/proc/${pid}/cmdline`).includes(mark))
}

function readQuietly(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}

const ENDINGS: readonly [string, (client: TestClient, ids: readonly number[], mark: string) => Promise<unknown>][] = [
  [
    'its program ends',
    (client, ids) => Promise.all(ids.map((id) => readJob(client, id, { keys: ['ctrl+c'], wait_for_end: true }))),
  ],
  [
    'it is killed by KillBgTask',
    (client, ids) => Promise.all(ids.map((id) => call(client, 'KillBgTask', { task_id: id }))),
  ],
  [
    'its program is killed',
    async (client, ids, mark) => {
      for (const pid of findProcesses(mark)) process.kill(Number(pid), 'SIGKILL')
      await Promise.all(ids.map((id) => readJob(client, id, { wait_for_end: true })))
    },
  ],
  ['the server is closed', (client) => client.close()],
  ['the server is killed', killServer],
]

describe.each(ENDINGS)('when %s', (_, end) => {
  test('no process of a terminal is left', requires(TERMINALS), async () => {
    const cwd = emptyFolder()
    const client = startServer({ cwd, env: { STATE_DIR: emptyFolder() } })
    const mark = `${300 + Math.floor(Math.random() * 1e6)}.125`
    const jobs = await Promise.all(
      Array.from({ length: 4 }, () => openTerminalJob(client, `sleep ${mark} & echo ready; sleep ${mark}; wait`)),
    )
    for (const job of jobs) await job.waitFor('ready')
    await end(
      client,
      jobs.map(({ id }) => id),
      mark,
    )
    if (client.child.exitCode === null && client.child.signalCode === null) await client.close()
    await eventually(
      () => findProcesses(mark),
      (left) => left.length === 0,
    )
  })
})
