// Tells the parent of a worker process by which signal the process has ended itself. On Windows such an end looks like a
// crash, with exit code 1, so the process writes a byte into a pipe before. bounded-worker.ts is the side of the
// process, piped-child.ts that of the parent. Ends its own process.

import { writeSync } from 'node:fs'
import type { Readable } from 'node:stream'

import type { ExitStatus } from './spawn.js'

/** After stdin, stdout, stderr and the IPC channel. */
const REASON_DESCRIPTOR = 4
const TERMINATED: ExitStatus = { code: 143, signal: 'SIGTERM' }

export function needsReasonPipe(platform: NodeJS.Platform = process.platform): boolean {
  return platform === 'win32'
}

/** Ends this process by SIGTERM, also while its other threads are busy. */
export function terminateSelf(
  platform: NodeJS.Platform = process.platform,
  descriptor: number = REASON_DESCRIPTOR,
): void {
  try {
    if (needsReasonPipe(platform)) writeSync(descriptor, 'T')
  } finally {
    process.kill(process.pid, 'SIGTERM')
  }
}

/** The exit status of a process that was given such a pipe. */
export async function exitStatusWithReason(exited: Promise<ExitStatus>, reason: Readable): Promise<ExitStatus> {
  let hasReason = false
  const closed = new Promise<void>((resolve) => reason.once('close', () => resolve()))
  reason.on('error', () => {}).on('data', () => (hasReason = true))
  const status = await exited
  // What it has written before its end may not have been read yet.
  await closed
  return hasReason ? TERMINATED : status
}
