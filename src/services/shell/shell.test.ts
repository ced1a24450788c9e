import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { afterAll, describe, expect, test } from 'vitest'

import { createShell, type Terms } from './shell.js'

const cwd = mkdtempSync(join(tmpdir(), 'scorpiox-shell-'))
const env = { PATH: process.env.PATH }
const shell = createShell({ cwd, env, maxOutputBytes: 30_000, streaming: true })

afterAll(() => shell.close())

const run = (command: string, terms: Partial<Terms> = {}) =>
  shell.run(command, { timeoutMs: 10_000, signal: new AbortController().signal, ...terms })

describe('what a command gives', () => {
  test('stdout and stderr in the order they were written', async () => {
    const lines = Array.from({ length: 40 }, (_, index) => index)
    const command = lines.map((index) => `echo ${index} ${index % 3 === 0 ? '>&2' : ''}`).join(';')
    expect((await run(command)).output).toBe(lines.map((index) => `${index}\n`).join(''))
  })

  test('a syntax error, with the line it is in', async () => {
    const { output, exitCode } = await run('echo a\nif then')
    expect(output).toContain('line 2')
    expect(exitCode).toBe(2)
  })

  test('exit codes and signals', async () => {
    expect(await run('exit 7')).toMatchObject({ exitCode: 7, signal: null, timedOut: false })
    expect(await run('kill -KILL $$')).toMatchObject({ exitCode: null, signal: 'SIGKILL' })
  })

  test('nothing on stdin, so that reading ends at once', async () => {
    expect(await run('cat; echo done')).toMatchObject({ output: 'done\n', exitCode: 0 })
  })

  test('an output larger than the limit, cut in the middle', async () => {
    const { output, omittedBytes } = await run('seq 1 100000')
    expect(output.length).toBeLessThan(30_100)
    expect(output.startsWith('1\n2\n')).toBe(true)
    expect(output.endsWith('99999\n100000\n')).toBe(true)
    expect(omittedBytes).toBeGreaterThan(500_000)
  })
})

describe('the end of a command', () => {
  test('the last bytes of a program that outlives the shell by a moment are there', async () => {
    expect((await run('(sleep 0.05; echo late) & echo early')).output).toBe('early\nlate\n')
  })

  test('a child left behind does not hold the answer', async () => {
    const outcome = await run('sleep 30 & echo started')
    expect(outcome).toMatchObject({ output: 'started\n', exitCode: 0 })
    expect(outcome.durationMs).toBeLessThan(5000)
  })

  test('a timeout ends the group and keeps what was printed', async () => {
    const outcome = await run('echo before; sleep 30 & wait', { timeoutMs: 300 })
    expect(outcome).toMatchObject({ output: 'before\n', timedOut: true, signal: 'SIGTERM' })
  })

  test('a command that ignores TERM is killed', async () => {
    const outcome = await run('trap "" TERM; while :; do sleep 0.1; done', { timeoutMs: 200 })
    expect(outcome).toMatchObject({ timedOut: true, signal: 'SIGKILL' })
  })

  test('a signal that was already aborted ends it at once', async () => {
    const controller = new AbortController()
    controller.abort()
    const outcome = await run('sleep 30', { signal: controller.signal })
    expect(outcome).toMatchObject({ cancelled: true, timedOut: false })
    expect(outcome.durationMs).toBeLessThan(2000)
  })
})

test('the newest line is shown while the command runs, not too often', async () => {
  const lines: string[] = []
  await run('for i in 1 2 3 4 5 6 7 8 9 10; do echo line $i; sleep 0.06; done', { onLine: (line) => lines.push(line) })
  expect(lines[0]).toBe('line 1')
  expect(lines.length).toBeGreaterThanOrEqual(2)
  expect(lines.length).toBeLessThanOrEqual(4)
  const silent = createShell({ cwd, env, maxOutputBytes: 1000, streaming: false })
  await silent.run('echo x', {
    timeoutMs: 1000,
    signal: new AbortController().signal,
    onLine: (line) => lines.push(line),
  })
  expect(lines).not.toContain('x')
})

test.each([
  ['the directory is gone', { cwd: join(cwd, 'nowhere'), env }],
  ['there is no shell', { cwd, env: { PATH: cwd } }],
])('where %s, it says so and what to check', async (_, place) => {
  const broken = createShell({ ...place, maxOutputBytes: 1000, streaming: true })
  const terms = { timeoutMs: 1000, signal: new AbortController().signal }
  await expect(broken.run('ls', terms)).rejects.toThrow(
    /was not started: .+ Check that .+ exists and that bash is installed/,
  )
})
