import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'

import { expect, onTestFinished, test, vi } from 'vitest'

import { exitStatusWithReason, terminateSelf } from './self-termination.js'
import { type ExitStatus, startChild } from './spawn.js'

async function endOf(script: string): Promise<ExitStatus> {
  const { child, exited } = startChild(process.execPath, ['-e', script], {
    stdio: ['ignore', 'ignore', 'ignore', 'ipc', 'pipe'],
  })
  const [, , , , reason] = child.stdio
  if (!(reason instanceof Readable)) throw new Error('no pipe')
  return exitStatusWithReason(exited, reason)
}

test('a process that ended itself is told from one that crashed with the same exit code, as on Windows', async () => {
  expect(await endOf(`require('fs').writeSync(4, 'T'); process.exit(1)`)).toEqual({ code: 143, signal: 'SIGTERM' })
  expect(await endOf('process.exit(1)')).toEqual({ code: 1, signal: null })
})

test('the process writes before it ends, where its end does not tell, and ends if it cannot write', () => {
  const kill = vi.spyOn(process, 'kill').mockReturnValue(true)
  onTestFinished(() => kill.mockRestore())
  const folder = mkdtempSync(join(tmpdir(), 'scorpiox-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const path = join(folder, 'reason')
  const descriptor = openSync(path, 'w')
  terminateSelf('linux', descriptor)
  expect(readFileSync(path, 'utf8')).toBe('')
  terminateSelf('win32', descriptor)
  expect(readFileSync(path, 'utf8')).toBe('T')
  closeSync(descriptor)
  expect(() => terminateSelf('win32', descriptor)).toThrow('EBADF')
  expect(kill.mock.calls).toEqual(Array.from({ length: 3 }, () => [process.pid, 'SIGTERM']))
})
