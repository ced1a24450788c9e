// JOBS_OUTLIVE_SERVER=1: jobs continue when their server ends, in any way. Ids, status, output and exit code survive,
// and the next server takes over running jobs.

import { existsSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

import { describe, expect, test } from 'vitest'

import {
  call,
  directorySize,
  emptyFolder,
  HAS_PROC,
  isAlive,
  killServer,
  outputOf,
  readJob,
  readPid,
  startJob,
  startServer,
  type TestClient,
  waitForExit,
} from '../support/client.js'
import { eventually } from '../support/eventually.js'

interface StartedIn {
  readonly cwd: string
  readonly env: NodeJS.ProcessEnv
}

function newStartOptions(env: NodeJS.ProcessEnv = {}): StartedIn {
  return { cwd: emptyFolder(), env: { HOME: emptyFolder(), JOBS_OUTLIVE_SERVER: '1', ...env } }
}

/** Runs until a stop file exists, and prints the content of another file. */
const OBEDIENT = `echo $$ > pid; echo begun
until [ -e stop ] || [ ! -d "$PWD" ]; do [ -e say ] && cat say && rm say; sleep 0.05; done
echo ended; exit 7`

/** Atomically, so that no reader sees an incomplete file. */
function put(path: string, text: string): void {
  writeFileSync(`${path}.new`, text)
  renameSync(`${path}.new`, path)
}

const WAYS: readonly [string, (server: TestClient) => Promise<unknown>][] = [
  ['closed', (server) => server.close()],
  ['killed', killServer],
]

describe.skipIf(!HAS_PROC).concurrent.each(WAYS)('a server that is %s', (_, end) => {
  test('leaves its jobs running; the next one reads on, waits and gets the exit code', async () => {
    const options = newStartOptions()
    const first = startServer(options)
    expect(await startJob(first, OBEDIENT)).toBe(1)
    expect((await readJob(first, 1, { wait_for_pattern: 'begun' })).text).toMatch(/^begun\n/)
    const pid = await readPid(join(options.cwd, 'pid'))
    await end(first)
    expect(isAlive(pid)).toBe(true)
    put(join(options.cwd, 'say'), 'without a server\n')
    const second = startServer(options)
    expect((await call(second, 'ListBgTasks')).structured.tasks).toMatchObject([{ task_id: 1, status: 'running' }])
    expect(outputOf(await readJob(second, 1, { wait_for_pattern: 'without' }))).toBe('begun\nwithout a server\n')
    expect(await startJob(second, 'true')).toBe(2)
    const waiting = readJob(second, 1, { wait_for_end: true })
    put(join(options.cwd, 'stop'), '')
    const { text, structured } = await waiting
    expect(text).toMatch(/^ended\n\[Job 1 ended after [\d.]+ s: exit code 7\. It left no processes running\.\]\n$/)
    expect(structured).toMatchObject({ status: 'ended', exitCode: 7, signal: null, waitedFor: 'end' })
    await second.close()
  })

  test('leaves its jobs running, also after a server without that setting has listed them', async () => {
    const options = newStartOptions()
    const first = startServer(options)
    await startJob(first, OBEDIENT)
    const pid = await readPid(join(options.cwd, 'pid'))
    await end(first)
    const otherClient = startServer({ ...options, env: { ...options.env, JOBS_OUTLIVE_SERVER: '0' } })
    expect((await call(otherClient, 'ListBgTasks')).structured.tasks).toMatchObject([{ task_id: 1, status: 'running' }])
    await otherClient.close()
    expect(isAlive(pid)).toBe(true)
    put(join(options.cwd, 'stop'), '')
    await waitForExit(pid)
  })

  test('leaves jobs that end without a server; later servers report their status', async () => {
    const options = newStartOptions()
    const first = startServer(options)
    await startJob(first, OBEDIENT)
    await startJob(first, 'kill -SEGV $$')
    await readJob(first, 2, { wait_for_end: true })
    const pid = await readPid(join(options.cwd, 'pid'))
    await end(first)
    put(join(options.cwd, 'stop'), '')
    await waitForExit(pid)
    for (const round of [1, 2]) {
      const next = startServer(options)
      const result = await readJob(next, 1, { wait_for_end: true })
      expect(outputOf(result), String(round)).toBe('begun\nended\n')
      expect(result.text).toMatch(/: exit code 7\.( It left no processes running\.)?\]\n$/)
      const { structured, text } = await call(next, 'ListBgTasks')
      expect(text).toMatch(/^1 {2}exit code 7 .+\n2 {2}exit code 139 \(SIGSEGV\) /)
      expect(structured.tasks).toMatchObject([
        { task_id: 1, status: 'ended', exitCode: 7 },
        { task_id: 2, status: 'ended', exitCode: 139, signal: 'SIGSEGV' },
      ])
      await next.close()
    }
  })

  test('leaves nothing of a foreground command', async () => {
    const options = newStartOptions()
    const first = startServer(options)
    const command = 'echo $$ > pid; echo begun; exec sleep 300'
    const params = { name: 'Bash', arguments: { command, timeout: 600_000 }, _meta: { progressToken: 1 } }
    first.send({ jsonrpc: '2.0', id: 1, method: 'tools/call', params })
    // A server killed before its command has reported its pid cannot end it by its tag.
    await first.waitFor(({ method }) => method === 'notifications/progress')
    const pid = await readPid(join(options.cwd, 'pid'))
    // The second signal ends the grace period.
    const closing = end(first)
    first.child.kill('SIGTERM')
    await closing
    const second = startServer(options)
    expect((await call(second, 'Bash', { command: 'echo next' })).text).toBe('next\n')
    await waitForExit(pid)
    expect((await call(second, 'ListBgTasks')).text).toBe('No jobs.\n')
    await second.close()
  })
})

describe.skipIf(!HAS_PROC).concurrent('jobs that outlive', () => {
  test('are the only ones: processes left by other commands end after their server was killed', async () => {
    const options = newStartOptions()
    const first = startServer(options)
    await call(first, 'Bash', { command: 'setsid sleep 300 >/dev/null 2>&1 & echo $! > left' })
    const id = await startJob(first, OBEDIENT)
    const [left, pid] = [await readPid(join(options.cwd, 'left')), await readPid(join(options.cwd, 'pid'))]
    await killServer(first)
    const second = startServer(options)
    await waitForExit(left)
    expect(isAlive(pid)).toBe(true)
    expect((await call(second, 'KillBgTask', { task_id: id })).isError).toBe(false)
    await waitForExit(pid)
    await second.close()
  })

  test('are ended with their tree by the next server', async () => {
    const options = newStartOptions()
    const first = startServer(options)
    await startJob(first, 'echo $$ > pid; setsid sleep 300 & echo $! > child; wait')
    const pids = [await readPid(join(options.cwd, 'pid')), await readPid(join(options.cwd, 'child'))]
    await first.close()
    const second = startServer(options)
    expect((await call(second, 'KillBgTask', { task_id: 1 })).text).toMatch(/^Killed job 1 and its child processes/)
    await waitForExit(...pids)
    expect((await call(second, 'KillBgTask', { task_id: 1 })).text).toMatch(/^Job 1 had already ended: killed\./)
    await second.close()
  })

  test('belong to one server at a time', async () => {
    const options = newStartOptions()
    const first = startServer(options)
    await startJob(first, OBEDIENT)
    await first.close()
    const second = startServer(options)
    expect((await readJob(second, 1, { wait_for_pattern: 'begun' })).text).toMatch(/^begun\n/)
    const third = startServer(options)
    expect((await readJob(third, 1)).text).toContain('belongs to another running server of this project')
    await killServer(second)
    expect(outputOf(await readJob(third, 1))).toBe('begun\n')
    expect((await call(third, 'KillBgTask', { task_id: 1 })).isError).toBe(false)
    await third.close()
  })

  test('deliver all output before their end is reported, also to the server that took over', async () => {
    const options = newStartOptions()
    const first = startServer(options)
    await startJob(first, 'until [ -e stop ] || [ ! -d . ]; do sleep 0.02; done; seq 1 20000; exit 3')
    await first.close()
    const second = startServer({ ...options, env: { ...options.env, BASH_MAX_OUTPUT: '1000000' } })
    await call(second, 'ListBgTasks')
    put(join(options.cwd, 'stop'), '')
    const { text } = await readJob(second, 1, { wait_for_end: true })
    expect(text).toMatch(
      /^1\n2\n[^]*\n20000\n\[Job 1 ended after [\d.]+ s: exit code 3\. It left no processes running\.\]\n$/,
    )
    expect(text.split('\n')).toHaveLength(20_002)
    await second.close()
  })

  test('stay within their size on disk without a server', async () => {
    const options = newStartOptions({ JOB_MAX_OUTPUT: '65536' })
    const first = startServer(options)
    // Counts the lines, of at least two bytes each, in steps of a thousand.
    const command = 'echo $$ > pid; i=0; while [ -d "$PWD" ]; do echo $((i++)); ((i % 1000)) || echo $i > lines; done'
    await startJob(first, command)
    const pid = await readPid(join(options.cwd, 'pid'))
    await first.close()
    const path = join(options.cwd, 'lines')
    const countLines = (): number => (existsSync(path) ? Number(readFileSync(path, 'utf8')) : 0)
    const withoutServer = await eventually(countLines)
    await eventually(
      () => {
        expect(directorySize(join(options.env.HOME ?? '', '.scorpiox', 'jobs'))).toBeLessThan(65_536 + 8192)
        return countLines()
      },
      (lines) => lines > withoutServer + 50_000,
    )
    const second = startServer(options)
    const result = await readJob(second, 1, { tail: 2 })
    expect(result.text).toMatch(/^\d+\n\d+\n\[Job 1 is running/)
    await call(second, 'KillBgTask', { task_id: 1 })
    expect(isAlive(pid)).toBe(false)
    await second.close()
  })
})

describe.skipIf(!HAS_PROC)('foreground commands', () => {
  test('are answered as usual: output, order, exit code, timeout, continued jobs', async () => {
    const options = newStartOptions({ BASH_SOFT_LIMIT_MS: '2000' })
    const own = startServer(options)
    const bash = (command: string, more: object = {}) => call(own, 'Bash', { command, ...more })
    expect((await bash('echo a; echo b >&2; echo c')).text).toBe('a\nb\nc\n')
    expect((await bash('echo x; exit 3')).text).toBe('x\n[Exit code 3.]\n')
    expect((await bash('true')).text).toBe('(no output)\n')
    expect((await bash(`printf 'caf\\xc3'`)).text).toBe('caf\ufffd\n')
    expect((await bash('cat; readlink /proc/self/fd/0')).text).toBe('/dev/null\n')
    expect((await bash('echo part; sleep 60', { timeout: 300 })).text).toMatch(/^part\n\[Timed out after 300 ms/)
    expect((await bash('sleep 60 & echo started')).text).toMatch(/^started\n\[It left 1 process running/)
    const long = await bash('seq 1 100000')
    expect(long.structured).toMatchObject({ truncated: true, bytes: 588_895, exitCode: 0 })
    expect(long.text).toContain('[All 588,895 bytes of output are kept: ')
    const slow = await bash('echo one; sleep 4; echo two; exit 5')
    const id = slow.structured.task_id
    expect(slow.text).toMatch(/^one\n\[Still running after 2 s/)
    expect((await readJob(own, id, { wait_for_end: true })).text).toMatch(/^two\n\[Job \d+ ended .+exit code 5/)
    expect((await call(own, 'ListBgTasks')).structured.tasks).toHaveLength(1)
    await own.close()
  })

  test('are counted exactly, also output that was dropped before it was read', async () => {
    const own = startServer(newStartOptions({ JOB_MAX_OUTPUT: '500000' }))
    const { text, structured } = await call(own, 'Bash', { command: 'seq 1 1000000' })
    expect(structured).toMatchObject({ bytes: 6_888_896, truncated: true, exitCode: 0 })
    expect(text).toMatch(/^1\n2\n[^]* left out here\]\n[^]*\n1000000\n\[[\d,]+ of 6,888,896 bytes of output are kept: /)
    await own.close()
  })

  test('40 of 40 at once have their output, and leave nothing on disk', async () => {
    const options = newStartOptions()
    const own = startServer(options)
    const all = await Promise.all(
      Array.from({ length: 40 }, (_, index) => call(own, 'Bash', { command: `echo ${index}` })),
    )
    expect(all.map(({ text }) => text)).toEqual(all.map((_, index) => `${index}\n`))
    const jobs = join(options.env.HOME ?? '', '.scorpiox/jobs')
    const files = readdirSync(jobs, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
    expect(files.map(({ name }) => name).filter((name) => !name.endsWith('.json') || name === 'record.json')).toEqual(
      [],
    )
    await own.close()
  })
})
