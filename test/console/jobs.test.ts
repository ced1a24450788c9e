// Restarting jobs over the console, and what running jobs use: real servers, seen from a page's endpoints.

import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

import { afterEach, describe, expect, test } from 'vitest'

import type { ConsoleView, JobView } from '@scorpiox/console/view'
import {
  call,
  HAS_PROC,
  isAlive,
  killServer,
  readJob,
  readPid,
  startJob,
  startServer,
  type TestClient,
  waitForExit,
} from '../support/client.js'
import {
  type ConsoleStream,
  type Machine,
  newMachine,
  newProject,
  sendCommand,
  startUi,
  watchConsole,
} from '../support/console-client.js'
import { eventually } from '../support/eventually.js'
import type { HttpResponse, HttpServer } from '../support/http-client.js'
import { requires, SANDBOX } from '../support/requirements.js'
import { needs, openTerminalJob } from '../shell/terminal-job.js'

const leftovers: (() => unknown)[] = []

afterEach(async () => {
  for (const end of leftovers.splice(0)) await end()
})

interface Setup {
  readonly machine: Machine
  readonly project: string
  readonly client: TestClient
  readonly ui: HttpServer
  readonly seen: ConsoleStream
  readonly find: (id: number) => JobView | undefined
  readonly restart: (id: number) => Promise<HttpResponse>
}

async function setUp(env: NodeJS.ProcessEnv = { SANDBOX: 'off' }): Promise<Setup> {
  const machine = newMachine()
  const project = newProject(machine, 'p')
  const client = startServer({ cwd: project, env: { HOME: machine.home, ...env } })
  const ui = await startUi(machine)
  leftovers.push(
    () => ui.stop(),
    () => client.close(),
  )
  await client.initialize('2025-06-18')
  const seen = await watchConsole(ui)
  const find = (id: number): JobView | undefined => seen.view().jobs.find((job) => job.id === id)
  const restart = async (id: number): Promise<HttpResponse> => {
    const { server } = await eventually(
      () => find(id),
      (job) => job !== undefined,
    ).then((job) => job ?? { server: '' })
    return sendCommand(ui, 'restart', { server, id })
  }
  return { machine, project, client, ui, seen, find, restart }
}

const hasJob =
  (id: number, fits: (job: JobView) => boolean = () => true) =>
  ({ jobs }: ConsoleView): boolean =>
    jobs.some((job) => job.id === id && fits(job))

describe('restart', () => {
  test('an ended job runs again in its directory as a new job, which the model sees', async () => {
    const { client, restart, seen, project } = await setUp()
    const first = await startJob(client, 'pwd; echo "run $((++n))"; exit 3')
    await readJob(client, first, { wait_for_end: true, wait_ms: 60_000 })
    const { status, json } = await restart(first)
    expect(status).toBe(200)
    expect(json.id).toBeGreaterThan(first)
    const { text } = await readJob(client, json.id, { wait_for_end: true, wait_ms: 60_000 })
    expect(text).toContain(`${project}\nrun 1`)
    expect((await call(client, 'ListBgTasks', {})).text).toMatch(new RegExp(`(^|\\D)${json.id}\\D.*exit.*3`, 's'))
    await seen.until(hasJob(json.id, ({ exitCode }) => exitCode === 3))
  })

  test('a running job is ended with its whole process tree first', async () => {
    const { client, restart, project, find } = await setUp()
    const command = 'sleep 600 & echo $! > child; echo $$ > parent; wait'
    const first = await startJob(client, command)
    const pids = [await readPid(join(project, 'child')), await readPid(join(project, 'parent'))]
    const { status, json } = await restart(first)
    expect(status).toBe(200)
    await waitForExit(...pids)
    const child = await eventually(
      () => readPid(join(project, 'child')),
      (pid) => pid !== pids[0],
    )
    expect(isAlive(child)).toBe(true)
    await eventually(() => find(first)?.ending === 'killed')
    await call(client, 'KillBgTask', { task_id: json.id })
  })

  test('a job on a terminal gets a terminal of the same size', needs('script', 'stty'), async () => {
    const { client, restart } = await setUp()
    const job = await openTerminalJob(client, 'stty size; sleep 600', { cols: 91, rows: 33 })
    await job.waitFor('33 91')
    const { json } = await restart(job.id)
    const again = await readJob(client, json.id, { wait_for_pattern: '33 91', wait_ms: 60_000 })
    expect(again.text).toContain('33 91')
    await call(client, 'KillBgTask', { task_id: json.id })
  })

  test('a command that a rule denies by now is not started, and the running job goes on', async () => {
    const { client, restart, machine, project } = await setUp()
    const first = await startJob(client, 'echo $$ > parent; sleep 600')
    const pid = await readPid(join(project, 'parent'))
    writeFileSync(join(machine.stateDir, 'permissions.json'), '{"permissions":{"deny":["Bash(sleep *)"]}}')
    const { status, json } = await restart(first)
    expect(status).toBe(409)
    expect(json.error).toContain('The command was not started: Bash(sleep *) denies `sleep 600`')
    expect(isAlive(pid)).toBe(true)
    await call(client, 'KillBgTask', { task_id: first })
  })

  test('the directory is gone: nothing is killed', async () => {
    const { client, restart, project } = await setUp()
    const first = await startJob(client, 'echo $$ > parent; sleep 600')
    const pid = await readPid(join(project, 'parent'))
    rmSync(project, { recursive: true })
    const { status, json } = await restart(first)
    expect(status).toBe(409)
    expect(json.error).toContain(`its directory ${project} does not exist any more`)
    expect(isAlive(pid)).toBe(true)
  })

  test('says what was done if the new job cannot start after the old one was killed', async () => {
    const { client, restart, project, machine } = await setUp()
    const first = await startJob(client, 'echo $$ > parent; sleep 600')
    const pid = await readPid(join(project, 'parent'))
    // The highest number: no job can follow.
    const jobs = join(machine.stateDir, 'jobs')
    const folder = readdirSync(jobs, { recursive: true, encoding: 'utf8' }).find((name) => name.endsWith(`/${first}`))
    mkdirSync(join(jobs, dirname(folder ?? ''), '999999999'))
    const { status, json } = await restart(first)
    expect(status).toBe(409)
    expect(json.error).toMatch(
      new RegExp(`^Job ${first} was killed, but its command was not started again\\. .*No job IDs are left`),
    )
    await waitForExit(pid)
  })

  test('a job that outlives its server is restarted by the next one', async () => {
    const env = { SANDBOX: 'off', JOBS_OUTLIVE_SERVER: 'true' }
    const { client, machine, project, ui, seen } = await setUp(env)
    const first = await startJob(client, 'echo $$ > parent; echo up; sleep 600')
    const pid = await readPid(join(project, 'parent'))
    await killServer(client)
    const next = startServer({ cwd: project, env: { HOME: machine.home, ...env } })
    leftovers.push(() => next.close())
    await next.initialize('2025-06-18')
    await call(next, 'ListBgTasks', {})
    const { jobs } = await seen.until(hasJob(first, ({ isRunning, usage }) => isRunning && usage !== null))
    const { server } = jobs.find(({ id, isRunning }) => id === first && isRunning) ?? { server: '' }
    const { json } = await sendCommand(ui, 'restart', { server, id: first })
    expect(json.id).toBeGreaterThan(first)
    await waitForExit(pid)
    expect((await readJob(next, json.id, { wait_for_pattern: 'up', wait_ms: 60_000 })).text).toContain('up')
    await call(next, 'KillBgTask', { task_id: json.id })
  })

  test('a server without BackgroundBash starts nothing', async () => {
    const { client, restart, project } = await setUp({
      SANDBOX: 'off',
      TOOL_BACKGROUNDBASH: 'false',
      BASH_SOFT_LIMIT_MS: '300',
    })
    await call(client, 'Bash', { command: 'echo $$ > parent; sleep 600' })
    const pid = await readPid(join(project, 'parent'))
    const { status, json } = await restart(1)
    expect(status).toBe(409)
    expect(json.error).toMatch(/^The command was not started: BackgroundBash is disabled by the setting /)
    expect(isAlive(pid)).toBe(true)
  })

  test('in plan mode the new job can only read, as a command of the model', requires(SANDBOX), async () => {
    const { client, restart } = await setUp({})
    const first = await startJob(client, 'touch written && echo could write')
    await readJob(client, first, { wait_for_pattern: 'could write', wait_ms: 60_000 })
    await call(client, 'PlanMode', { action: 'enter', goal: 'think' })
    const { json } = await restart(first)
    const { text } = await readJob(client, json.id, { wait_for_end: true, wait_ms: 60_000 })
    expect(text).toContain('Read-only file system')
    expect(text).not.toContain('could write')
  })

  test('a server that stops commands says why; other users and unknown jobs are refused', async () => {
    const { client, restart, ui, find } = await setUp({ SANDBOX: 'off', MAX_JOBS: '1' })
    const ended = await startJob(client, 'true')
    await readJob(client, ended, { wait_for_end: true, wait_ms: 60_000 })
    const running = await startJob(client, 'sleep 600')
    const refused = await restart(ended)
    expect(refused.status).toBe(409)
    expect(refused.json.error).toContain('jobs are running, which is the limit')
    const { server } = find(ended) ?? { server: '' }
    const unknown = await sendCommand(ui, 'restart', { server, id: 4711 })
    expect(unknown.json.error).toContain('There is no job 4711')
    expect((await sendCommand(ui, 'restart', { server, id: 'x' })).status).toBe(400)
    await call(client, 'KillBgTask', { task_id: running })
  })
})

test('all ended jobs that are kept are listed, the older ones with the last line of their output', async () => {
  const { client, seen } = await setUp()
  const ids: number[] = []
  for (let n = 0; n < 25; n++) ids.push(await startJob(client, `echo first; echo last ${n}`))
  for (const id of ids) await readJob(client, id, { wait_for_end: true, wait_ms: 120_000 })
  const { jobs } = await seen.until((view) => view.jobs.filter(({ isRunning }) => !isRunning).length === ids.length)
  const tails = new Map(jobs.map(({ id, tail }) => [id, tail]))
  expect(ids.map((id) => tails.get(id))).toEqual(ids.map((_, n) => (n < 5 ? `last ${n}` : `first\nlast ${n}`)))
})

test('the output is searched by requests of any part, and invalid ones are refused', async () => {
  const { client, ui, seen } = await setUp()
  const id = await startJob(client, `seq -f 'line %.0f' 1 200000; printf 'nee\\033[1mdle\\n'; sleep 600`)
  await readJob(client, id, { wait_for_pattern: 'line 200000', wait_ms: 120_000 })
  const { jobs } = await seen.until(hasJob(id))
  const find = (more: object): Promise<HttpResponse> =>
    sendCommand(ui, 'find', { server: jobs[0]?.server, id, ...more })
  expect((await find({ query: 'LINE 150000', from: 0 })).json).toMatchObject({ found: { from: expect.any(Number) } })
  expect((await find({ query: 'line 3\n', before: 1e9 })).json).toMatchObject({ found: { before: expect.any(Number) } })
  expect((await find({ query: 'needle', before: 1e9 })).json).toMatchObject({ found: { before: expect.any(Number) } })
  expect((await find({ query: 'nothing', from: 0 })).json).toEqual({ found: null, next: null })
  for (const more of [{ query: '', from: 0 }, { query: 'x'.repeat(1001), from: 0 }, { query: 'x' }, { from: 0 }])
    expect((await find(more)).status).toBe(400)
  for (const more of [{ from: -1 }, { before: 'x' }, { from: 0, before: 0 }])
    expect((await find({ query: 'x', ...more })).status).toBe(400)
  expect((await find({ query: 'x', from: 0, id: 999 })).status).toBe(409)
})

test('a command with several lines is read whole when its job is opened', async () => {
  const { client, seen, ui } = await setUp()
  const command = 'echo one\necho two\nsleep 600'
  const id = await startJob(client, command)
  const { jobs } = await seen.until(hasJob(id))
  const job = jobs.find((one) => one.id === id)
  expect(job).toMatchObject({ isCommandShortened: true })
  expect(job?.command).not.toContain('\n')
  const { json } = await sendCommand(ui, 'job', { server: job?.server, id })
  expect(json).toEqual({ command })
  await call(client, 'KillBgTask', { task_id: id })
})

describe('what running jobs use', requires({ isMet: HAS_PROC, reason: 'there is no /proc' }), () => {
  test('memory, processor time and ports, with a history that grows while the console watches', async () => {
    const { client, seen, find } = await setUp()
    const script =
      "require('net').createServer().listen(0, function () { console.log('port', this.address().port) }); setInterval(() => { const end = Date.now() + 80; while (Date.now() < end); }, 100)"
    const id = await startJob(client, `exec ${process.execPath} -e "${script}"`)
    const { text } = await readJob(client, id, { wait_for_pattern: String.raw`port \d+`, wait_ms: 60_000 })
    const port = Number(/port (\d+)/.exec(text)?.[1])
    await seen.until(
      hasJob(id, ({ usage }) => typeof usage === 'object' && usage !== null && usage.ports.includes(port)),
    )
    await seen.until(
      hasJob(id, ({ usage }) => typeof usage === 'object' && usage !== null && usage.history.length >= 2),
    )
    const usage = find(id)?.usage
    if (typeof usage !== 'object' || usage === null) throw new Error('not measured')
    expect(usage.memoryBytes).toBeGreaterThan(5_000_000)
    expect(usage.processes).toBe(1)
    expect(usage.hasOwnNetwork).toBe(false)
    expect(usage.history.at(-1)?.processorPercent).toBeGreaterThan(5)
    expect(usage.historySince).toBeLessThan(usage.at)
    await call(client, 'KillBgTask', { task_id: id })
    await seen.until(hasJob(id, (job) => !job.isRunning && job.usage === null))
  })
})
