// The fence of commands: it kills tagged processes when its time is not extended, and only those.

import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { tmpdir } from 'node:os'

import { expect, test } from 'vitest'

import { needs } from '../../../../test/support/runtime.js'
import { type CommandFence, startCommandFence } from './command-fence.js'

const isLinux = process.platform === 'linux'

function startCommand(tag: string): ChildProcess {
  return spawn('sleep', ['600'], { env: { ...process.env, SCORPIOX_TREE: `;${tag}.1;` }, stdio: 'ignore' })
}

function startFence(tagPrefix: string): Promise<CommandFence> {
  return startCommandFence({ bash: '/bin/bash', cwd: tmpdir(), env: { PATH: process.env.PATH }, tagPrefix })
}

test(
  'a server that does not extend its time loses its commands, and no other does',
  needs(isLinux ? undefined : 'the command fence of Linux'),
  async () => {
    const [own, other] = [startCommand('fence-own'), startCommand('fence-other')]
    const exited = once(own, 'exit')
    const fence = await startFence('fence-own')
    fence.extend(100)
    expect(await exited).toEqual([null, 'SIGKILL'])
    expect([other.exitCode, other.signalCode]).toEqual([null, null])
    // It goes on: the commands of the next lease are ended too.
    const next = startCommand('fence-own')
    const nextExited = once(next, 'exit')
    fence.extend(100)
    expect(await nextExited).toEqual([null, 'SIGKILL'])
    fence.close()
    other.kill()
  },
)

test(
  'a server that has closed it, or died, keeps its commands',
  needs(isLinux ? undefined : 'the command fence of Linux'),
  async () => {
    const command = startCommand('fence-closed')
    const marker = startCommand('fence-marker')
    const [closed, running] = await Promise.all([startFence('fence-closed'), startFence('fence-marker')])
    closed.extend(200)
    closed.close()
    const exited = once(marker, 'exit')
    running.extend(1500)
    await exited
    expect([command.exitCode, command.signalCode]).toEqual([null, null])
    running.close()
    command.kill()
  },
)
