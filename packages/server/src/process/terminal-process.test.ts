// Commands on a terminal as on macOS, where the optional package, or Bun, makes it: size, typing, resizing, bytes, exit codes,
// and that a command ends with what it started.

import { afterAll, expect, test } from 'vitest'

import { needs } from '../../../../test/support/runtime.js'
import { eventually } from '../../../../test/support/eventually.js'
import { emptyFolder, isAlive } from '../../../../test/support/client.js'
import { createCommandRunner, type RunningCommand } from './command-runner.js'
import { bashArguments } from './shell-program.js'
import { describeTerminalMaker } from './terminal-process.js'

const runner = createCommandRunner({
  cwd: emptyFolder(),
  env: { PATH: process.env['PATH'] },
  shell: { kind: 'bash', file: '/bin/bash', args: bashArguments },
  jobsOutliveServer: false,
  platform: 'darwin',
})

afterAll(() => runner.close(0))

interface Shown {
  readonly command: RunningCommand
  text(): string
  type(text: string): void
  untilShown(pattern: RegExp): Promise<string>
}

async function start(command: string): Promise<Shown> {
  const chunks: Buffer[] = []
  const terminal = { cols: 91, rows: 21, prelude: 'export MARK=prelude; ' }
  const running = await runner.run({ command, openInput: { terminal }, onOutput: (chunk) => chunks.push(chunk) })
  const text = (): string => Buffer.concat(chunks).toString()
  return {
    command: running,
    text,
    type: (input) => void running.stdin?.write(Buffer.from(input)),
    untilShown: (pattern) => eventually(text, (shown) => pattern.test(shown)),
  }
}

const hasMaker = process.platform !== 'win32' && (await describeTerminalMaker()) !== undefined

test(
  'a command has a terminal of its size, is typed into and resized',
  needs(hasMaker ? undefined : 'terminals are made on Linux and macOS only'),
  async () => {
    const job = await start(
      '[ -t 0 ] && [ -t 2 ] && stty size; read -p "$MARK? " name; stty size; echo "é $name"; exit 7',
    )
    await job.untilShown(/21 91\r\nprelude\? /)
    job.command.stdin?.resize?.({ cols: 100, rows: 30 })
    job.type('日本\r')
    expect(await job.command.exited).toEqual({ code: 7, signal: null })
    expect(job.text()).toMatch(/日本\r\n30 100\r\né 日本\r\n$/)
    expect(job.command.stdin?.write(Buffer.from('late'))).toBeUndefined()
  },
)

test(
  'it ends with everything on it',
  needs(hasMaker ? undefined : 'terminals are made on Linux and macOS only'),
  async () => {
    const job = await start('sleep 300 & echo "child $!"; trap "" HUP TERM; sleep 301')
    const [, pid] = /child (\d+)/.exec(await job.untilShown(/child \d+\r\n/)) ?? []
    expect(await job.command.kill(100)).toEqual([])
    await eventually(
      () => isAlive(Number(pid)),
      (alive) => !alive,
    )
  },
)

test(
  'all of a long output arrives',
  needs(hasMaker ? undefined : 'terminals are made on Linux and macOS only'),
  async () => {
    const jobs = await Promise.all(Array.from({ length: 8 }, () => start('seq 1 50000; echo over')))
    for (const job of jobs) {
      expect(await job.command.exited).toEqual({ code: 0, signal: null })
      expect(job.text().endsWith('\r\n49999\r\n50000\r\nover\r\n')).toBe(true)
      expect(job.text().split('\r\n')).toHaveLength(50_002)
    }
  },
)
