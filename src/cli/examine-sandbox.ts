// Findings of the doctor: the sandbox and its limits, or why there is none. A missing sandbox is a failure only if the
// settings require one.

import type { Settings } from '../config/options.js'
import { Failure } from '../lib/failure.js'
import type { LimitedBy } from '../platform/sandbox/limits.js'
import type { SandboxReport } from '../platform/sandbox/sandbox.js'
import type { Finding } from './finding.js'

type SandboxSettings = Pick<Settings, 'SANDBOX' | 'SANDBOX_PIDS' | 'SANDBOX_MEMORY_MB'>

/** `open` opens the sandbox at the level of the settings, runs its self-test and closes it. */
export async function examineSandbox(
  settings: SandboxSettings,
  open: () => Promise<SandboxReport>,
): Promise<readonly Finding[]> {
  if (settings.SANDBOX === 'off')
    return [{ name: 'sandbox', ok: true, detail: 'off; commands can do everything that you can do' }]
  try {
    return describeSandbox(settings, await open())
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    const isOptional = settings.SANDBOX === 'auto'
    const detail = isOptional
      ? 'none; commands can do everything that you can do, and plan mode refuses them'
      : `${settings.SANDBOX} is not available; commands are refused`
    return [{ name: 'sandbox', ok: isOptional, detail, fix: error.message }]
  }
}

function describeSandbox(settings: SandboxSettings, report: SandboxReport): readonly Finding[] {
  const { levels, bubblewrap, escapes, tookMs, pids, memory } = report
  const levelText = settings.SANDBOX === 'auto' ? `${levels.join(', ')} over HTTP, off over stdio` : levels.join(', ')
  const perProcess = memory === 'rlimit' ? ' for each process' : ''
  return [
    {
      name: 'sandbox',
      ok: true,
      detail: `${levelText}; bubblewrap ${bubblewrap.version}, ${escapes} escape attempts blocked in ${tookMs} ms`,
    },
    {
      name: 'limits',
      ok: pids !== 'nothing' || settings.SANDBOX === 'auto',
      detail: `${settings.SANDBOX_PIDS} processes (${describeLimit(pids)}), ${settings.SANDBOX_MEMORY_MB} MB${perProcess} (${describeLimit(memory)})`,
      ...(pids === 'nothing' && { fix: NO_PROCESS_LIMIT }),
    },
  ]
}

function describeLimit(limitedBy: LimitedBy): string {
  return limitedBy === 'nothing' ? 'not enforced' : `by ${limitedBy}`
}

const NO_PROCESS_LIMIT =
  'The number of processes is not limited: for root only a cgroup can limit it, and none can be created here. ' +
  'Run the server as an ordinary user, or where it can write to its cgroup (systemd: Delegate=yes).'
