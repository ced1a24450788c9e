import { execFileSync } from 'node:child_process'
import { tmpdir } from 'node:os'

import { describe, expect, test, vi } from 'vitest'

import { createLauncher } from './launcher.js'
import { bashArguments } from './shell-arguments.js'
import {
  descendantsOf,
  endByTaskkill,
  endListed,
  PS_ARGUMENTS,
  taskkillArguments,
  type Means,
  type Root,
} from './tree-end.js'

const root: Root = { pid: 500, isOver: false }

describe('who descends from a program, by a list of ps', () => {
  // As macOS prints it: to the right, without a header.
  const ps = `
    0     0     0 Ss
    1     0     1 Ss
  400     1   400 S
  500   400   500 Ss
  501   500   500 S+
  502   501   502 S
  503     1   502 R
  504     1   500 U
  505   503   505 SN
  506   500   500 Z
  600   400   600 Ss
 5000     1  5000 S
`

  test('children, their children, and the groups they lead', () => {
    expect(new Set(descendantsOf(ps, [root]))).toEqual(new Set([500, 501, 502, 503, 504, 505]))
  })

  test('when it has ended, those it left in its group; nobody, when its number is another’s', () => {
    const over = { pid: 500, isOver: true }
    expect(descendantsOf(ps.replace(/^  500 .*$/m, ''), [over])).toEqual([501, 504, 502, 503, 505])
    expect(descendantsOf(ps, [over])).toEqual([])
  })

  test.each([0, 1, -1, Number.NaN])('never everybody: %d', (pid) => {
    expect(descendantsOf(ps, [{ pid, isOver: false }])).toEqual([])
  })

  test('what is no list has nobody in it', () => {
    expect(descendantsOf('', [root])).toEqual([])
    expect(descendantsOf('ps: illegal option\n500\n501 500 500\n502 500 500 S extra\n', [root])).toEqual([])
  })

  test('the ps of this machine', () => {
    const text = execFileSync('ps', PS_ARGUMENTS, { encoding: 'utf8' })
    expect(descendantsOf(text, [{ pid: process.pid, isOver: false }])).toContain(process.pid)
  })
})

/** A system of processes that die of the signals given here; ps lists those that live. */
function pretend(lives: Map<number, { readonly ppid: number; readonly diesOf: readonly NodeJS.Signals[] }>) {
  const events: string[] = []
  const means: Means = {
    ask: async (file) => {
      events.push(file)
      return [...lives].map(([pid, { ppid }]) => `${pid} ${lives.has(ppid) ? ppid : 1} ${pid} S\n`).join('')
    },
    signal(pid, name) {
      events.push(`${name} ${pid}`)
      if (lives.get(pid)?.diesOf.includes(name)) lives.delete(pid)
    },
  }
  const started: Root = {
    pid: 500,
    get isOver() {
      return !lives.has(500)
    },
  }
  return { means, events, started }
}

describe('by ps', () => {
  const polite = { diesOf: ['SIGTERM', 'SIGKILL'] } as const
  const stubborn = { diesOf: ['SIGKILL'] } as const

  test('the list comes before the signals, and again after them', async () => {
    const { means, events, started } = pretend(new Map([[500, { ppid: 1, ...polite }]]))
    await endListed([started], 1000, means)
    expect(events).toEqual(['ps', 'SIGTERM 500', 'ps'])
  })

  test('a child whose parent has gone is remembered, and killed when its time is up', async () => {
    const lives = new Map([
      [500, { ppid: 1, ...polite }],
      [501, { ppid: 500, ...stubborn }],
    ])
    const { means, events, started } = pretend(lives)
    await endListed([started], 100, means)
    expect(events.filter((event) => event.endsWith('501'))).toEqual(['SIGTERM 501', 'SIGKILL 501'])
    expect(lives.size).toBe(0)
  })

  test('where there is no ps, the group must do', async () => {
    const { means, events, started } = pretend(new Map([[500, { ppid: 1, ...stubborn }]]))
    const blind: Means = {
      ask: async () => undefined,
      signal: (pid, name) => (pid < 0 ? means.signal(-pid, name) : expect.unreachable()),
    }
    await endListed([started], 50, blind)
    expect(events).toEqual(['SIGTERM 500', 'SIGKILL 500'])
  })
})

describe('by taskkill', () => {
  test('its arguments', () => {
    expect(taskkillArguments(500, false)).toEqual(['/PID', '500', '/T'])
    expect(taskkillArguments(500, true)).toEqual(['/PID', '500', '/T', '/F'])
  })

  /** A system where taskkill answers as told; each answer may be followed by the end of the program. */
  function windows(answers: readonly ('refused' | 'asked' | 'ended')[]) {
    const calls: string[] = []
    const started = { pid: 500, isOver: false }
    const means: Means = {
      ask: async (file, args) => {
        const answer = answers[calls.push([file, ...args].join(' ')) - 1]
        if (answer === 'ended') started.isOver = true
        return answer === 'refused' ? undefined : ''
      },
      signal: (pid, name) => void calls.push(`${name} ${pid}`),
    }
    return { calls, means, started }
  }

  test.each([
    ['what closes its window is not forced', ['ended'], ['taskkill /PID 500 /T']],
    ['what has none is forced at once', ['refused', 'ended'], ['taskkill /PID 500 /T', 'taskkill /PID 500 /T /F']],
    ['what stays is forced later', ['asked', 'ended'], ['taskkill /PID 500 /T', 'taskkill /PID 500 /T /F']],
    [
      'without taskkill, at least the program itself ends',
      ['refused', 'refused'],
      ['taskkill /PID 500 /T', 'taskkill /PID 500 /T /F', 'SIGKILL 500'],
    ],
  ] as const)('%s', async (_, answers, expected) => {
    const { calls, means, started } = windows(answers)
    await endByTaskkill([started], 50, means)
    expect(calls).toEqual(expected)
  })

  test('a program that is over is left alone', async () => {
    const { calls, means } = windows([])
    await endByTaskkill([{ pid: 500, isOver: true }], 50, means)
    expect(calls).toEqual([])
  })
})

describe.skipIf(process.platform === 'win32')('as a Mac would, with real processes', () => {
  const env = { PATH: process.env.PATH }

  const sleepers = (seconds: string) =>
    execFileSync('ps', ['-A', '-o', 'args='], { encoding: 'utf8' })
      .split('\n')
      .filter((line) => line === `sleep ${seconds}`)

  async function begin(command: string) {
    const shell = { kind: 'bash', file: 'bash', args: bashArguments } as const
    const launcher = createLauncher({ cwd: tmpdir(), env, shell, outlive: false, platform: 'darwin' })
    return { launcher, running: await launcher.launch({ command, onOutput: () => undefined }) }
  }

  test('those in groups of their own end, and those that ignore TERM', async () => {
    const { running } = await begin(`set -m; sleep 41.1 & (sleep 41.1; :) & (trap '' TERM; exec sleep 41.1) & wait`)
    await vi.waitFor(() => expect(sleepers('41.1')).toHaveLength(3))
    await running.end(300)
    expect(sleepers('41.1')).toEqual([])
  })

  test('at the end of all, what an ended program left behind goes as well', async () => {
    const { launcher, running } = await begin('sleep 42.1 &')
    await running.exited
    await vi.waitFor(() => expect(sleepers('42.1')).toHaveLength(1))
    await launcher.close(1000)
    expect(sleepers('42.1')).toEqual([])
  })
})
