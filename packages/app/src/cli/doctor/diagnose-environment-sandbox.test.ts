import { expect, test } from 'vitest'

import { Failure } from '@scorpiox/mcp/errors'
import type { SandboxReport } from '@scorpiox/server/sandbox/sandbox'
import { diagnoseSandbox } from './diagnose-environment.js'
import { formatFindings } from './doctor.js'

const REPORT: SandboxReport = {
  program: 'bubblewrap 0.8.0',
  levels: ['workspace'],
  pids: 'cgroup v2',
  memory: 'cgroup v2',
  escapesTried: 16,
  tookMs: 88,
}

async function examine(level: 'auto' | 'off' | 'workspace', change: Partial<SandboxReport> | Error = {}) {
  const settings = { SANDBOX: level, SANDBOX_PIDS: 512, SANDBOX_MEMORY_MB: 4096 } as const
  const findings = await diagnoseSandbox(settings, () =>
    change instanceof Error ? Promise.reject(change) : Promise.resolve({ ...REPORT, ...change }),
  )
  return { text: formatFindings(findings), ok: findings.every((finding) => finding.ok) }
}

test('the sandbox and its limits take one line each', async () => {
  expect((await examine('workspace')).text).toBe(
    '✓ sandbox: workspace; bubblewrap 0.8.0, 16 escape attempts blocked in 88 ms\n' +
      '✓ limits: 512 processes (by cgroup v2), 4096 MB (by cgroup v2)\n',
  )
  expect((await examine('auto')).text).toContain('sandbox: workspace over HTTP, off over stdio;')
  expect((await examine('workspace', { pids: 'rlimit', memory: 'rlimit' })).text).toContain(
    '512 processes (by rlimit), 4096 MB for each process (by rlimit)',
  )
})

test('a limit that is not enforced is a failure if the settings require a sandbox', async () => {
  const { text, ok } = await examine('workspace', { pids: 'nothing' })
  expect(text).toContain('✗ limits: 512 processes (not enforced)')
  expect(text).toContain('→ The number of processes is not limited')
  expect(ok).toBe(false)
  expect((await examine('auto', { pids: 'nothing' })).ok).toBe(true)
})

test('a missing sandbox is a failure if the settings require one, and says what to do', async () => {
  const failure = new Failure(
    'The sandbox needs bubblewrap, which is not installed. Install it: sudo apt install bubblewrap',
  )
  expect(await examine('workspace', failure)).toEqual({
    text: `✗ sandbox: workspace is not available; commands are refused\n  → ${failure.message}\n`,
    ok: false,
  })
  expect(await examine('auto', failure)).toEqual({
    text: `○ sandbox: none; commands can do everything that you can do, and plan mode refuses them\n  → ${failure.message}\n`,
    ok: true,
  })
})

test('nothing is opened if the sandbox is off', async () => {
  expect((await examine('off', new Error('opened'))).text).toBe(
    '✓ sandbox: off; commands can do everything that you can do\n',
  )
})

test('a programming error is not reported as a finding', async () => {
  await expect(examine('workspace', new TypeError('oops'))).rejects.toThrow('oops')
})

test('on macOS no limit is promised', async () => {
  const { text, ok } = await examine('workspace', {
    program: 'sandbox-exec',
    pids: 'nothing',
    memory: 'nothing',
    escapesTried: 5,
  })
  expect(ok).toBe(true)
  expect(text).toContain('sandbox-exec, 5 escape attempts blocked')
  expect(text).toContain('limits neither the number of processes nor their memory')
})
