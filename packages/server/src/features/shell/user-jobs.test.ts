import { existsSync, mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setImmediate as turn } from 'node:timers/promises'

import { afterAll, expect, test } from 'vitest'

import { createChangeEvents } from '@scorpiox/mcp/definitions/change-events'
import { eventually } from '../../../../../test/support/eventually.js'
import { createCommandRunner } from '../../process/command-runner.js'
import { exposeGarbageCollector } from '../../process/garbage-collector.js'
import { currentProcessIdentity } from '../../process/process-identity.js'
import { findShellProgram } from '../../process/shell-program.js'
import { registerServer } from '../../storage/server-registry.js'
import type { JobRecord } from './job-record.js'
import { openJobStore } from './job-store.js'
import { createShellService } from './shell-service.js'

const opened: ReturnType<typeof createShellService>[] = []

afterAll(async () => {
  await Promise.all(opened.map((shell) => shell.close()))
})

function open() {
  const cwd = mkdtempSync(join(tmpdir(), 'scorpiox-shell-'))
  const state = mkdtempSync(join(tmpdir(), 'scorpiox-state-'))
  const env = { PATH: process.env.PATH }
  const program = findShellProgram({ platform: process.platform, env, isFile: existsSync, isBash: () => true })
  if (!program) throw new Error('no shell')
  const shell = createShellService({
    cwd,
    commandRunner: createCommandRunner({ cwd, env, shell: program, jobsOutliveServer: false }),
    sandbox: { sandboxFor: () => undefined },
    changeEvents: createChangeEvents(),
    jobsOutliveServer: false,
    patterns: () => Promise.reject(new Error('no patterns here')),
    terminals: () => Promise.reject(new Error('no terminals here')),
    jobDirectory: () => ({ registryPath: state, userDirectory: (user) => join(state, user) }),
    streaming: true,
    defaultLimit: { ms: 30_000, killAtLimit: false },
    maxCharacters: () => 30_000,
    maxOutputBytes: 8 * 1024 * 1024,
    maxRunning: 8,
  })
  opened.push(shell)
  return { shell, state }
}

const ANN = { user: 'ann', session: 's1' }

test('a finished job does not retain its execution, and its output and status can be read', async () => {
  const jobs = await open().shell.jobs()
  const collectGarbage = exposeGarbageCollector()
  const start = async () => {
    const { job, execution } = await jobs.start('seq 20000; exit 3', ANN, { background: true })
    await job.ended
    return { id: job.id, execution: new WeakRef(execution), renderer: new WeakRef(execution.renderer) }
  }
  const { id, execution, renderer } = await start()
  await eventually(async () => {
    await turn()
    collectGarbage()
    return execution.deref() === undefined && renderer.deref() === undefined
  })
  const { job, text } = await jobs.readAll(id, ANN)
  expect([job.record.exitCode, text.slice(0, 4), await job.leftoverPids()]).toEqual([3, '1\n2\n', []])
  expect((await jobs.kill(id, ANN)).wasRunning).toBe(false)
})

const OTHER: Omit<JobRecord, 'id'> = {
  ...ANN,
  command: 'make',
  cwd: '/project',
  startedAt: Date.now(),
  background: true,
  owner: currentProcessIdentity(),
  family: 'another-server',
  tag: 'another-server.1',
  keep: true,
}
const ENDED = { endedAt: Date.now(), exitCode: 0, signal: null, ending: 'exit' } as const

test('a list shows jobs of other servers when they end, and those that are added later', async () => {
  const { shell, state } = open()
  const jobs = await shell.jobs()
  const list = async () => (await jobs.list(ANN)).map(({ id, isRunning }) => ({ id, isRunning }))
  const others = openJobStore(join(state, 'ann'))
  const unregister = registerServer(state, { owner: OTHER.owner, family: OTHER.family, outlive: true })
  const running = others.create(OTHER)
  // It is of a server that runs.
  expect(await list()).toEqual([])
  await others.save({ ...running, ...ENDED })
  expect(await list()).toEqual([{ id: 1, isRunning: false }])
  others.create({ ...OTHER, ...ENDED })
  others.create({ ...OTHER, ...ENDED, background: false })
  others.create({ ...OTHER, ...ENDED, keep: false })
  expect(await list()).toEqual([
    { id: 1, isRunning: false },
    { id: 2, isRunning: false },
  ])
  const { job } = await jobs.start('true', ANN, { background: true })
  await job.ended
  expect((await list()).map(({ id }) => id)).toEqual([1, 2, 5])
  unregister()
})
