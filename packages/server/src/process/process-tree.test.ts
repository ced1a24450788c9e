import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'

import { expect, onTestFinished, test, vi } from 'vitest'

import { needs } from '../../../../test/support/runtime.js'
import { createProcessTrees } from './process-tree.js'

const hasProc = existsSync('/proc/self/environ')

test(
  'unkillable processes are returned, others are not',
  needs(hasProc ? undefined : 'there is no /proc'),
  async () => {
    const child = spawn('sleep', ['60'], {
      stdio: 'ignore',
      env: { PATH: process.env.PATH, SCORPIOX_TREE: ';prefix.1;' },
    })
    onTestFinished(() => void child.kill('SIGKILL'))
    await once(child, 'spawn')
    const trees = createProcessTrees('prefix', 200)
    const kill = vi.spyOn(process, 'kill').mockReturnValue(true)
    expect(await trees.killTree('prefix.1', 0)).toEqual([child.pid])
    kill.mockRestore()
    expect(await trees.killTree('prefix.1', 0)).toEqual([])
  },
)
