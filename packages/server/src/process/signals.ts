// Sends signals to processes and process groups. Used by the process killers and the pool of workers.

/** False if there is no such process, or it belongs to another user. Signal 0 only checks that. */
export function signalProcess(pid: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(pid, signal)
  } catch {
    return false
  }
}

/** Signals the process group of a program; false if no process was left in it. */
export function signalProcessGroup(pid: number, signal: NodeJS.Signals): boolean {
  return signalProcess(-pid, signal)
}
