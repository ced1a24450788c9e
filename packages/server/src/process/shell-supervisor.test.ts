import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, writeFileSync } from 'node:fs'
import type { Duplex } from 'node:stream'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { expect, test } from 'vitest'

import { needs } from '../../../../test/support/runtime.js'
import SUPERVISOR from './shell-supervisor.sh?raw'

test(
  'a supervisor whose server is killed before a report still cleans up',
  needs(process.platform === 'linux' ? undefined : 'the shell pool of Linux'),
  async () => {
    const directory = mkdtempSync(join(tmpdir(), 'scorpiox-supervisor-'))
    const script = join(directory, 'shell-supervisor.sh')
    writeFileSync(script, SUPERVISOR)
    for (const name of ['output-recorder.sh', 'read-command.sh']) writeFileSync(join(directory, name), '')
    const args = ['-p', '-c', '. "$0"', script, directory, ';x.', 'x', '']
    const child = spawn('bash', args, { stdio: ['ignore', 'ignore', 'ignore', 'pipe', 'pipe'] })
    const [requests, reports] = [child.stdio[3], child.stdio[4]] as [Duplex, Duplex]
    await once(reports, 'data')
    reports.destroy()
    await once(reports, 'close')
    requests.end('fifos 32 64\n')
    const [code, signal] = await once(child, 'exit')
    expect({ code, signal, isDirectoryLeft: existsSync(directory) }).toEqual({
      code: 0,
      signal: null,
      isDirectoryLeft: false,
    })
  },
)
