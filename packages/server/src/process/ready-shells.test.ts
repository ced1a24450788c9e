import { afterEach, beforeEach, expect, test, vi } from 'vitest'

import { createLaunchedShell, type LaunchedShell } from './launcher/launched-shell.js'
import { type AcquiredShell, createReadyShells } from './ready-shells.js'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

test('one shell is kept ready after the first command', async () => {
  const { ready, shells, take } = start()
  expect(await take()).toBeUndefined()
  expect(shells).toHaveLength(1)
  await vi.advanceTimersByTimeAsync(60_000)
  expect(runningOf(shells)).toHaveLength(1)
  ready.discardAll()
  await vi.waitFor(() => expect(ready.isDiscarding).toBe(false))
  expect(runningOf(shells)).toHaveLength(0)
})

test('commands at once let their number grow up to eight, and without commands one is left', async () => {
  const { shells, take, takeNone } = start()
  for (let count = 0; count < 20; count++) await takeNone()
  await take()
  expect(runningOf(shells).length).toBe(8)
  await vi.advanceTimersByTimeAsync(60_000)
  expect(runningOf(shells)).toHaveLength(1)
})

test('those of other sandboxes make room', async () => {
  const { shells, take, takeNone } = start()
  for (let count = 0; count < 20; count++) await takeNone()
  await take('one')
  await take('two')
  expect(runningOf(shells).length).toBeLessThanOrEqual(8)
  expect((await take('two'))?.tag).toBe('two')
})

test('a shell that was killed, or whose sandbox is outdated, is not handed out', async () => {
  const { shells, take } = start()
  await take()
  shells[0]?.onExit({ status: 137, hasLeftChildren: false, hadCommand: false })
  expect(await take()).toBeUndefined()
  const outdated = start(false)
  await outdated.take()
  expect(await outdated.take()).toBeUndefined()
  await vi.waitFor(() => expect(runningOf(outdated.shells)).toHaveLength(1))
})

function start(isUpToDate = true) {
  const ready = createReadyShells()
  const shells: LaunchedShell[] = []
  const startShell = (key: string): Promise<AcquiredShell> => {
    const shell = createShell(shells.length)
    shells.push(shell)
    const sandbox = { argv: [], seccompFile: '', cgroupFiles: [], bash: '', shellPrelude: '' }
    const sandboxed = { ...sandbox, isUpToDate: () => isUpToDate, release: () => {} }
    return Promise.resolve({ shell, tag: key, sandboxed })
  }
  /** As a command does: it takes one, and others are prepared when it has exited. */
  async function take(key = ''): Promise<AcquiredShell | undefined> {
    const found = await ready.take(key)
    if (found) endShell(found)
    ready.prepare(key, () => startShell(key))
    await Promise.resolve()
    return found
  }
  return { ready, shells, take, takeNone: () => ready.take('none') }
}

function endShell({ tag, shell }: AcquiredShell): void {
  expect([tag, shell.hasExited]).toEqual([tag, false])
  shell.discard()
}

/** A shell that exits when it is discarded. */
function createShell(number: number): LaunchedShell {
  const ignore = (): void => {}
  const shell = createLaunchedShell(String(number), '', {
    run: ignore,
    discard: () => shell.onExit({ status: 0, hasLeftChildren: false, hadCommand: false }),
    pause: ignore,
    resume: ignore,
    hold: ignore,
    release: ignore,
  })
  shell.onStarted(number + 1)
  return shell
}

function runningOf(shells: readonly LaunchedShell[]): readonly LaunchedShell[] {
  return shells.filter(({ hasExited }) => !hasExited)
}
