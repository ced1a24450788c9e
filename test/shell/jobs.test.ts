// Background jobs as a client uses them: ids, reading, waiting, lists, killing; several servers on one project; full
// disks and missing homes.

import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'

import {
  call,
  childrenOf,
  directorySize,
  emptyFolder,
  HAS_PROC,
  isAlive,
  killServer,
  outputOf,
  PROGRAM,
  readJob,
  readPid,
  residentMegabytes,
  startJob,
  startServer,
  type TestClient,
  waitForExit,
} from '../support/client.js'
import { eventually } from '../support/eventually.js'
import { modernCall, sendRequest, startProgram } from '../support/http-client.js'
import { underLoad } from '../support/load.js'
import { canRun, requires } from '../support/requirements.js'
import { MISSING, skipIfMissing } from '../support/runtime.js'

const cwd = emptyFolder()
const HOME = emptyFolder()
let client: TestClient

beforeAll(() => {
  client = startServer({ cwd, env: { HOME } })
})

afterAll(async () => {
  expect(await client.close()).toBe(0)
  expect(client.stderr()).toBe('')
})

const start = (command: string): Promise<number> => startJob(client, command)
const read = (id: number, more: object = {}) => readJob(client, id, more)
const kill = (id: number) => call(client, 'KillBgTask', { task_id: id })

describe('a job', () => {
  test('is started at once, with an increasing id, in the text and as task_id', async () => {
    const started = Date.now()
    const first = await call(client, 'BackgroundBash', { command: 'sleep 60' })
    const second = await call(client, 'BackgroundBash', { command: 'sleep 60' })
    expect(Date.now() - started).toBeLessThan(underLoad(5000))
    const [a, b] = [first.structured.task_id, second.structured.task_id]
    expect(Number.isInteger(a) && b > a).toBe(true)
    expect(first.text).toBe(
      `Started job ${a}. ReadBgOutput(task_id: ${a}) reads its output and can wait for it; KillBgTask(task_id: ${a}) kills it.\n`,
    )
    expect(first.isError).toBe(false)
    await Promise.all([kill(a), kill(b)])
  })

  test('is read incrementally, reports when there is nothing new, and at the end how it ended', async () => {
    const id = await start(`echo one; ${untilThere('two-may-come')}; echo two; exit 4`)
    expect((await read(id, { wait_for_pattern: 'one' })).text).toMatch(/^one\n\[The pattern matched\.\]\n\[Job/)
    const none = await read(id)
    expect(none.text).toMatch(/^\[No new output\. Job \d+ is running \([\d.]+ s\)\.\]\n$/)
    expect(none.structured).toMatchObject({ task_id: id, status: 'running', exitCode: null, bytes: 0 })
    writeFileSync(join(cwd, 'two-may-come'), '')
    const end = await read(id, { wait_for_end: true })
    expect(end.text).toMatch(/^two\n\[Job \d+ ended after [\d.]+ s: exit code 4\. It left no processes running\.\]\n$/)
    expect(end.structured).toMatchObject({ status: 'ended', exitCode: 4, signal: null, waitedFor: 'end', bytes: 4 })
    expect((await read(id)).text).toMatch(
      /^\[No new output\. Job \d+ ended after [\d.]+ s: exit code 4\. It left no processes running\.\]\n$/,
    )
  })

  test('whose end was reported has been read completely, however it is read', async () => {
    for (let round = 0; round < 8; round++) {
      const id = await start('for i in {1..3000}; do echo "line $i"; done')
      let text = ''
      for (let isOver = false; !isOver;) {
        const result = await read(id)
        text += outputOf(result)
        isOver = result.structured.status === 'ended'
      }
      // Notes start on a new line, also after an incomplete line.
      expect(text.replaceAll('\n\n', '\n')).toBe(
        Array.from({ length: 3000 }, (_, index) => `line ${index + 1}\n`).join(''),
      )
    }
  })

  test('keeps characters whole between reads', async () => {
    const id = await start(`printf 'caf\\xc3'; sleep 0.4; printf '\\xa9 na\\xc3\\xafve caf\\xc3'`)
    expect(outputOf(await read(id, { wait_for_pattern: 'caf' }))).toBe('caf\n')
    expect((await read(id, { wait_for_end: true })).text).toMatch(/^é naïve caf\ufffd\n\[/)
  })

  test('is shown as in a terminal, and binary data by its type', async () => {
    const id = await start(`printf '\\e[31mred\\e[0m\\n10%%\\r100%%\\n'; head -c 3000 /dev/urandom | gzip`)
    const { text } = await read(id, { wait_for_end: true })
    expect(text).toMatch(/^red\n100%\n\[binary output: gzip/)
  })

  test('with a long output shows head and tail within the budget', async () => {
    const id = await start('seq 1 100000')
    const { text, structured } = await read(id, { wait_for_end: true })
    expect(text.length).toBeLessThan(30_300)
    expect(text).toMatch(
      /^1\n2\n[^]*lines \([\d,]+ characters\) left out here\][^]*\n100000\n\[The omitted output is kept: /,
    )
    expect(structured).toMatchObject({ truncated: true, bytes: 588_895 })
  })
})

describe.concurrent('waiting', () => {
  test('for a line that is already printed, comes later, is the last, or is incomplete', async () => {
    const ask = `echo ready; ${untilThere('question-may-come')}; printf "password: "`
    const id = await start(`${ask}; ${untilThere('end-may-come')}; echo; echo end`)
    expect((await read(id, { wait_for_pattern: '^ready$' })).structured.waitedFor).toBe('pattern')
    const question = read(id, { wait_for_pattern: '^password: $' })
    writeFileSync(join(cwd, 'question-may-come'), '')
    expect((await question).text).toMatch(/^password:\s*\n\[The pattern matched/)
    writeFileSync(join(cwd, 'end-may-come'), '')
    expect((await read(id, { wait_for_pattern: '^end$' })).structured.waitedFor).toBe('pattern')
    expect((await read(id, { wait_for_pattern: 'never' })).structured).toMatchObject({
      waitedFor: 'end',
      status: 'ended',
    })
  })

  test('no longer than the given time', async () => {
    const id = await start('sleep 60')
    const started = Date.now()
    const { text, structured } = await read(id, { wait_for_end: true, wait_ms: 300 })
    expect(Date.now() - started).toBeGreaterThanOrEqual(295)
    expect(text).toMatch(/^\[Timed out after [\d.]+ s\.\]\n\[No new output\. Job \d+ is running/)
    expect(structured.waitedFor).toBe('time')
    expect((await read(id, { wait_ms: 0 })).structured.waitedFor).toBe('time')
    await kill(id)
  })

  test('for a quiet period', async () => {
    const id = await start('for i in 1 2 3 4 5; do echo $i; sleep 0.15; done; sleep 60')
    const { text, structured } = await read(id, { wait_for_quiet_ms: 800 })
    expect(text).toMatch(/^1\n2\n3\n4\n5\n\[No output for the requested time\.\]/)
    expect(structured.waitedFor).toBe('quiet')
    expect(structured.runtimeMs).toBeGreaterThanOrEqual(1300)
    await kill(id)
  })

  test('for a TCP port', async () => {
    const holder = createServer().listen(0, '127.0.0.1')
    await new Promise((resolve) => holder.once('listening', resolve))
    const address = holder.address()
    const port = typeof address === 'object' && address ? address.port : 0
    await new Promise((resolve) => holder.close(resolve))
    const id = await start(
      `sleep 0.3; exec '${process.execPath}' -e "require('net').createServer().listen(${port}, '127.0.0.1')"`,
    )
    const { text, structured } = await read(id, { wait_for_port: port })
    expect(text).toContain('[The port accepts connections.]')
    expect(structured).toMatchObject({ waitedFor: 'port', status: 'running' })
    await kill(id)
    expect((await read(id, { wait_for_port: port })).structured.waitedFor).toBe('end')
  })

  test('for an ended job returns at once', async () => {
    const id = await start('echo over')
    await read(id, { wait_for_end: true, wait_ms: 20_000 })
    expect((await read(id, { wait_for_end: true, wait_ms: 0 })).structured.waitedFor).toBe('end')
  })

  test('sends progress while it waits', { tags: ['long'] }, async () => {
    const id = await start('sleep 60')
    const own = call(client, 'ReadBgOutput', { task_id: id, wait_ms: 5500 }, { progressToken: `alive-${id}` })
    await own
    const signs = client.received.filter(({ params }) => params?.progressToken === `alive-${id}`)
    expect(signs.map(({ params }) => params.message)).toEqual([`waiting for job ${id}`])
    await kill(id)
  })

  test('that is cancelled counts nothing as read', async () => {
    const printed = join(emptyFolder(), 'printed')
    const id = await start(`echo kept; touch '${printed}'; sleep 60`)
    await eventually(() => existsSync(printed))
    const args = { task_id: id, wait_for_end: true }
    client.send({
      jsonrpc: '2.0',
      id: `r${id}`,
      method: 'tools/call',
      params: { name: 'ReadBgOutput', arguments: args },
    })
    await client.request('ping')
    client.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: `r${id}` } })
    await client.request('ping')
    expect((await readJob(client, id, { wait_for_pattern: 'kept' })).text).toMatch(/^kept\n/)
    expect(client.received.filter(({ id: answered }) => answered === `r${id}`)).toEqual([])
    await kill(id)
  })

  test('hundreds of times does not leak', { tags: ['long'] }, async () => {
    const id = await start('while :; do echo x; sleep 0.01; done')
    for (let round = 0; round < 30; round++) {
      await Promise.all(
        Array.from({ length: 10 }, () => read(id, { wait_for_pattern: 'never', wait_for_port: 1, wait_ms: 5 })),
      )
    }
    await read(id, { wait_for_pattern: 'never', wait_ms: 1500 })
    await kill(id)
    expect(client.stderr()).not.toContain('MaxListeners')
  })
})

describe('a part of the output', () => {
  test('new lines that match', async () => {
    const id = await start('seq 1 20; sleep 0.3; seq 21 40')
    await read(id, { wait_for_pattern: '^20$', pattern: '^nothing$' })
    const result = await read(id, { wait_for_end: true, pattern: '5$|^.0$' })
    expect(result.text).toMatch(/^25\n30\n35\n40\n\[Job \d+ ended/)
    expect((await read(id, { pattern: '5$' })).text).toMatch(
      /^\[No new line matches; tail also searches lines already read\.\]\n\[Job/,
    )
  })

  test('the last lines, and the last matching lines of all output, read or not', async () => {
    const id = await start('seq 1 300000')
    await read(id, { wait_for_end: true })
    expect((await read(id, { tail: 2 })).text).toMatch(/^299999\n300000\n\[/)
    expect((await read(id, { tail: 2, pattern: '^12?$' })).text).toMatch(/^1\n12\n\[/)
    expect((await read(id, { tail: 5, pattern: 'x' })).text).toMatch(/^\[No line matches\.\]/)
    const all = await read(id, { tail: 1e15 })
    expect(all.text.length).toBeLessThan(30_300)
    expect(all.text).toMatch(/\n300000\n\[/)
    // The first line of the tail is complete.
    expect(all.text).toMatch(/^\d{6}\n/)
  })
})

describe('the list', () => {
  test('has id, status, runtime, command and exit code', async () => {
    const own = startServer({ cwd })
    expect((await call(own, 'ListBgTasks')).text).toBe('No jobs.\n')
    await startJob(own, 'echo  "a\n b"; exit 3')
    await startJob(own, 'sleep 60')
    await readJob(own, 1, { wait_for_end: true })
    const { text, structured } = await call(own, 'ListBgTasks')
    expect(text).toMatch(/^1 {2}exit code 3 {2}[\d.]+ s {2}echo "a b"; exit 3\n2 {2}running {2}[\d.]+ s {2}sleep 60\n$/)
    expect(structured).toEqual({
      tasks: [
        {
          task_id: 1,
          status: 'ended',
          command: 'echo "a b"; exit 3',
          runtimeMs: expect.any(Number),
          exitCode: 3,
          signal: null,
        },
        {
          task_id: 2,
          status: 'running',
          command: 'sleep 60',
          runtimeMs: expect.any(Number),
          exitCode: null,
          signal: null,
        },
      ],
      more: 0,
    })
    await own.close()
  })

  test('is a resource, and so is each job', async () => {
    const id = await start('echo hello; exit 2')
    await read(id, { wait_for_end: true })
    const textAt = async (uri: string): Promise<string> =>
      (await client.request('resources/read', { uri })).result?.contents[0].text
    const { resources } = (await client.request('resources/list')).result
    expect(resources).toContainEqual(expect.objectContaining({ uri: 'scorpiox://jobs' }))
    const { resourceTemplates } = (await client.request('resources/templates/list')).result
    expect(resourceTemplates).toContainEqual(expect.objectContaining({ uriTemplate: 'scorpiox://jobs/{id}' }))
    expect(await textAt('scorpiox://jobs')).toContain(`${id}  exit code 2`)
    // Nothing counts as read.
    for (const _ of [1, 2]) expect(await textAt(`scorpiox://jobs/${id}`)).toMatch(/^hello\n\[Job \d+ ended/)
    for (const name of ['0', '-1', '1.5', '1e3', '99999', '../1', '%2e%2e', 'x', '9'.repeat(400)]) {
      const { error } = await client.request('resources/read', { uri: `scorpiox://jobs/${name}` })
      expect(error.code, name).toBe(-32_002)
    }
  })
})

describe.concurrent('the end', () => {
  test('KillBgTask ends the process tree, also processes that ignore TERM, and can be repeated', async () => {
    const stubborn = `bash -c 'trap "" TERM; echo $$ > stubborn; while :; do sleep 0.1; done'`
    const id = await start(`(setsid ${stubborn} >/dev/null 2>&1 &); sleep 300 & echo $! > plain; echo before; wait`)
    const pids = [await readPid(join(cwd, 'stubborn')), await readPid(join(cwd, 'plain'))]
    const result = await kill(id)
    expect(pids.filter(isAlive)).toEqual([])
    expect(result.text).toBe(
      `Killed job ${id} and its child processes. ReadBgOutput(task_id: ${id}) still reads its output.\n`,
    )
    expect(result.structured).toMatchObject({ task_id: id, status: 'ended', signal: 'SIGTERM' })
    const again = await Promise.all([kill(id), kill(id)])
    for (const { text, isError } of again) {
      expect(text).toBe(`Job ${id} had already ended: killed. It left no processes running.\n`)
      expect(isError).toBe(false)
    }
    expect((await read(id)).text).toMatch(
      /^before\n[^]*\[Job \d+ ended after [\d.]+ s: killed\. It left no processes running\.\]\n$/,
    )
  })

  test('a job that fails at a prompt reports that it may have wanted input', async () => {
    const id = await start('printf "Continue? [y/N] "; read -r answer < /dev/null || exit 1')
    const { text } = await read(id, { wait_for_end: true })
    expect(text).toMatch(/^Continue\? \[y\/N\] \n\[Job \d+ ended [^\n]*exit code 1\.[^\n]*\n\[It may have needed input/)
  })

  test('so does one that fails at a read without a visible prompt', async () => {
    const id = await start('exec < /dev/null; read -p "Name? " name || exit 5')
    const { text } = await read(id, { wait_for_end: true })
    expect(text).toMatch(/^\[No new output\. Job \d+ ended [^\n]*exit code 5\.[^\n]*\n\[It may have needed input/)
  })

  test('KillBgTask ends processes left running by an ended job', async () => {
    const id = await start('sleep 300 & echo $! > orphan')
    const { text } = await read(id, { wait_for_end: true })
    const pid = await readPid(join(cwd, 'orphan'))
    expect(text).toContain(`It left 1 process running: sleep (${pid}); KillBgTask(task_id: ${id}) kills it.]`)
    expect(isAlive(pid)).toBe(true)
    expect((await kill(id)).text).toContain('had already ended: exit code 0. It left no processes running')
    await waitForExit(pid)
  })

  test('of the server ends its jobs, which the next one lists', async () => {
    const options = { cwd: emptyFolder(), env: { HOME: emptyFolder() } }
    const first = startServer(options)
    await startJob(first, 'echo output; echo $$ > pid; exec sleep 300')
    const pid = await readPid(join(options.cwd, 'pid'))
    expect(await first.close()).toBe(0)
    expect(isAlive(pid)).toBe(false)
    const second = startServer(options)
    expect((await readJob(second, 1)).text).toMatch(
      /^output\n\[Job 1 ended after [\d.]+ s: killed when its server exited\.\]\n$/,
    )
    expect(await startJob(second, 'true')).toBe(2)
    await second.close()
  })

  test.skipIf(!HAS_PROC)(
    'of a killed server is detected by the next one, which ends its processes and reports it',
    async () => {
      const options = { cwd: emptyFolder(), env: { HOME: emptyFolder() } }
      const first = startServer(options)
      await startJob(first, `trap '' TERM; echo output; echo $$ > pid; while :; do sleep 0.1; echo >> running; done`)
      const pid = await readPid(join(options.cwd, 'pid'))
      await readJob(first, 1, { wait_for_pattern: 'output' })
      // The process that would clean up is killed too.
      const helpers = childrenOf(first.child.pid ?? 0)
      expect(helpers.length).toBeGreaterThan(0)
      for (const helper of helpers) process.kill(helper, 'SIGKILL')
      await killServer(first)
      const rounds = (): number => directorySize(options.cwd)
      const atTheEnd = rounds()
      await eventually(rounds, (count) => count > atTheEnd)
      expect(isAlive(pid)).toBe(true)
      const second = startServer(options)
      const { text, structured } = await call(second, 'ListBgTasks')
      await waitForExit(pid)
      expect(text).toMatch(/^1 {2}killed because its server was lost {2}[\d.]+ s {2}trap/)
      expect(structured.tasks).toMatchObject([{ task_id: 1, status: 'ended', exitCode: null }])
      expect((await readJob(second, 1)).text).toMatch(/^output\n\[Job 1 ended after .+ its server was lost\.\]\n$/)
      await second.close()
    },
  )

  test.skipIf(!HAS_PROC)('of a killed server is detected also by an idle one, which reports it', async () => {
    const options = { cwd: emptyFolder(), env: { HOME: emptyFolder() } }
    const first = startServer(options)
    await startJob(first, 'echo $$ > pid; exec sleep 300')
    const pid = await readPid(join(options.cwd, 'pid'))
    for (const helper of childrenOf(first.child.pid ?? 0)) process.kill(helper, 'SIGKILL')
    await killServer(first)
    const second = startServer(options)
    await waitForExit(pid)
    await vi.waitFor(() => expect(second.stderr()).toContain('cleaned up after a killed server of this project'), 5000)
    await second.close()
  })
})

test.skipIf(!HAS_PROC)('an HTTP server cleans up after a killed one, too', async () => {
  // In a sandbox, processes have other pids.
  const options = { cwd: emptyFolder(), env: { STATE_DIR: emptyFolder(), SANDBOX: 'off' } }
  const first = await startProgram(options)
  await sendRequest(first, modernCall('BackgroundBash', { command: 'echo $$ > pid; exec sleep 300' }))
  const pid = await readPid(join(options.cwd, 'pid'))
  for (const helper of childrenOf(first.child.pid ?? 0)) process.kill(helper, 'SIGKILL')
  first.child.kill('SIGKILL')
  await first.exited
  const second = await startProgram(options)
  await waitForExit(pid)
  await vi.waitFor(() => expect(second.stderr()).toContain('cleaned up after a killed server'), 5000)
  expect(await second.stop()).toBe(0)
})

describe('several servers of one project', () => {
  test('start jobs at once: no id is used twice, and each keeps its own', async () => {
    const options = { cwd: emptyFolder(), env: { HOME: emptyFolder() } }
    const servers = [startServer(options), startServer(options)]
    const ids = await Promise.all(
      servers.flatMap((server) =>
        Array.from({ length: 15 }, (_, index) => startJob(server, `echo ${index}; sleep 60`)),
      ),
    )
    // An id may be skipped if both servers allocate one at the same moment.
    expect(ids.toSorted((a, b) => a - b)).toEqual([...new Set(ids)].toSorted((a, b) => a - b))
    const [first, second] = servers
    if (!first || !second) throw new Error('no servers')
    const id = ids[0] ?? 0
    expect((await readJob(first, id, { wait_for_pattern: '.' })).text).toMatch(/^0\n/)
    const refused = await readJob(second, id)
    expect(refused.isError).toBe(true)
    expect(refused.text).toBe(
      `Job ${id} belongs to another running server of this project. Read it or kill it there.\n`,
    )
    // When the other one is gone, the remaining server takes over.
    await killServer(first)
    expect((await readJob(second, id)).text).toContain('killed because its server was lost')
    expect((await call(second, 'ListBgTasks')).structured.tasks).toHaveLength(30)
    expect(await second.close()).toBe(0)
    const third = startServer(options)
    expect(await startJob(third, 'true')).toBeGreaterThan(Math.max(...ids))
    await third.close()
  })
})

describe('limits', () => {
  test('no more than MAX_JOBS run at once, also when they are started together', async () => {
    const own = startServer({ cwd, env: { MAX_JOBS: '5' } })
    const answers = await Promise.all(
      Array.from({ length: 12 }, () => call(own, 'BackgroundBash', { command: 'sleep 60' })),
    )
    const refused = answers.filter(({ isError }) => isError)
    expect(refused, answers.map(({ text }) => text).join('\n')).toHaveLength(7)
    expect(refused[0]?.text).toMatch(/^5 jobs are running, which is the limit: kill one with KillBgTask\./)
    await call(own, 'KillBgTask', { task_id: 1 })
    expect((await call(own, 'BackgroundBash', { command: 'true' })).isError).toBe(false)
    await own.close()
  })

  test.skipIf(!HAS_PROC)(
    'a job that prints without end stays within its size on disk and in memory, and can be read meanwhile',
    async () => {
      const home = emptyFolder()
      const own = startServer({ cwd, env: { HOME: home, JOB_MAX_OUTPUT: '65536' } })
      // Numbered lines, so that joined or reordered ones are visible.
      const id = await startJob(
        own,
        `exec '${process.execPath}' -e '
      let n = 0
      const more = () => { let t = ""; for (let i = 0; i < 500; i++) t += "<" + String(n++).padStart(9, "0") + "é>\\n"; process.stdout.write(t, () => setTimeout(more, 1)) }
      more()'`,
      )
      let last = -1
      let dropped = 0
      let seen = 0
      for (let round = 0; round < 40; round++) {
        const result = await readJob(own, id)
        for (const line of outputOf(result).split('\n').filter(Boolean)) {
          if (/^\[.+ (bytes that were here are no longer kept|left out here)\]$/.test(line)) {
            dropped++
            continue
          }
          // At worst cut at a gap, never broken.
          expect(line).toMatch(/^<?\d{0,9}é?>?$/)
          if (!/^<\d{9}é>$/.test(line)) continue
          expect(Number(line.slice(1, 10))).toBeGreaterThan(last)
          last = Number(line.slice(1, 10))
          seen++
        }
        expect(directorySize(join(home, '.scorpiox', 'jobs'))).toBeLessThan(65_536 + 4096)
        // Meanwhile the job prints more than is kept.
        await sleep(10)
      }
      expect(seen).toBeGreaterThan(1000)
      expect(dropped).toBeGreaterThan(0)
      // The last of three lines may be incomplete.
      const [, newest] = /^<(\d{9})é>\n/.exec((await readJob(own, id, { tail: 3 })).text) ?? []
      expect(Number(newest)).toBeGreaterThanOrEqual(last - 2)
      const found = await readJob(own, id, { tail: 1000, pattern: '0000é' })
      expect(found.text).toMatch(/^<000000000é>\n/)
      expect(found.text).toMatch(/\[[\d,]+ bytes of this output are no longer kept\.\]/)
      expect((await readJob(own, id, { pattern: '^nothing$' })).isError).toBe(false)
      expect(residentMegabytes(own)).toBeLessThan(250)
      await call(own, 'KillBgTask', { task_id: id })
      await own.close()
      expect(own.stderr()).toBe('')
    },
  )
})

describe('hostile arguments', () => {
  test.each(['ReadBgOutput', 'KillBgTask'])('invalid job ids: %s', async (name) => {
    for (const id of [0, -1, 1e15, 99_999, Number.MAX_SAFE_INTEGER]) {
      const { text, isError } = await call(client, name, { task_id: id })
      expect(text).toMatch(
        new RegExp(`^There is no job ${id}\\. (Existing jobs: [\\d, ]+\\.|Start one with BackgroundBash\\.)\n$`),
      )
      expect(isError).toBe(true)
    }
    for (const id of ['1', 1.5, null, true, [1], {}, 1e300]) {
      const { text, isError } = await call(client, name, { task_id: id })
      expect(text).toMatch(/^(Invalid arguments: 'task_id' must be an integer, got |There is no job)/)
      expect(isError).toBe(true)
    }
  })

  test('patterns that are slow, invalid, too long or unusual', async () => {
    const command = `printf 'a%.0s' {1..500}; echo; printf 'x\\n'; sleep 60`
    const id = await start(command)
    for (const bomb of ['^(a+)+$', '^(([a-z])+.)+[A-Z]$']) {
      for (const argument of ['pattern', 'wait_for_pattern']) {
        const unread = await start(command)
        const started = Date.now()
        // Another event would end the wait before the pattern is given up.
        const wait = argument === 'pattern' ? { wait_for_quiet_ms: 200 } : { wait_ms: 60_000 }
        const { text, isError } = await read(unread, { [argument]: bomb, ...wait })
        expect(Date.now() - started).toBeLessThan(underLoad(5000))
        expect(isError, bomb).toBe(bomb.includes('A-Z'))
        if (isError) expect(text).toMatch(/^The pattern .+ takes too long on this output\. Give a simpler one/)
        await kill(unread)
      }
    }
    expect((await read(id, { pattern: '(' })).text).toMatch(
      /^The pattern cannot be used \(.+\)\. Give a JavaScript regular/,
    )
    expect((await read(id, { pattern: 'x'.repeat(1001) })).text).toContain('shorten it')
    for (const odd of ['', '\ud800', '\0', '\\p{L}+', '(?<n>x)\\k<n>?', '\\-', '[^]']) {
      expect((await read(id, { pattern: odd, tail: 5 })).isError, JSON.stringify(odd)).toBe(false)
    }
    await kill(id)
  })

  test('minimum and maximum times and counts', async () => {
    const id = await start('echo here; sleep 60')
    await read(id, { wait_for_pattern: 'here' })
    for (const bad of [
      { wait_ms: -1 },
      { wait_ms: 600_001 },
      { wait_ms: 1e15 },
      { wait_for_quiet_ms: 0 },
      { wait_for_quiet_ms: 1e15 },
      { wait_for_port: 0 },
      { wait_for_port: 65_536 },
      { tail: 0 },
      { tail: -1 },
      { tail: 1.5 },
      { wait_for_end: 'yes' },
    ]) {
      const { text, isError } = await read(id, bad)
      expect(text, JSON.stringify(bad)).toMatch(/^Invalid arguments: '\w+' must be /)
      expect(isError).toBe(true)
    }
    expect((await read(id, { wait_ms: 0, tail: Number.MAX_SAFE_INTEGER })).text).toMatch(/^here\n/)
    await kill(id)
  })

  test('commands', async () => {
    const nul = await call(client, 'BackgroundBash', { command: 'echo a\0b' })
    expect(nul).toMatchObject({ isError: true, text: 'The command was not started: it contains a NUL character.\n' })
    const half = await start('echo "a\ud800b"')
    expect((await read(half, { wait_for_end: true })).text).toMatch(/^a\ufffdb\n/)
    const huge = await start(`: ${'x'.repeat(6_000_000)}\necho done`)
    expect((await read(huge, { wait_for_end: true })).text).toMatch(/^done\n/)
    const listed = await call(client, 'ListBgTasks')
    expect(listed.text.length).toBeLessThan(20_000)
    const empty = await start('')
    expect((await read(empty, { wait_for_end: true })).structured.exitCode).toBe(0)
  })
})

describe('output cannot be kept', () => {
  const file = join(emptyFolder(), 'file')
  writeFileSync(file, '')

  test.for([
    ['STATE_DIR is a file', { STATE_DIR: file }],
    ['STATE_DIR is in a file', { STATE_DIR: join(file, 'x') }],
    ['STATE_DIR is not writable', { STATE_DIR: '/proc/nowhere' }],
    ['there is no home', { HOME: '' }],
    ['there is no home, and jobs outlive the server', { HOME: '', JOBS_OUTLIVE_SERVER: '1' }],
    ['STATE_DIR is a file, and jobs outlive the server', { STATE_DIR: file, JOBS_OUTLIVE_SERVER: '1' }],
  ] as const)('%s: commands run, and other calls report why they cannot', async ([, env], context) => {
    if ('HOME' in env) skipIfMissing(context, MISSING.emptyHome)
    const own = startServer({ cwd, env: { BASH_SOFT_LIMIT_MS: '300', ...env } })
    expect((await call(own, 'Bash', { command: 'echo fine' })).text).toBe('fine\n')
    const long = await call(own, 'Bash', { command: 'seq 1 100000', timeout: 20_000 })
    expect(long.text).toMatch(/100000\n\[The 588,895 bytes of output were not kept: .+STATE_DIR.+\]\n$/)
    expect(long).toMatchObject({ isError: false, content: [{ type: 'text' }] })
    const slow = await call(own, 'Bash', { command: 'echo so far; sleep 60' })
    expect(slow.text).toMatch(
      /^so far\n\[Timed out after 300 ms: the command and its child processes were killed\. Use a longer timeout\. It could not continue/,
    )
    const job = await call(own, 'BackgroundBash', { command: 'echo' })
    expect(job.isError).toBe(true)
    expect(job.text).toMatch(/^The command was not started: .+STATE_DIR.+\.\n$/)
    expect((await readJob(own, 1)).isError).toBe(true)
    expect(await own.close()).toBe(0)
    expect(own.stderr()).not.toMatch(/ {4}at /)
  })

  // A separate disk that only this process and its children see.
  const UNSHARE = { isMet: canRun('unshare', ['-rm', 'true']), reason: 'unshare cannot create a mount namespace' }

  function startWithDisk(mount: string): TestClient {
    const script = `unshare -rm bash -c '${mount}; exec "$0" "$@"' "$0" "$@"`
    const args = ['-c', script, process.execPath, PROGRAM]
    return startServer({ file: 'bash', args, cwd, env: { STATE_DIR: emptyFolder() } })
  }

  test.each([
    ['read-only', 'mount -t tmpfs -o ro,size=64k none "$STATE_DIR"'],
    ['full', 'mount -t tmpfs -o size=64k none "$STATE_DIR"; cat /dev/zero > "$STATE_DIR/fill" 2>/dev/null'],
  ])('the disk is %s', requires(UNSHARE), async (_, mount) => {
    const own = startWithDisk(mount)
    expect((await call(own, 'Bash', { command: 'echo fine' })).text).toBe('fine\n')
    const { text, isError } = await call(own, 'BackgroundBash', { command: 'echo' })
    expect(text).toMatch(/^The command was not started: .+(EROFS|ENOSPC).+\.\n$/)
    expect(isError).toBe(true)
    expect((await call(own, 'Bash', { command: 'seq 1 100000' })).text).toMatch(/ were not kept: .+(EROFS|ENOSPC)/)
    await own.close()
  })

  test('the disk becomes full: the job continues, and reading reports what is missing', requires(UNSHARE), async () => {
    const own = startWithDisk('mount -t tmpfs -o size=200k none "$STATE_DIR"')
    const id = await startJob(own, 'seq 1 100000; echo last > done')
    const { text, structured } = await readJob(own, id, { wait_for_end: true })
    expect(structured).toMatchObject({ status: 'ended', exitCode: 0 })
    expect(text).toMatch(/\[\d+ bytes of the output are missing: .+ENOSPC.+\]/)
    await own.close()
  })

  test('files of others in its folder are ignored', async () => {
    const options = { cwd: emptyFolder(), env: { HOME: emptyFolder() } }
    const first = startServer(options)
    await startJob(first, 'echo one')
    await readJob(first, 1, { wait_for_end: true })
    await first.close()
    const folder = execFileSync('find', [options.env.HOME, '-type', 'd', '-name', '1'], { encoding: 'utf8' }).trim()
    writeFileSync(join(folder, 'record.json'), '{"id":1,"command":5}')
    mkdirSync(join(folder, '../7'))
    writeFileSync(join(folder, '../7/record.json'), 'not JSON')
    writeFileSync(join(folder, '../notes.txt'), '')
    const second = startServer(options)
    expect((await readJob(second, 1)).text).toMatch(/^There is no job 1/)
    expect(await startJob(second, 'true')).toBe(8)
    await second.close()
    expect(second.stderr()).toBe('')
  })
})

/** A command that waits for a file of the project. */
function untilThere(name: string): string {
  return `until [ -e ${name} ]; do sleep 0.05; done`
}
