// What the doctor says about the sandbox: what is in force, or why there is none. Where nobody asked for one by name, its
// absence is no illness.

import type { Settings } from '../config/options.js'
import { Failure } from '../lib/failure.js'
import type { LimitedBy } from '../platform/sandbox/limits.js'
import type { SandboxReport } from '../platform/sandbox/sandbox.js'
import type { Finding } from './finding.js'

type SandboxSettings = Pick<Settings, 'SANDBOX' | 'SANDBOX_PIDS' | 'SANDBOX_MEMORY_MB'>

/** `open` tries the sandbox out at the level the settings ask for, and closes it again. */
export async function examineSandbox(
  settings: SandboxSettings,
  open: () => Promise<SandboxReport>,
): Promise<readonly Finding[]> {
  if (settings.SANDBOX === 'off') return [{ name: 'sandbox', ok: true, detail: 'off; commands can do what you can do' }]
  try {
    return describe(settings, await open())
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    const isWish = settings.SANDBOX === 'auto'
    const detail = isWish
      ? 'none; commands can do what you can do, and in plan mode they are refused'
      : `${settings.SANDBOX} cannot be had; no command is run`
    return [{ name: 'sandbox', ok: isWish, detail, fix: error.message }]
  }
}

function describe(settings: SandboxSettings, report: SandboxReport): readonly Finding[] {
  const { levels, bubblewrap, escapes, tookMs, pids, memory } = report
  const when = settings.SANDBOX === 'auto' ? `${levels.join(', ')} over HTTP, off over stdio` : levels.join(', ')
  const each = memory === 'rlimit' ? ' for each process' : ''
  return [
    {
      name: 'sandbox',
      ok: true,
      detail: `${when}; bubblewrap ${bubblewrap.version}, ${escapes} escapes tried in ${tookMs} ms, none worked`,
    },
    {
      name: 'limits',
      ok: pids !== 'nothing' || settings.SANDBOX === 'auto',
      detail: `${settings.SANDBOX_PIDS} processes (${by(pids)}), ${settings.SANDBOX_MEMORY_MB} MB${each} (${by(memory)})`,
      ...(pids === 'nothing' && { fix: NO_LIMIT }),
    },
  ]
}

function by(limitedBy: LimitedBy): string {
  return limitedBy === 'nothing' ? 'not in force' : `by ${limitedBy}`
}

const NO_LIMIT =
  'A command can start processes without end: root has no other limit than a cgroup, and none can be made here. ' +
  'Run the server as an ordinary user, or where it can write to its cgroup (systemd: Delegate=yes).'
