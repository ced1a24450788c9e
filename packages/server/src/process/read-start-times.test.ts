import { spawn } from 'node:child_process'
import { once } from 'node:events'

import { describe, expect, test } from 'vitest'

import { MISSING, needs } from '../../../../test/support/runtime.js'
import { askForStartTimes } from './read-start-times.js'

const NOW = Date.UTC(2026, 10, 19, 18)

function ask(platform: NodeJS.Platform, output: string | undefined, pids: readonly number[] = [7]) {
  return askForStartTimes(pids, { platform, now: () => NOW, runTool: async () => output })
}

describe('ps on macOS and the BSDs', () => {
  test.each([
    ['00:05', 5],
    ['01:02:03', 3723],
    ['2-03:04:05', 183_845],
    ['123-00:00:00', 10_627_200],
  ])('%s', async (elapsed, seconds) => {
    expect(await ask('darwin', `  7 ${elapsed}\n`)).toEqual(new Map([[7, NOW - seconds * 1000]]))
  })

  test.each(['', 'ps: illegal option -- o\n', '7\n', '7 5\n', '7 Thu Nov 19 17:00:00 2026\n', '77 00:05\n', undefined])(
    'nothing is known from %j',
    async (output) => {
      expect((await ask('darwin', output)).get(7)).toBeUndefined()
    },
  )

  test('the ps of this machine', needs(MISSING.programsOfLinux), async () => {
    const startedAt = Date.now()
    const child = spawn(process.execPath, ['-e', 'setTimeout(() => {}, 60_000)'], { stdio: 'ignore' })
    await once(child, 'spawn')
    const startTimes = await askForStartTimes([child.pid ?? 0, process.pid])
    child.kill('SIGKILL')
    expect(Math.abs((startTimes.get(child.pid ?? 0) ?? 0) - startedAt)).toBeLessThan(5000)
    expect(Math.abs((startTimes.get(process.pid) ?? 0) - performance.timeOrigin)).toBeLessThan(5000)
  })
})

test('Windows PowerShell uses its own modules, and an error about one process is none about the others', async () => {
  const scripts: unknown[] = []
  const runTool = async (_: string, args: readonly string[]) => void scripts.push(args.at(-1))
  await askForStartTimes([7, 8], { platform: 'win32', now: () => NOW, runTool })
  expect(scripts).toEqual([
    expect.stringMatching(/^\$env:PSModulePath = \$PSHOME \+ '\\Modules'; Get-Process -Id 7,8 .*; exit 0$/),
  ])
})

test('PowerShell on Windows', async () => {
  const found = await ask('win32', '7 134080704000000000\r\nGet-Process : denied\r\n', [7, 8])
  expect(found).toEqual(new Map([[7, Date.UTC(2025, 10, 20)]]))
})
