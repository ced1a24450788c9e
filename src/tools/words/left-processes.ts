// Formats processes that a command left running.

import type { LeftProcess } from '../../services/shell/left-process.js'
import { plural } from './words.js'

const MAX_NAMED = 5

export function listProcesses(processes: readonly LeftProcess[]): string {
  const names = processes.slice(0, MAX_NAMED).map(({ pid, name }) => `${name} (${pid})`)
  const more = processes.length > MAX_NAMED ? ` and ${processes.length - MAX_NAMED} more` : ''
  return `${names.join(', ')}${more}`
}

/** Without the full stop. */
export function stillRunning(processes: readonly LeftProcess[]): string {
  const verb = processes.length === 1 ? 'runs' : 'run'
  return `${plural(processes.length, 'process', 'processes')} that it started still ${verb}: ${listProcesses(processes)}`
}
