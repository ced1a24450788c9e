import { existsSync, mkdtempSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { isPidRunning } from '@scorpiox/mcp/os'
import { describe, expect, test } from 'vitest'

import { MISSING, needs } from '../../../../../test/support/runtime.js'
import { eventually } from '../../../../../test/support/eventually.js'
import { bashArguments } from '../../process/shell-program.js'
import type { FiredCallback } from './fire-callback.js'
import { createCallbackSideEffects } from './side-effects.js'

const callback = {
  session: 's',
  slot: 1,
  message: 'look',
  setAt: 0,
  delayMs: 0,
  repeatsLeft: 0,
  fireAt: null,
  fireUptime: null,
  boot: '',
  job: null,
  pattern: null,
  position: null,
}
const message = { id: 1, session: 's', kind: 'callback', text: 'look', createdAt: 0, file: null } as const
const fired: FiredCallback = { callback, message, repeatsLeft: 0, event: 'timer' }

function start(platform: NodeJS.Platform, command: string, limitMs: number) {
  const cwd = mkdtempSync(join(tmpdir(), 'scorpiox-side-'))
  const warnings: string[] = []
  const effects = createCallbackSideEffects({
    command,
    webhook: '',
    project: cwd,
    cwd,
    env: { PATH: process.env.PATH },
    platform,
    limitMs,
    shell: () => ({ kind: 'bash', file: '/bin/bash', args: bashArguments }),
    warn: (text) => void warnings.push(text),
  })
  effects.run(fired)
  const pids = async () => {
    const file = join(cwd, 'pids')
    await eventually(() => existsSync(file) && readFileSync(file, 'utf8').split('\n').length === 3)
    return readFileSync(file, 'utf8').trim().split('\n').map(Number)
  }
  return { effects, warnings, pids }
}

const COMMAND = 'sleep 300 & echo $! >>pids; echo $$ >>pids; sleep 300'

describe.each(['linux', 'darwin'] as const)('CALLBACK_COMMAND on %s', needs(MISSING.bash), (platform) => {
  test('is killed with its children at the time limit', async () => {
    const { warnings, pids } = start(platform, COMMAND, 500)
    const started = await pids()
    await eventually(() => warnings.length === 1)
    expect(warnings[0]).toMatch(/^CALLBACK_COMMAND: exit code /)
    await eventually(() => !started.some(isPidRunning))
  })

  test('is killed with its children when the server stops', async () => {
    const { effects, pids } = start(platform, COMMAND, 60_000)
    const started = await pids()
    await effects.close()
    await eventually(() => !started.some(isPidRunning))
  })
})
