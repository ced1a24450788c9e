import { execFileSync } from 'node:child_process'
import { tmpdir } from 'node:os'

import { describe, expect, test, vi } from 'vitest'

import { MISSING, needs } from '../../../../test/support/runtime.js'
import { createCommandRunner } from './command-runner.js'
import { findDescendants, type KillDeps, killTreesByPs, PS_ARGUMENTS, type RootProcess } from './kill-untagged.js'
import { bashArguments } from './shell-program.js'

const root: RootProcess = { pid: 500, hasExited: false }

describe('descendants of a program in the output of ps', () => {
  // As macOS prints it: right-aligned, without a header.
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
    expect(new Set(findDescendants(ps, [root]))).toEqual(new Set([500, 501, 502, 503, 504, 505]))
  })

  test('after its exit, the members of its group; none, if its pid was reused', () => {
    const exited: RootProcess = { pid: 500, hasExited: true }
    expect(findDescendants(ps.replace(/^  500 .*$/m, ''), [exited])).toEqual([501, 504, 502, 503, 505])
    expect(findDescendants(ps, [exited])).toEqual([])
  })

  test.each([0, 1, -1, Number.NaN])('never all processes: %d', (pid) => {
    expect(findDescendants(ps, [{ pid, hasExited: false }])).toEqual([])
  })

  test('invalid output contains no processes', () => {
    expect(findDescendants('', [root])).toEqual([])
    expect(findDescendants('ps: illegal option\n500\n501 500 500\n502 500 500 S extra\n', [root])).toEqual([])
  })

  test('the ps of this machine', needs(MISSING.programsOfLinux), () => {
    const text = execFileSync('ps', PS_ARGUMENTS, { encoding: 'utf8' })
    expect(findDescendants(text, [{ pid: process.pid, hasExited: false }])).toContain(process.pid)
  })
})

/** Simulates processes that exit on the given signals; ps lists the running ones. */
function simulateProcesses(
  running: Map<number, { readonly ppid: number; readonly diesOf: readonly NodeJS.Signals[] }>,
) {
  const events: string[] = []
  const deps: KillDeps = {
    runTool: async (file) => {
      events.push(file)
      return [...running].map(([pid, { ppid }]) => `${pid} ${running.has(ppid) ? ppid : 1} ${pid} S\n`).join('')
    },
    signal(pid, name) {
      events.push(`${name} ${pid}`)
      if (running.get(pid)?.diesOf.includes(name)) running.delete(pid)
    },
  }
  const started: RootProcess = {
    pid: 500,
    get hasExited() {
      return !running.has(500)
    },
  }
  return { deps, events, started }
}

describe('by ps', () => {
  const exitsOnTerm = { diesOf: ['SIGTERM', 'SIGKILL'] } as const
  const exitsOnKill = { diesOf: ['SIGKILL'] } as const

  test('the processes are listed before the signals, and again after them', async () => {
    const { deps, events, started } = simulateProcesses(new Map([[500, { ppid: 1, ...exitsOnTerm }]]))
    await killTreesByPs([started], 1000, deps)
    expect(events).toEqual(['/bin/ps', 'SIGTERM 500', '/bin/ps'])
  })

  test('a child whose parent has exited is remembered, and killed after the grace time', async () => {
    const running = new Map([
      [500, { ppid: 1, ...exitsOnTerm }],
      [501, { ppid: 500, ...exitsOnKill }],
    ])
    const { deps, events, started } = simulateProcesses(running)
    await killTreesByPs([started], 100, deps)
    expect(events.filter((event) => event.endsWith('501'))).toEqual(['SIGTERM 501', 'SIGKILL 501'])
    expect([...running]).toEqual([])
  })

  test('without ps, the group is signalled', async () => {
    const { deps, events, started } = simulateProcesses(new Map([[500, { ppid: 1, ...exitsOnKill }]]))
    const blind: KillDeps = {
      runTool: async () => undefined,
      signal: (pid, name) => (pid < 0 ? deps.signal(-pid, name) : expect.unreachable()),
    }
    await killTreesByPs([started], 50, blind)
    expect(events).toEqual(['SIGTERM 500', 'SIGKILL 500'])
  })
})

describe('as on macOS, with real processes', needs(MISSING.signals), () => {
  const env = { PATH: process.env.PATH }

  const sleepers = (seconds: string) =>
    execFileSync('ps', ['-A', '-o', 'args='], { encoding: 'utf8' })
      .split('\n')
      .filter((line) => line === `sleep ${seconds}`)

  async function begin(command: string) {
    const shell = { kind: 'bash', file: 'bash', args: bashArguments } as const
    const runner = createCommandRunner({ cwd: tmpdir(), env, shell, jobsOutliveServer: false, platform: 'darwin' })
    return { runner, running: await runner.run({ command, onOutput: () => undefined }) }
  }

  test('children in other groups and those that ignore SIGTERM are killed', async () => {
    const { running } = await begin(`set -m; sleep 41.1 & (sleep 41.1; :) & (trap '' TERM; exec sleep 41.1) & wait`)
    await vi.waitFor(() => expect(sleepers('41.1')).toHaveLength(3))
    await running.kill(300)
    expect(sleepers('41.1')).toEqual([])
  })

  test('on close, the children of an exited program are killed as well', async () => {
    const { runner, running } = await begin('sleep 42.1 &')
    await running.exited
    await vi.waitFor(() => expect(sleepers('42.1')).toHaveLength(1))
    await runner.close(1000)
    expect(sleepers('42.1')).toEqual([])
  })
})
