import { mkdtempSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { expect, onTestFinished, test } from 'vitest'

import { createChangeEvents } from '@scorpiox/mcp/definitions/change-events'
import { needs } from '../../../../../test/support/runtime.js'
import { type Config, loadConfig } from '../../config/load-config.js'
import { NO_SANDBOX } from '../../sandbox/command-sandbox.js'
import { describeWhyJobsEnd, openShellService } from './open-shell-service.js'

const newFolder = (): string => mkdtempSync(join(tmpdir(), 'scorpiox-outlive-'))

function configure(path: string): Config {
  const overrides = ['JOBS_OUTLIVE_SERVER=1', `STATE_DIR=${newFolder()}`, 'SANDBOX=off']
  const config = loadConfig({ programDir: '/opt/server', cwdFlag: newFolder(), overrides })
  return { ...config, childEnv: { PATH: path } }
}

test('why jobs cannot outlive the server', () => {
  const config = configure('')
  const describe = (platform: NodeJS.Platform, PATH: string | undefined) =>
    describeWhyJobsEnd(config, { PATH }, platform)
  expect(describe('darwin', process.env.PATH)).toBe('JOBS_OUTLIVE_SERVER works on Linux only')
  expect(describe('win32', process.env.PATH)).toBe('JOBS_OUTLIVE_SERVER works on Linux only')
  expect(describe('linux', newFolder())).toBe('JOBS_OUTLIVE_SERVER requires mkfifo, which was not found')
})

test(
  'without mkfifo a job runs, and the log says that it ends with the server',
  needs(process.platform === 'linux' ? undefined : 'jobs outlive the server on Linux only'),
  async () => {
    const bin = newFolder()
    for (const name of ['bash', 'cat', 'rm', 'mkdir']) symlinkSync(`/bin/${name}`, join(bin, name))
    const warnings: string[] = []
    const log = { debug() {}, info() {}, warn: (text: string) => void warnings.push(text), error() {} }
    const shell = openShellService({
      config: configure(bin),
      changeEvents: createChangeEvents(),
      log,
      sandbox: NO_SANDBOX,
      patterns: () => Promise.reject(new Error('no patterns here')),
    })
    onTestFinished(() => shell.close())
    const jobs = await shell.jobs()
    const { job } = await jobs.start('echo done', { user: 'me', session: 'here' }, { background: true })
    await job.ended
    expect(job.record).toMatchObject({ exitCode: 0, keep: false })
    expect(warnings).toEqual(['JOBS_OUTLIVE_SERVER requires mkfifo, which was not found: jobs end with this server.'])
  },
)
