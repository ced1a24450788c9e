// A process that a command started and that still runs after the command has exited.

import { processName } from '../../platform/process-tree.js'

export interface LeftProcess {
  readonly pid: number
  readonly name: string
}

export function leftProcesses(pids: readonly number[]): readonly LeftProcess[] {
  return pids.map((pid) => ({ pid, name: processName(pid) ?? '?' }))
}
