// Everything a command starts ends with it: on cancellation, on a timeout, when the client disconnects, and when the
// server stops. Concurrently, each with its own server, because the tests mostly wait.

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

import { describe, expect, test } from 'vitest'

import {
  cleanEnv,
  emptyFolder,
  HAS_PROC,
  isAlive,
  PROGRAM,
  readPid,
  resultData,
  startServer,
  type TestClient,
  waitForExit,
} from './support/client.js'
import { eventually } from './support/eventually.js'
import { underLoad } from './support/load.js'

/** Long enough for a process to write its pid on a busy machine. */
const TIMEOUT_MS = 2500

// Each writes its pid to a file called `pid`, and would run for minutes.
const SLEEPER = "bash -c 'echo $$ > pid; exec sleep 300'"
const STUBBORN = 'bash -c \'trap "" TERM; echo $$ > pid; while :; do sleep 0.1; done\''

const TREES: readonly [string, string][] = [
  ['a plain child', `${SLEEPER} & wait`],
  ['a child with its output elsewhere', `${SLEEPER} >/dev/null 2>&1 & wait`],
  ['a child that ignores TERM, with its output elsewhere', `${STUBBORN} >/dev/null 2>&1 & wait`],
  ['a child of timeout(1), which has a group of its own', `timeout 100 ${SLEEPER}; echo done`],
  ['a child in a group of its own', `set -m; ${SLEEPER} & wait`],
  ['a child in a session of its own', `setsid ${SLEEPER} & wait; sleep 300`],
  ['a daemon', `(setsid ${SLEEPER} </dev/null >/dev/null 2>&1 &) ; sleep 300`],
  ['a child without an environment, in a group of its own', `set -m; env -i ${SLEEPER} & wait`],
  ['a child without an environment that ignores TERM', `env -i ${STUBBORN} & wait`],
]

const LEFT_BEHIND: readonly [string, string][] = [
  ['a child', `${SLEEPER} & sleep 0.3`],
  ['a child with its output elsewhere', `nohup ${SLEEPER} >/dev/null 2>&1 & sleep 0.3`],
  ['a daemon', `(setsid ${SLEEPER} </dev/null >/dev/null 2>&1 &) ; sleep 0.3`],
]

describe.skipIf(!HAS_PROC).concurrent.each(TREES)('%s', (_, command) => {
  test('ends when the call is cancelled', async () => {
    const { client, pid } = await begin(command)
    client.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } })
    await waitForExit(pid)
    expect(await client.close()).toBe(0)
  })

  test('is gone when a timeout is reported', async () => {
    const { client, pid } = await begin(command, TIMEOUT_MS)
    const { result } = await client.waitFor(({ id }) => id === 1)
    expect(resultData(result).timedOut).toBe(true)
    expect(result.content[0].text).toContain(
      `[Timed out after ${TIMEOUT_MS} ms: the command and its child processes were killed.`,
    )
    expect(isAlive(pid)).toBe(false)
    await client.close()
  })

  test('is gone when the server has stopped', async () => {
    const { client, pid } = await begin(command)
    client.child.kill('SIGTERM')
    // The second signal comes while it stops.
    await sleep(100)
    client.child.kill('SIGTERM')
    expect(await client.close()).toBe(0)
    expect(isAlive(pid)).toBe(false)
  })
})

test.skipIf(!HAS_PROC).concurrent.each(LEFT_BEHIND)(
  '%s that outlives its command is gone when the server has stopped',
  async (_, command) => {
    const { client, pid } = await begin(command)
    expect((await client.waitFor(({ id }) => id === 1)).result.isError).toBe(false)
    expect(isAlive(pid)).toBe(true)
    expect(await client.close()).toBe(0)
    expect(isAlive(pid)).toBe(false)
  },
)

test.concurrent.each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)(
  'a command called from the terminal ends with %s',
  async (signal) => {
    const cwd = emptyFolder()
    const args = [PROGRAM, 'call', 'Bash', `command=${SLEEPER} & wait`, 'timeout=600000']
    const child = spawn(process.execPath, args, { cwd, env: cleanEnv(), stdio: 'ignore' })
    const pid = await readPid(join(cwd, 'pid'))
    child.kill(signal)
    const [code] = (await once(child, 'exit')) as [number]
    expect(code).toBe({ SIGINT: 130, SIGTERM: 143, SIGHUP: 129 }[signal])
    expect(isAlive(pid)).toBe(false)
  },
)

test
  .skipIf(!HAS_PROC)
  .concurrent('a child in another session that holds the output open does not delay the end', async () => {
    const cwd = emptyFolder()
    const started = Date.now()
    const child = spawn(process.execPath, [PROGRAM, 'call', 'Bash', `command=setsid ${SLEEPER} & sleep 0.3; echo hi`], {
      cwd,
      env: cleanEnv(),
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    await once(child, 'exit')
    expect(Date.now() - started).toBeLessThan(underLoad(10_000))
    expect(isAlive(await readPid(join(cwd, 'pid')))).toBe(false)
  })

test.concurrent('a call that arrives while the server stops leaves nothing behind', async () => {
  const { client, pid, cwd } = await begin(`${STUBBORN} & wait`)
  client.child.stdout.pause()
  for (let count = 0; count < 6000; count++) client.send({ jsonrpc: '2.0', id: `l${count}`, method: 'tools/list' })
  const late = { command: 'echo $$ > late; exec sleep 300' }
  client.send({ jsonrpc: '2.0', id: 2, method: 'tools/call', params: { name: 'Bash', arguments: late } })
  // Until the server cannot write any more, and stops reading.
  await sleep(300)
  client.child.kill('SIGTERM')
  await sleep(100)
  client.child.kill('SIGTERM')
  await sleep(50)
  client.child.stdout.resume()
  expect(await client.close()).toBe(0)
  expect(isAlive(pid)).toBe(false)
  if (readdirSync(cwd).includes('late')) expect(isAlive(Number(readFileSync(join(cwd, 'late'), 'utf8')))).toBe(false)
})

test.skipIf(!HAS_PROC)('a process that forks and exits in a loop does not escape', async () => {
  const folder = emptyFolder()
  // It would exit by itself after twenty seconds.
  const link = 'link() { read -t 0.003 -u 9; echo >> links; (($1 < 5000)) && link $(($1 + 1)) & }'
  writeFileSync(join(folder, 'chain.sh'), `mkfifo hole; exec 9<>hole; trap "" TERM; ${link}; echo $$ > pid; link 0`)
  const { client, cwd } = await begin(`setsid bash ${folder}/chain.sh & sleep 300`, TIMEOUT_MS)
  expect(resultData((await client.waitFor(({ id }) => id === 1)).result).timedOut).toBe(true)
  expect(readFileSync(join(cwd, 'links')).length).toBeGreaterThan(10)
  expect(processesWith(`${folder}/chain.sh`)).toEqual([])
  await client.close()
})

test.concurrent.each(['cancelled', 'SIGTERM'])(
  'a command that takes its time to exit gets one signal: %s',
  async (ending) => {
    const { client, cwd } = await begin('trap "echo asked >> asked" TERM; echo $$ > pid; while :; do sleep 0.05; done')
    if (ending === 'cancelled')
      client.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } })
    else for (const ms of [0, 100]) await sleep(ms).then(() => client.child.kill('SIGTERM'))
    expect(await client.close()).toBe(0)
    expect(readFileSync(join(cwd, 'asked'), 'utf8')).toBe('asked\n')
  },
)

test.concurrent('a process that this server did not start is not killed, whatever its pid', async () => {
  const unrelatedProcess = spawn('sleep', ['60'], { detached: true, stdio: 'ignore', env: cleanEnv() })
  const { client } = await begin(`${SLEEPER} & wait`)
  await client.close()
  expect(unrelatedProcess.exitCode).toBeNull()
  expect(unrelatedProcess.signalCode).toBeNull()
  unrelatedProcess.kill('SIGKILL')
})

test('many commands cancelled at once are all gone', async () => {
  const cwd = emptyFolder()
  writeFileSync(join(cwd, 'run.sh'), 'echo $$ > "p$1"; exec sleep 300')
  const client = startServer({ cwd })
  const count = 60
  for (let id = 0; id < count; id++) {
    client.send({
      jsonrpc: '2.0',
      id,
      method: 'tools/call',
      params: { name: 'Bash', arguments: { command: `bash run.sh ${id} & wait` } },
    })
  }
  await eventually(
    () => readdirSync(cwd),
    ({ length }) => length === count + 1,
  )
  for (let id = 0; id < count; id++)
    client.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: id } })
  expect(await client.close()).toBe(0)
  const pids = readdirSync(cwd)
    .filter((name) => name.startsWith('p'))
    .map((name) => Number(readFileSync(join(cwd, name), 'utf8')))
  expect(pids, readdirSync(cwd).join('\n')).toHaveLength(count)
  expect(pids.filter(isAlive)).toEqual([])
})

async function begin(command: string, timeout = 600_000): Promise<{ client: TestClient; pid: number; cwd: string }> {
  const cwd = emptyFolder()
  const client = startServer({ cwd })
  client.send({
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/call',
    params: { name: 'Bash', arguments: { command, timeout } },
  })
  return { client, cwd, pid: await readPid(join(cwd, 'pid')) }
}

/** The processes whose command line has this text. */
function processesWith(text: string): readonly string[] {
  const commandLines = readdirSync('/proc').flatMap((name) => {
    try {
      return /^\d+$/.test(name)
        ? [`${name} ${readFileSync(`/proc/${name}/cmdline`, 'utf8').replaceAll('\0', ' ')}`]
        : []
    } catch {
      // It has exited.
      return []
    }
  })
  return commandLines.filter((line) => line.includes(text))
}
