// The supervisor or the shells are killed, or the server ends at the worst moment: no process is left, every call is
// answered, and the next command works.

import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

import { describe, expect, test } from 'vitest'

import { childrenOf, HAS_PROC, type Json, resultData, type TestClient } from './support/client.js'
import { eventually } from './support/eventually.js'
import { createProcessTrees, NO_SURVIVORS, type ProcessTrees } from './support/process-trees.js'

const HAS_LAUNCHER = HAS_PROC && ['x64', 'arm64'].includes(process.arch)
/** Commands are started by the supervisor script. */
const SCRIPT_ONLY = { SHELL_LAUNCHER: '0' }

/** On a busy machine; an exited process is not waited for. */
const SOON_MS = 20_000

/** All processes of the group; others may be in it too. */
const KILL_SESSION = `session() { set -- $(sed 's/.*) //' /proc/$1/stat); echo "$4"; }
mine=$(session $$)
for path in /proc/[0-9]*; do [ "$(session \${path#/proc/} 2>/dev/null)" = "$mine" ] && others="$others \${path#/proc/}"; done
[ "$mine" -gt 1 ] && kill -9 $others`

describe.skipIf(!HAS_PROC).concurrent('the shell supervisor is killed', () => {
  test('while nothing runs', async () => {
    const { trees, client } = await open(SCRIPT_ONLY)
    // The process list shows the name of its script, not the text.
    expect(commandLineOf(supervisorOf(client))).not.toContain('mkfifo')
    kill(supervisorOf(client))
    expect(await run(client, 'echo again')).toMatchObject({ isError: false, content: [{ text: 'again\n' }] })
    await closed(client, trees)
  })

  test('while commands run, which continue', async () => {
    const { trees, client } = await open(SCRIPT_ONLY)
    const answers = Array.from({ length: 10 }, () => run(client, 'echo > $$; sleep 1; echo done; exit 3'))
    await begun(trees, 10)
    kill(supervisorOf(client))
    expect(textOf(await run(client, 'echo again'))).toBe('again\n')
    for (const answer of await Promise.all(answers)) {
      expect(textOf(answer)).toMatch(/^done\n/)
      expect(resultData(answer).exitCode).toBe(3)
    }
    await closed(client, trees)
  })

  test('while commands are started, each of which runs or is reported as failed', async () => {
    const { trees, client } = await open(SCRIPT_ONLY)
    const answers = Array.from({ length: 40 }, () => run(client, 'echo ran'))
    kill(supervisorOf(client))
    for (const text of (await Promise.all(answers)).map(textOf))
      expect(text).toMatch(/^ran\n$|^The command was not started: .*\. Run it again/)
    expect(textOf(await run(client, 'echo again'))).toBe('again\n')
    await closed(client, trees)
  })

  test.each([
    ['with all the shells it started', true],
    ['in part: only the shell that is ready, and the process that waits for it', false],
  ])('%s', async (_, isWhole) => {
    const { trees, client } = await open(SCRIPT_ONLY)
    const supervisor = supervisorOf(client)
    const waiting = await eventually(
      () => childrenOf(supervisor),
      (children) => children.map(commandLineOf).join('\n') === commandLineOf(supervisor),
    )
    for (const pid of [...waiting, ...waiting.flatMap(childrenOf), ...(isWhole ? [supervisor] : [])]) kill(pid)
    expect(textOf(await run(client, 'echo again'))).toMatch(/^again\n$|Exit status unknown\. It may have completed/)
    expect(textOf(await run(client, 'echo again'))).toBe('again\n')
    await closed(client, trees)
  })

  test('only stopped', async () => {
    const { trees, client } = await open(SCRIPT_ONLY)
    process.kill(supervisorOf(client), 'SIGSTOP')
    const answers = Array.from({ length: 50 }, () => run(client, 'echo again'))
    for (const text of (await Promise.all(answers)).map(textOf)) expect(text).toBe('again\n')
    await closed(client, trees)
  })

  test('together with its server', async () => {
    const { trees, client } = await open(SCRIPT_ONLY)
    await startTrees(trees, client, 20)
    kill(supervisorOf(client))
    client.child.kill('SIGKILL')
    await nextCleansUp(trees)
  })

  for (const ms of [0, 5, 10, 20, 40])
    test(
      `together with its server, ${ms} ms after commands were sent`,
      { tags: ms === 20 ? [] : ['long'] },
      async () => {
        const { trees, client } = await open(SCRIPT_ONLY)
        for (let tree = 0; tree < 20; tree++) begin(client, trees.command(tree), tree % 2 === 0)
        await sleep(ms)
        kill(supervisorOf(client))
        client.child.kill('SIGKILL')
        await nextCleansUp(trees)
      },
    )
})

describe.skipIf(!HAS_LAUNCHER).concurrent('the shell launcher is killed', () => {
  test('while nothing runs', async () => {
    const { trees, client } = await open()
    kill(launcherOf(client))
    // The command may have been sent to it before its end was seen.
    expect(textOf(await run(client, 'echo again'))).toMatch(/^again\n$|not known whether the command was started/)
    expect(textOf(await run(client, 'echo again'))).toBe('again\n')
    await closed(client, trees)
  })

  test('while commands run, which are ended and answered', async () => {
    const { trees, client } = await open()
    const answers = Array.from({ length: 10 }, () => run(client, 'echo > $$; sleep 60'))
    await begun(trees, 10)
    kill(launcherOf(client))
    for (const answer of await Promise.all(answers))
      expect(textOf(answer)).toMatch(
        /Exit status unknown\. It may have completed|not known whether the command was started/,
      )
    expect(textOf(await run(client, 'echo again'))).toBe('again\n')
    await closed(client, trees)
  })

  test('while commands are started, each of which runs or is reported as failed', async () => {
    const { trees, client } = await open()
    const answers = Array.from({ length: 40 }, () => run(client, 'echo ran'))
    kill(launcherOf(client))
    for (const text of (await Promise.all(answers)).map(textOf))
      expect(text).toMatch(
        /^ran\n$|^The command was not started: .*\. Run it again|Exit status unknown|not known whether/,
      )
    expect(textOf(await run(client, 'echo again'))).toBe('again\n')
    await closed(client, trees)
  })

  test('with all the shells it started', async () => {
    const { trees, client } = await open()
    const launcher = launcherOf(client)
    const waiting = await eventually(
      () => childrenOf(launcher).flatMap(childrenOf),
      ({ length }) => length > 0,
    )
    for (const pid of [...waiting, launcher]) kill(pid)
    expect(textOf(await run(client, 'echo again'))).toMatch(/^again\n$|Exit status unknown|not known whether/)
    expect(textOf(await run(client, 'echo again'))).toBe('again\n')
    await closed(client, trees)
  })

  test('in part: only the shell that is ready, and the process that waits for it', async () => {
    const { trees, client } = await open()
    const watchers = await eventually(
      () => childrenOf(launcherOf(client)),
      (children) => children.some((pid) => childrenOf(pid).length > 0),
    )
    const shells = watchers.flatMap(childrenOf)
    for (const pid of [...watchers, ...shells]) kill(pid)
    expect(textOf(await run(client, 'echo again'))).toMatch(
      /^again\n$|Exit status unknown|not known whether|\(SIGKILL\)/,
    )
    expect(textOf(await run(client, 'echo again'))).toBe('again\n')
    await closed(client, trees)
  })

  test('only stopped', async () => {
    const { trees, client } = await open()
    process.kill(launcherOf(client), 'SIGSTOP')
    const answers = Array.from({ length: 50 }, () => run(client, 'echo again'))
    for (const text of (await Promise.all(answers)).map(textOf)) expect(text).toBe('again\n')
    await closed(client, trees)
  })

  test('together with its server', async () => {
    const { trees, client } = await open()
    await startTrees(trees, client, 20)
    kill(launcherOf(client))
    client.child.kill('SIGKILL')
    await nextCleansUp(trees)
  })
})

describe.skipIf(!HAS_PROC).each([
  ['the launcher', {}],
  ['the supervisor', SCRIPT_ONLY],
])('started by %s, a command kills', { concurrent: true }, (_starter, env) => {
  test.each([
    ['its parent, and continues', 'kill -9 $PPID; sleep 0.5; echo on', 'on\n'],
    ['its parent, and its output is elsewhere', 'kill -9 $PPID; exec >/dev/null 2>&1; sleep 0.5', ''],
    ['its parent and itself', 'echo on; kill -9 $PPID $$', 'on\n'],
    ['its group', 'echo on; kill -9 0', 'on\n'],
    ['its session', `echo on; ${KILL_SESSION}`, 'on\n'],
    // With the launcher its output is lost; it is ended and answered.
    [
      'its grandparent',
      'kill -9 $(cut -d" " -f4 /proc/$PPID/stat); sleep 0.5; echo on',
      '(on\n|It is not known whether|\\[Exit status unknown)',
    ],
  ])('%s', async (_, command, output) => {
    const { trees, client } = await open(env)
    expect(textOf(await run(client, command))).toMatch(new RegExp(`^${output}`))
    expect(textOf(await run(client, 'echo again'))).toBe('again\n')
    await closed(client, trees)
  })

  test('nothing, but stops its parent: its exit status is reported', async () => {
    const { trees, client } = await open(env)
    const answer = await run(client, 'kill -STOP $PPID; sleep 0.5; echo on; exit 7')
    expect(textOf(answer)).toMatch(/^on\n\[Exit code 7/)
    await closed(client, trees)
  })

  test('its parent, and its exit status is known to the launcher; otherwise that is no reason to repeat it', async () => {
    const { trees, client } = await open(env)
    const isLaunched = env !== SCRIPT_ONLY && HAS_LAUNCHER
    const answer = await run(client, 'kill -9 $PPID; sleep 0.5; echo on; exit 3')
    const unknown = '[Exit status unknown. It may have completed: check before you repeat it.]\n'
    expect(textOf(answer)).toBe(isLaunched ? 'on\n[Exit code 3.]\n' : `on\n${unknown}`)
    await closed(client, trees)
  })

  test('its parent, and is killed at its timeout', async () => {
    const { trees, client } = await open(env)
    const answer = await run(client, `kill -9 $PPID; ${trees.command(1)}`, 500)
    expect(resultData(answer).timedOut).toBe(true)
    expect(trees.survivors().known).toEqual([])
    await closed(client, trees)
  })

  test('its parent as a job, and is distinguished from a running one', async () => {
    const { trees, client } = await open(env)
    const { task_id } = resultData(await call(client, 'BackgroundBash', { command: 'kill -9 $PPID; sleep 0.5' }))
    const answer = await call(client, 'ReadBgOutput', { task_id, wait_for_end: true })
    expect(resultData(answer).status).not.toBe('running')
    await closed(client, trees)
  })
})

describe.skipIf(!HAS_PROC)('while commands are started', () => {
  test('the client disconnects', async () => {
    const { trees, client } = await open()
    for (let tree = 0; tree < 50; tree++) begin(client, trees.command(tree), tree % 2 === 0)
    expect(await client.close()).toBe(0)
    expect(trees.survivors()).toMatchObject({ known: [], tagged: [] })
    expect(await trees.waitUntilGone(SOON_MS)).toEqual(NO_SURVIVORS)
    expect(trees.leftoverFiles()).toEqual([])
  })

  for (const ms of [0, 10, 20, 40, 80])
    test(`the server gets SIGTERM twice, after ${ms} ms`, { tags: ms === 20 ? [] : ['long'] }, async () => {
      const { trees, client } = await open()
      for (let tree = 0; tree < 50; tree++) begin(client, trees.command(tree), tree % 2 === 0)
      await sleep(ms)
      client.child.kill('SIGTERM')
      await sleep(30)
      client.child.kill('SIGTERM')
      await once(client.child, 'exit')
      expect(trees.survivors()).toMatchObject({ known: [], tagged: [] })
      expect(await trees.waitUntilGone(SOON_MS)).toEqual(NO_SURVIVORS)
      expect(trees.leftoverFiles()).toEqual([])
    })

  test('the server is killed, and no other starts', async () => {
    const { trees, client } = await open()
    for (let tree = 0; tree < 50; tree++) begin(client, trees.command(tree), tree % 2 === 0)
    await trees.waitUntilStarted(10)
    client.child.kill('SIGKILL')
    expect(await trees.waitUntilGone(SOON_MS)).toEqual(NO_SURVIVORS)
    expect(trees.leftoverFiles()).toEqual([])
  })

  for (const ms of [0, 10, 20, 40, 80])
    test(`the server is killed after ${ms} ms`, { tags: ms === 20 ? [] : ['long'] }, async () => {
      const { trees, client } = await open()
      for (let tree = 0; tree < 50; tree++) begin(client, trees.command(tree), tree % 2 === 0)
      await sleep(ms)
      client.child.kill('SIGKILL')
      await nextCleansUp(trees)
    })

  test('they are cancelled at any moment', async () => {
    const { trees, client } = await open()
    for (let tree = 0; tree < 60; tree++) {
      client.send(callMessage(`t${tree}`, 'Bash', { command: trees.command(tree), timeout: 600_000 }))
      if (tree % 3 === 0) await sleep(tree % 7)
      client.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: `t${tree}` } })
    }
    expect(textOf(await run(client, 'sleep 4; echo again'))).toBe('again\n')
    expect(trees.survivors().known).toEqual([])
    await closed(client, trees)
  })
})

test.skipIf(!HAS_PROC)(
  '500 commands, however they end, leave no file open and no process',
  { tags: ['long'] },
  async () => {
    const { trees, client } = await open()
    const openFiles = (): number => readdirSync(`/proc/${client.child.pid}/fd`).length
    const endings = [
      () => run(client, 'echo done'),
      () => run(client, 'exit 3'),
      () => run(client, `: ${'long '.repeat(2000)}`),
      () => run(client, 'sleep 5', 20),
      () => run(client, 'kill -9 $$'),
      () => run(client, 'seq 1 20000'),
      () => run(client, 'setsid sleep 0.1 & sleep 0.02'),
      () => call(client, 'BackgroundBash', { command: 'echo done' }),
    ]
    for (const end of endings) await end()
    await eventually(
      () => childrenOf(client.child.pid),
      ({ length }) => length === (HAS_LAUNCHER ? 2 : 1),
    )
    // The history of calls is opened some time after the first call, and stays open.
    await eventually(
      () => spawnSync('ls', ['-l', `/proc/${client.child.pid}/fd`], { encoding: 'utf8' }).stdout,
      (files) => files.includes('history.db-shm'),
    )
    const before = openFiles()
    const end = async (first: number): Promise<void> => {
      for (let count = 0; count < 100; count++) await endings[(first + count) % endings.length]!()
    }
    await Promise.all([0, 1, 2, 3, 4].map(end))
    // The two pipes of the pooled shell may have been opened after the first count.
    await eventually(openFiles, (count) => count <= before + 2)
    expect(childrenOf(client.child.pid)).toContain(supervisorOf(client))
    // The pooled shell, which is prepared after the last command.
    await eventually(
      () => trees.survivors(),
      ({ tagged, helpers }) => tagged.length === 1 && helpers.length === (HAS_LAUNCHER ? 4 : 3),
    )
    await closed(client, trees)
  },
)

describe.skipIf(!HAS_PROC)('files of the server are removed:', () => {
  test('its temporary files, at any moment', async () => {
    const { trees, client } = await open()
    for (let round = 0; round < 60; round++) {
      await sleep(round % 6)
      // With or without their directories.
      const removedPath = join(trees.folder, 'tmp', round % 2 === 0 ? '*' : '*/*')
      spawnSync('sh', ['-c', `rm -rf ${removedPath}`])
      expect(textOf(await run(client, 'echo again'))).toBe('again\n')
    }
    await closed(client, trees)
  })

  test('its project, which is replaced by another: running commands continue', async () => {
    const { trees, client } = await open()
    const command = 'while :; do echo >> rounds; sleep 0.05; done'
    const { task_id } = resultData(await call(client, 'BackgroundBash', { command }))
    renameSync(join(trees.folder, 'project'), join(trees.folder, 'before'))
    mkdirSync(join(trees.folder, 'project'))
    expect(textOf(await run(client, 'ls'))).toBe('(no output)\n')
    const rounds = (): number => statSync(join(trees.folder, 'before', 'rounds'), { throwIfNoEntry: false })?.size ?? 0
    const before = rounds()
    await eventually(rounds, (count) => count > before + 5)
    expect(JSON.stringify(await call(client, 'ListBgTasks', {}))).toContain('running')
    expect(textOf(await call(client, 'KillBgTask', { task_id }))).toContain('Killed job')
    rmSync(join(trees.folder, 'project'), { recursive: true })
    renameSync(join(trees.folder, 'before'), join(trees.folder, 'project'))
    await closed(client, trees)
  })
})

async function open(env: NodeJS.ProcessEnv = {}): Promise<{ trees: ProcessTrees; client: TestClient }> {
  const trees = createProcessTrees()
  const client = trees.start(env)
  expect(textOf(await run(client, 'echo first'))).toBe('first\n')
  return { trees, client }
}

async function closed(client: TestClient, trees: ProcessTrees): Promise<void> {
  expect(await client.close()).toBe(0)
  expect(trees.survivors()).toMatchObject({ known: [], tagged: [] })
  expect(await trees.waitUntilGone(SOON_MS)).toEqual(NO_SURVIVORS)
  expect(trees.leftoverFiles()).toEqual([])
}

async function nextCleansUp(trees: ProcessTrees): Promise<void> {
  const next = trees.start()
  await next.initialize('2025-06-18')
  expect(await trees.waitUntilGone(SOON_MS, next)).toEqual(NO_SURVIVORS)
  await eventually(
    () => trees.leftoverFiles(),
    ({ length }) => length === 0,
  )
  expect(textOf(await run(next, 'echo next'))).toBe('next\n')
  await closed(next, trees)
}

let lastId = 0

function callMessage(id: string | number, name: string, args: object): object {
  return { jsonrpc: '2.0', id, method: 'tools/call', params: { name, arguments: args } }
}

function begin(client: TestClient, command: string, isBehind: boolean): void {
  client.send(
    callMessage(++lastId, isBehind ? 'BackgroundBash' : 'Bash', isBehind ? { command } : { command, timeout: 600_000 }),
  )
}

async function call(client: TestClient, name: string, args: object): Promise<Json> {
  return (await client.request('tools/call', { name, arguments: args })).result
}

function run(client: TestClient, command: string, timeout = 20_000): Promise<Json> {
  return call(client, 'Bash', { command, timeout })
}

async function startTrees(trees: ProcessTrees, client: TestClient, count: number): Promise<void> {
  for (let tree = 0; tree < count; tree++) begin(client, trees.command(tree), tree % 2 === 0)
  await trees.waitUntilStarted(count)
}

async function begun(trees: ProcessTrees, count: number): Promise<void> {
  const marks = (): readonly string[] => readdirSync(join(trees.folder, 'project')).filter((name) => /^\d+$/.test(name))
  await eventually(marks, ({ length }) => length >= count)
}

function textOf({ content }: Json): string {
  return content[0].text
}

function launcherOf(client: TestClient): number {
  const launcher = childrenOf(client.child.pid).find((pid) => commandLineOf(pid).includes('shell-launcher'))
  if (launcher === undefined) throw new Error('there is no launcher')
  return launcher
}

function supervisorOf({ child }: TestClient): number {
  const children = childrenOf(child.pid)
  const found = children.find((pid) => commandLineOf(pid).includes('shell-supervisor.sh'))
  if (found === undefined) throw new Error(`no supervisor among ${children.map(commandLineOf).join(' | ')}`)
  return found
}

function commandLineOf(pid: number): string {
  return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ')
}

function kill(pid: number): void {
  expect(pid).toBeGreaterThan(1)
  process.kill(pid, 'SIGKILL')
}
