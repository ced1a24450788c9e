import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { afterAll, describe, expect, test } from 'vitest'

import { createChangeEvents } from '@scorpiox/mcp/definitions/change-events'
import { NO_ABILITIES } from '@scorpiox/mcp/revisions/client-profile'
import { underLoad } from '../../../../../test/support/load.js'
import { createCommandRunner } from '../../process/command-runner.js'
import { findShellProgram } from '../../process/shell-program.js'
import type { ReadOutputRequest, ReadOutputResult } from './job-service.js'
import { type CommandResult, createShellService, type RunOptions, type ShellServiceDeps } from './shell-service.js'

const opened: ReturnType<typeof createShellService>[] = []

function open(input: Partial<ShellServiceDeps> & { readonly env?: NodeJS.ProcessEnv } = {}) {
  const cwd = input.cwd ?? mkdtempSync(join(tmpdir(), 'scorpiox-shell-'))
  const state = mkdtempSync(join(tmpdir(), 'scorpiox-state-'))
  const env = input.env ?? { PATH: process.env.PATH }
  const program = findShellProgram({ platform: process.platform, env, isFile: existsSync, isBash: () => true })
  if (!program) throw new Error('no shell')
  const jobsOutliveServer = input.jobsOutliveServer ?? false
  const shell = createShellService({
    cwd,
    commandRunner: createCommandRunner({ cwd, env, shell: program, jobsOutliveServer }),
    sandbox: { sandboxFor: () => undefined },
    changeEvents: createChangeEvents(),
    jobsOutliveServer,
    patterns: () => Promise.reject(new Error('no patterns here')),
    terminals: () => Promise.reject(new Error('no terminals here')),
    jobDirectory: () => ({ registryPath: state, userDirectory: (user) => join(state, user) }),
    streaming: true,
    defaultLimit: { ms: 30_000, killAtLimit: false },
    maxCharacters: () => 30_000,
    maxOutputBytes: 8 * 1024 * 1024,
    maxRunning: 8,
    ...input,
  })
  opened.push(shell)
  return shell
}

const ME = { user: 'me', session: 'here' }
const createCall = (parts: Partial<RunOptions['call']> = {}): RunOptions['call'] => ({
  ...ME,
  client: 'test',
  signal: new AbortController().signal,
  wantsProgress: false,
  progress: () => {},
  continueAsTask: () => Promise.resolve(false),
  clientAbilities: NO_ABILITIES,
  ask: () => Promise.reject(new Error('nobody is asked here')),
  ...parts,
})
const runOptions = (input: Partial<RunOptions> = {}): RunOptions => ({
  call: createCall(),
  limit: { ms: 10_000, killAtLimit: true },
  ...input,
})
const killAfter = (ms: number): Partial<RunOptions> => ({ limit: { ms, killAtLimit: true } })

afterAll(() => Promise.all(opened.map((shell) => shell.close())))

describe.each([
  ['piped to the server', open()],
  ['recorded', open({ jobsOutliveServer: true })],
])('%s', (_, shell) => {
  const run = (command: string, input: Partial<RunOptions> = {}) => shell.run(command, runOptions(input))

  test('stdout and stderr in the order they were written', async () => {
    const lines = [...Array(40).keys()]
    const command = lines.map((index) => `echo ${index} ${index % 3 === 0 ? '>&2' : ''}`).join(';')
    expect((await run(command)).text).toBe(lines.map((index) => `${index}\n`).join(''))
  })

  test('a syntax error, with the line it is in', async () => {
    const { text, exitCode } = await run('echo a\nif then')
    expect(text).toContain('line 2')
    expect(exitCode).toBe(2)
  })

  test('exit codes and signals', async () => {
    expect(await run('exit 7')).toMatchObject({ exitCode: 7, signal: null, ending: 'exit' })
    expect(await run('kill -KILL $$')).toMatchObject({ exitCode: 137, signal: 'SIGKILL', ending: 'exit' })
  })

  test('nothing on stdin, so that reading ends at once', async () => {
    expect(await run('cat; echo done')).toMatchObject({ text: 'done\n', exitCode: 0 })
  })

  test('an output longer than the limit: both ends, and the whole of it as a job', async () => {
    const outcome = await run('seq 1 100000')
    expect(outcome.text.length).toBeLessThan(30_200)
    expect(outcome.text).toMatch(/^1\n2\n/)
    expect(outcome.text).toMatch(/99999\n100000\n$/)
    expect(outcome).toMatchObject<Partial<CommandResult>>({ truncated: true, bytes: 588_895, recordProblem: undefined })
    const { text } = await (
      await shell.jobs()
    ).read(outcome.jobId ?? 0, ME, { tail: 3, maxCharacters: 30_000 }, new AbortController().signal)
    expect(text).toBe('99998\n99999\n100000')
  })

  test('the last bytes of a program that briefly outlives the shell', async () => {
    expect((await run('(sleep 0.05; echo late) & echo early')).text).toBe('early\nlate\n')
  })

  test('a child left running does not delay the result, and is reported', async () => {
    const outcome = await run('sleep 30 & echo started')
    expect(outcome).toMatchObject({ text: 'started\n', exitCode: 0 })
    expect(outcome.leftoverProcesses.map(({ name }) => name)).toEqual(['sleep'])
    expect(outcome.durationMs).toBeLessThan(underLoad(5000))
  })

  test('a timeout kills the process group and keeps the output', async () => {
    const outcome = await run('echo before; sleep 30 & wait', killAfter(500))
    expect(outcome).toMatchObject({ text: 'before\n', ending: 'timeout', signal: 'SIGTERM' })
  })

  test('a command that ignores TERM is killed', async () => {
    const outcome = await run('trap "" TERM; while :; do sleep 0.1; done', killAfter(200))
    expect(outcome).toMatchObject({ ending: 'timeout', signal: 'SIGKILL' })
  })

  test('a call that was cancelled before starts nothing', async () => {
    const marker = join(mkdtempSync(join(tmpdir(), 'scorpiox-cancelled-')), 'started')
    const call = createCall({ signal: AbortSignal.abort() })
    await expect(run(`touch ${marker}`, { call })).rejects.toThrow('not started: its call was cancelled')
    await run('true')
    expect(existsSync(marker)).toBe(false)
  })

  test('a call that is cancelled while its user is asked starts nothing', async () => {
    const marker = join(mkdtempSync(join(tmpdir(), 'scorpiox-cancelled-')), 'started')
    const controller = new AbortController()
    const authorize = () => Promise.resolve(controller.abort())
    const call = createCall({ signal: controller.signal })
    await expect(run(`touch ${marker}`, { call, authorize })).rejects.toThrow('not started: its call was cancelled')
    await run('true')
    expect(existsSync(marker)).toBe(false)
  })

  test('a call that is cancelled ends its command', async () => {
    const controller = new AbortController()
    const progress = () => controller.abort()
    const call = createCall({ signal: controller.signal, wantsProgress: true, progress })
    expect(await run('echo started; sleep 30', { call })).toMatchObject({ ending: 'cancelled', text: 'started\n' })
  })

  test('a command that is refused is not started', async () => {
    const marker = join(mkdtempSync(join(tmpdir(), 'scorpiox-refused-')), 'started')
    const authorize = () => Promise.reject(new Error('refused'))
    await expect(run(`touch ${marker}`, { authorize })).rejects.toThrow('refused')
    await run('true')
    expect(existsSync(marker)).toBe(false)
  })

  test('at a soft limit it continues as a job, with the same output', async () => {
    const outcome = await run('echo one; sleep 0.6; echo two; exit 3', { limit: { ms: 300, killAtLimit: false } })
    expect(outcome).toMatchObject({ ending: 'backgrounded', exitCode: null, text: 'one\n' })
    const jobs = await shell.jobs()
    const query: ReadOutputRequest = { wait: { maxMs: 10_000 }, maxCharacters: 30_000 }
    const reading = await jobs.read(outcome.jobId ?? 0, ME, query, new AbortController().signal)
    expect(reading).toMatchObject<Partial<ReadOutputResult>>({ waitResult: 'end', text: 'two\n' })
    expect(reading.job.record).toMatchObject({ exitCode: 3, ending: 'exit', background: true })
  })
})

test('the latest line is reported while the command runs, not too often', async () => {
  const shell = open()
  const lines: string[] = []
  const progress: RunOptions['call']['progress'] = (_, { message = '' } = {}) => lines.push(message)
  const call = createCall({ wantsProgress: true, progress })
  const command = 'for i in 1 2 3 4 5 6 7 8 9 10; do echo line $i; sleep 0.06; done'
  await shell.run(command, runOptions({ call }))
  expect(lines[0]).toBe('line 1')
  expect(lines.length).toBeGreaterThanOrEqual(2)
  expect(lines.length).toBeLessThanOrEqual(5)
  await open({ streaming: false }).run('echo x', runOptions({ call }))
  expect(lines).not.toContain('x')
})

test('a missing directory is reported, and commands run again when it exists', async () => {
  const cwd = mkdtempSync(join(tmpdir(), 'scorpiox-gone-'))
  const shell = open({ cwd })
  expect((await shell.run('echo 1', runOptions())).text).toBe('1\n')
  rmSync(cwd, { recursive: true })
  await expect(shell.run('echo 2', runOptions())).rejects.toThrow(/the directory .+ does not exist.+--cwd/)
  mkdirSync(cwd)
  expect((await shell.run('echo 3', runOptions())).text).toBe('3\n')
})
