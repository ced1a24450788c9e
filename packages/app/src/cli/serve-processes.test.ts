import { tmpdir } from 'node:os'

import { expect, test } from 'vitest'

import { createLog } from '@scorpiox/mcp/log'
import { loadConfig } from '@scorpiox/server/config/load-config'
import { runProcesses } from './serve-processes.js'

test('on Windows several processes are refused, with what to do instead', async () => {
  const config = loadConfig({
    programDir: '/opt/server',
    cwdFlag: tmpdir(),
    overrides: ['DATABASE_URL=postgres://h/d'],
  })
  await expect(runProcesses(config, 2, createLog('test', 'error'), 'win32')).rejects.toThrow(
    '--processes is not available on Windows; start several servers',
  )
})
