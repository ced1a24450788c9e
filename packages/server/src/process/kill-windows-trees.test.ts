import { win32 } from 'node:path'

import { describe, expect, test, vi } from 'vitest'

import { createUntaggedTrees, type KillDeps, type RootProcess } from './kill-untagged.js'
import { addDescendants, killWindowsTrees, taskkillArguments } from './kill-windows-trees.js'
import type { ExitStatus } from './spawn.js'
import { toFileTime, type WindowsProcess } from './windows-processes.js'

const ROOT = 500
const GIT_BASH = 'C:\\Program Files\\Git\\bin\\bash.exe'
const TAG = '1a-x.d1'

test('the arguments of taskkill', () => {
  expect(taskkillArguments(ROOT, false)).toEqual(['/PID', '500', '/T'])
  expect(taskkillArguments(ROOT, true)).toEqual(['/PID', '500', '/T', '/F'])
})

function windowsProcess(pid: number, ppid: number, startedAt: bigint): WindowsProcess {
  return { pid, ppid, startedAt, msysParents: [], tags: '' }
}

interface Simulated {
  /** The running processes as [pid, parent, start]. */
  readonly processes?: readonly (readonly [number, number, number])[]
  /** What taskkill /F ends; the rest is left. */
  readonly taskkillEnds?: readonly number[]
  /** Whether a program asked to close its window is asked at all, and ends. */
  readonly window?: 'none' | 'closes' | 'stays'
  /** What cannot be ended. */
  readonly unkillable?: readonly number[]
  /** The table of MSYS as [pid, parent, group, pid of Windows, tags]; rows of processes that have ended are left out. */
  readonly msys?: readonly (readonly [number, number, number, number, string?])[]
  readonly tag?: string
}

/** Simulates Windows; without processes, they cannot be listed. */
function simulateWindows({ processes, taskkillEnds = [], window = 'none', unkillable = [], msys, tag }: Simulated) {
  const events: string[] = []
  let rows = processes ?? (msys ? msys.map(([, , , winpid]) => [winpid, 0, 0] as const) : [[ROOT, 1, 10] as const])
  const end = (pids: readonly number[]): void => {
    rows = rows.filter(([pid]) => !pids.includes(pid) || unkillable.includes(pid))
  }
  const root: RootProcess = {
    pid: ROOT,
    tag,
    get hasExited() {
      return !rows.some(([pid]) => pid === ROOT)
    },
  }
  const listMsys = (): string | undefined =>
    msys
      ?.filter(([, , , winpid]) => rows.some(([pid]) => pid === winpid))
      .map((row) => `${row.join(' ')}\n`)
      .join('')
  const deps: KillDeps = {
    gitBash: msys && GIT_BASH,
    async runTool(file, args) {
      if (file === GIT_BASH) return listMsys()
      if (file.endsWith('powershell.exe')) return processes && `${rows.map((row) => row.join(' ')).join('\r\n')}\r\n`
      events.push([win32.basename(file, '.exe'), ...args].join(' '))
      if (args.includes('/F')) end(taskkillEnds)
      else if (window === 'closes') end([ROOT])
      const isRefused = args.includes('/F') ? taskkillEnds.length === 0 : window === 'none'
      return isRefused ? undefined : ''
    },
    signal(pid, name) {
      events.push(`${name} ${pid}`)
      end([pid])
    },
  }
  return { events, deps, root }
}

const ASKED = 'taskkill /PID 500 /T'
const FORCED = 'taskkill /PID 500 /T /F'

describe('a program', () => {
  test.each([
    ['that closes its window is not forced', { window: 'closes' }, [ASKED]],
    ['without a window is forced at once', { taskkillEnds: [ROOT] }, [ASKED, FORCED]],
    ['that stays is forced later', { window: 'stays', taskkillEnds: [ROOT] }, [ASKED, FORCED]],
    ['is ended by its pid where taskkill fails', {}, [ASKED, FORCED, 'SIGKILL 500']],
  ] as const)('%s', async (_, simulated, expected) => {
    const { events, deps, root } = simulateWindows(simulated)
    expect(await killWindowsTrees([root], 50, deps)).toEqual([])
    expect(events).toEqual(expected)
  })

  test('that has exited is left alone', async () => {
    const { events, deps } = simulateWindows({})
    expect(await killWindowsTrees([{ pid: ROOT, hasExited: true }], 50, deps)).toEqual([])
    expect(events).toEqual([])
  })

  test('that exits while the processes are listed is left alone: its pid may belong to another process', async () => {
    const { events, deps } = simulateWindows({ processes: [[ROOT, 1, 10]] })
    const root = { pid: ROOT, hasExited: false }
    const runTool: KillDeps['runTool'] = (file, args) => {
      root.hasExited = true
      return deps.runTool(file, args)
    }
    await killWindowsTrees([root], 50, { ...deps, runTool, signal: () => undefined })
    expect(events).toEqual([])
  })

  test('is killed although the list takes long, and the children in the list after it', async () => {
    const { events, deps, root } = simulateWindows({
      processes: [
        [ROOT, 1, 10],
        [501, ROOT, 11],
      ],
      taskkillEnds: [ROOT],
    })
    let isFirst = true
    const runTool: KillDeps['runTool'] = async (file, args) => {
      const text = await deps.runTool(file, args)
      if (isFirst && file.endsWith('powershell.exe')) {
        isFirst = false
        await vi.waitFor(() => expect(events).toEqual([ASKED, FORCED]), { timeout: 5000 })
      }
      return text
    }
    expect(await killWindowsTrees([root], 50, { ...deps, runTool })).toEqual([])
    expect(events).toEqual([ASKED, FORCED, 'SIGKILL 501'])
  })

  test('that has got the pid of a killed one is not in a list that came late', async () => {
    const { events, deps, root } = simulateWindows({ taskkillEnds: [ROOT] })
    let isLate = false
    const runTool: KillDeps['runTool'] = async (file, args) => {
      if (!file.endsWith('powershell.exe')) return deps.runTool(file, args)
      if (!isLate) await vi.waitFor(() => expect(events).toEqual([ASKED, FORCED]), { timeout: 5000 })
      isLate = true
      return `${ROOT} 900 ${toFileTime(Date.now())}\r\n`
    }
    expect(await killWindowsTrees([root], 50, { ...deps, runTool })).toEqual([])
    expect(events).toEqual([ASKED, FORCED])
  })

  test('that does not end is reported, also without a list', async () => {
    const { deps, root } = simulateWindows({ unkillable: [ROOT] })
    const onUnlisted = vi.fn()
    expect(await killWindowsTrees([root], 50, { ...deps, onUnlisted })).toEqual([ROOT])
    expect(onUnlisted).toHaveBeenCalledOnce()
  })
})

describe('children', () => {
  const family = [
    [ROOT, 1, 10],
    [501, ROOT, 11],
    [502, 501, 12],
    [900, 1, 5],
  ] as const

  test('that taskkill leaves are ended, also when their parent is gone', async () => {
    const { events, deps, root } = simulateWindows({ processes: family, taskkillEnds: [ROOT, 501] })
    expect(await killWindowsTrees([root], 50, deps)).toEqual([])
    expect(events).toEqual([ASKED, FORCED, 'SIGKILL 502'])
  })

  test('of a program that closed its window are ended', async () => {
    const { events, deps, root } = simulateWindows({ processes: family, window: 'closes' })
    expect(await killWindowsTrees([root], 50, deps)).toEqual([])
    expect(events).toEqual([ASKED, 'SIGKILL 501', 'SIGKILL 502'])
  })

  test('that cannot be ended are reported', async () => {
    const { deps, root } = simulateWindows({ processes: family, taskkillEnds: [ROOT, 501], unkillable: [502] })
    const onUnlisted = vi.fn()
    expect(await killWindowsTrees([root], 50, { ...deps, onUnlisted })).toEqual([502])
    expect(onUnlisted).not.toHaveBeenCalled()
  })

  test.each([
    ['is missing', undefined],
    ['does not come from Windows', '1200 1 1200 900\n'],
  ])('may be left if the second list %s', async (_, msysTable) => {
    const { deps, root } = simulateWindows({ processes: family, taskkillEnds: [ROOT, 501] })
    const onUnlisted = vi.fn()
    let lists = 0
    const runTool: KillDeps['runTool'] = async (file, args) => {
      if (file === GIT_BASH) return msysTable
      return file.endsWith('powershell.exe') && ++lists > 1 ? undefined : deps.runTool(file, args)
    }
    await killWindowsTrees([root], 50, { ...deps, gitBash: GIT_BASH, runTool, onUnlisted })
    expect(onUnlisted).toHaveBeenCalled()
  })

  test('a process that is older than the one with the number of its parent is not a child of it', () => {
    const members = new Map<number, WindowsProcess>()
    const listed = [...family, [800, ROOT, 9], [501, 900, 11]] as const
    const rows = listed.map(([pid, ppid, startedAt]) => windowsProcess(pid, ppid, BigInt(startedAt)))
    addDescendants(members, rows, [{ pid: ROOT, hasExited: false }])
    expect([...members.keys()]).toEqual([ROOT, 501, 502])
  })

  test('a later process with the number of one that was seen is not ended', async () => {
    const { events, deps, root } = simulateWindows({
      processes: [
        [ROOT, 1, 10],
        [501, ROOT, 11],
      ],
      taskkillEnds: [ROOT, 501],
    })
    let lists = 0
    const reused: KillDeps = {
      ...deps,
      runTool: async (file, args) => {
        const text = await deps.runTool(file, args)
        return file.endsWith('powershell.exe') && ++lists > 1 ? '501 900 77\r\n' : text
      },
    }
    expect(await killWindowsTrees([root], 50, reused)).toEqual([])
    expect(events).not.toContain('SIGKILL 501')
  })
})

describe('children of Git Bash, whose parents in Windows have exited', () => {
  // The launcher, the shell it starts and the one that replaces it; `sleep` was started by a copy of the shell that exited
  // (pid 504), and is a child of 504 for ever.
  const shells = [
    [ROOT, 1, 10],
    [501, ROOT, 11],
    [502, 501, 12],
    [505, 504, 14],
    [900, 1, 5],
  ] as const
  const msys = [
    [1200, 1, 1200, 502, `;${TAG};`],
    [1204, 1200, 1200, 505],
    [77, 1, 77, 900],
  ] as const

  test('are ended by their parent in MSYS', async () => {
    const { events, deps, root } = simulateWindows({ processes: shells, msys, taskkillEnds: [ROOT, 501, 502] })
    expect(await killWindowsTrees([root], 50, deps)).toEqual([])
    expect(events).toEqual([ASKED, FORCED, 'SIGKILL 505'])
  })

  test('are ended by their process group if their parent in MSYS has exited as well', async () => {
    const orphaned = msys.map((row) => (row[0] === 1204 ? ([1204, 1, 1200, 505] as const) : row))
    const { events, deps, root } = simulateWindows({
      processes: shells,
      msys: orphaned,
      taskkillEnds: [ROOT, 501, 502],
    })
    expect(await killWindowsTrees([root], 50, deps)).toEqual([])
    expect(events).toEqual([ASKED, FORCED, 'SIGKILL 505'])
  })

  test('are ended by their tag, also outside of the group, and so are their own children in Windows', async () => {
    const processes = [...shells, [506, 505, 15]] as const
    const daemon = [...msys.slice(0, 1), [1204, 1, 1204, 505, `;outer.d9;${TAG};`], ...msys.slice(2)] as const
    const { events, deps, root } = simulateWindows({
      processes,
      msys: daemon,
      tag: TAG,
      taskkillEnds: [ROOT, 501, 502],
    })
    expect(await killWindowsTrees([root], 50, deps)).toEqual([])
    expect(events).toEqual([ASKED, FORCED, 'SIGKILL 505', 'SIGKILL 506'])
  })

  test('are ended by their tag where Windows lists nothing', async () => {
    const { events, deps, root } = simulateWindows({
      msys: [...msys.slice(0, 1), [1204, 1, 1204, 505, `;${TAG};`]],
      tag: TAG,
      taskkillEnds: [502],
    })
    expect(await killWindowsTrees([root], 50, deps)).toEqual([])
    expect(events.at(-1)).toBe('SIGKILL 505')
  })

  test('of other commands are not ended: another tag, the same start of a tag, another group', async () => {
    const processes = [...shells.slice(0, 3), [700, 1, 20], [701, 1, 21], [702, 1, 22]] as const
    const others = [
      ...msys.slice(0, 1),
      [1300, 1, 1300, 700, ';1a-x.d2;'],
      [1301, 1, 1301, 701, `;${TAG}2;`],
      [1302, 1, 1300, 702],
    ] as const
    const { events, deps, root } = simulateWindows({
      processes,
      msys: others,
      tag: TAG,
      taskkillEnds: [ROOT, 501, 502],
    })
    expect(await killWindowsTrees([root], 50, deps)).toEqual([])
    expect(events).toEqual([ASKED, FORCED])
  })
})

describe('a shell that has exited', () => {
  const start = Date.UTC(2026, 0, 1)
  const at = (seconds: number): bigint => toFileTime(start + seconds * 1000)
  const root: RootProcess = {
    pid: ROOT,
    hasExited: true,
    tag: TAG,
    startedAtMs: start,
    exitedAtMs: start + 10_000,
  }

  function simulate(list: readonly string[], msys = '') {
    const running = new Set(list)
    const events: string[] = []
    const deps: KillDeps = {
      gitBash: GIT_BASH,
      runTool: async (file) =>
        file === GIT_BASH
          ? msys
          : file.endsWith('powershell.exe') && running.size > 0
            ? [...running].join('\r\n')
            : undefined,
      signal(pid, name) {
        events.push(`${name} ${pid}`)
        for (const row of running) if (row.startsWith(`${pid} `)) running.delete(row)
      },
    }
    return { deps, events }
  }

  test('the children that it left are ended, with theirs', async () => {
    const { deps, events } = simulate([`4 0 ${at(-9)}`, `600 ${ROOT} ${at(3)}`, `601 600 ${at(20)}`])
    expect(await killWindowsTrees([root], 50, deps)).toEqual([])
    expect(events).toEqual(['SIGKILL 600', 'SIGKILL 601'])
  })

  test('not those of earlier and later processes with its pid', async () => {
    const { deps, events } = simulate([
      `600 ${ROOT} ${at(-1)}`,
      `${ROOT} 4 ${at(11)}`,
      `601 ${ROOT} ${at(12)}`,
      `602 601 ${at(13)}`,
    ])
    expect(await killWindowsTrees([root], 50, deps)).toEqual([])
    expect(events).toEqual([])
  })

  test('a server that Git Bash left in the background is ended', async () => {
    const { deps, events } = simulate([`4 0 ${at(-9)}`, `610 609 ${at(5)}`], `1300 1 1290 610 ;${TAG};\n`)
    expect(await killWindowsTrees([root], 50, deps)).toEqual([])
    expect(events).toEqual(['SIGKILL 610'])
  })
})

test('commands that are killed at the same time share the lists', async () => {
  const running = new Set(Array.from({ length: 40 }, (_, index) => ROOT + index))
  const exits = new Map<number, (exit: ExitStatus) => void>()
  let lists = 0
  const runTool: KillDeps['runTool'] = async (file, args) => {
    await new Promise(setImmediate)
    if (file.endsWith('powershell.exe')) {
      lists++
      return ['4 0 1', ...[...running].map((pid) => `${pid} 4 10`)].join('\r\n')
    }
    if (!args.includes('/F')) return undefined
    running.delete(Number(args[1]))
    exits.get(Number(args[1]))?.({ code: 1, signal: null })
    return ''
  }
  const trees = createUntaggedTrees('win32', { runTool, signal: () => expect.unreachable() })
  const shell = { kind: 'bash', file: GIT_BASH, args: () => [] } as const
  const roots = [...running].map((pid) =>
    trees?.add({ pid, tag: `a.d${pid}`, startedAtMs: 1, shell, exited: new Promise((exit) => exits.set(pid, exit)) }),
  )
  expect(await Promise.all(roots.map(async (root) => root && trees?.killTree(root, 50)))).toEqual(roots.map(() => []))
  expect(running.size).toBe(0)
  expect(lists).toBeLessThan(5)
})

test('a child of a later process with the pid of a member is not ended', () => {
  const members = new Map([[501, windowsProcess(501, ROOT, 11n)]])
  const listed = [windowsProcess(501, 900, 50n), windowsProcess(502, 501, 51n), windowsProcess(503, 501, 12n)]
  addDescendants(members, listed, [{ pid: ROOT, hasExited: true }])
  expect([...members.keys()]).toEqual([501, 503])
})
