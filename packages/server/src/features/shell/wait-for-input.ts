// Waits until the program of a job waits for input: it is blocked reading its terminal or stdin, and has printed a
// prompt, a last line without its end, or is on the alternate screen. Used by wait-for-job and job-service. Polls on a
// timer; reads /proc and the output of the job.

import { setTimeout as sleep } from 'node:timers/promises'

import type { Job } from './job.js'
import type { TypedText } from './type-into-job.js'
import { findInputReaders, type InputReader, isCopierIdle } from './waiting-for-input.js'

const MIN_INTERVAL_MS = 4
const MAX_INTERVAL_MS = 100
/** Two looks at a program, this far apart, must show the same. */
const SETTLE_MS = 8
/** How long a program that waits for several things may take to notice its input. */
const NOTICE_MS = 200
/** How late the output of a job that outlives the server may be: another process records it. */
const RECORDED_NOTICE_MS = 2000
const PROMPT_BYTES = 512

export interface InputWait {
  /** What was typed just before. */
  readonly typed?: TypedText | undefined
  /** A program that reads without a prompt waits for input, too. */
  readonly withoutPrompt?: boolean
}

/** Never resolves where it cannot be seen. */
export async function untilWaitingForInput(job: Job, wait: InputWait, done: AbortSignal): Promise<void> {
  const startedAt = performance.now()
  for (let intervalMs = MIN_INTERVAL_MS; !done.aborted;) {
    const look = await lookAt(job, wait, startedAt)
    if (look !== undefined) {
      await sleep(SETTLE_MS)
      if ((await lookAt(job, wait, startedAt)) === look) return
    }
    const hasChanged = await untilChange(job, intervalMs)
    // A program that prints does not wait.
    if (hasChanged) await sleep(SETTLE_MS)
    intervalMs = hasChanged ? MIN_INTERVAL_MS : Math.min(intervalMs * 1.5, MAX_INTERVAL_MS)
  }
}

/** Whether the job printed something or ended within the time. */
function untilChange(job: Job, ms: number): Promise<boolean> {
  return new Promise((resolve) => {
    const finish = (hasChanged: boolean): void => {
      clearTimeout(timer)
      unsubscribe()
      resolve(hasChanged)
    }
    const timer = setTimeout(finish, ms, false)
    const unsubscribe = job.onChange(() => finish(true))
  })
}

/** Whether it waits at this moment. */
export async function isWaitingForInput(job: Job, typed?: TypedText): Promise<boolean> {
  return (await lookAt(job, { typed }, -Infinity)) !== undefined
}

/** What was seen of a program that waits, for comparison; undefined if it does not. */
async function lookAt(
  job: Job,
  { typed, withoutPrompt = false }: InputWait,
  since: number,
): Promise<string | undefined> {
  const { record, stdin } = job
  if (record.pid === undefined || !stdin) return undefined
  const isTerminal = record.stdin === 'terminal'
  const identity = isTerminal ? undefined : stdin.identity()
  if ((!isTerminal && identity === undefined) || (isTerminal && !isCopierIdle(record.pid))) return undefined
  const found = findInputReaders(record.pid, identity)
  if (found.length === 0) return undefined
  await job.flush()
  const size = await job.output.size()
  const hasNoticed = ({ key, switches, isCertain }: InputReader): boolean => {
    if (!typed) return true
    if (switches <= (typed.switches.get(key) ?? -1)) return false
    if (size > typed.from || (isCertain && !record.keep)) return true
    return performance.now() - since > (record.keep ? RECORDED_NOTICE_MS : NOTICE_MS)
  }
  const readers = found.filter(hasNoticed)
  if (readers.length === 0) return undefined
  const isPrompting = (await endsWithPrompt(job, size)) || (withoutPrompt && readers.some(({ isCertain }) => isCertain))
  if (!isPrompting) return undefined
  return `${size} ${readers.map(({ key, switches }) => `${key}:${switches}`).join(' ')}`
}

async function endsWithPrompt(job: Job, size: number): Promise<boolean> {
  if (job.record.stdin === 'terminal') {
    const { readModes } = await import('./read-terminal.js')
    if ((await readModes(job, size)).alternateFrom !== undefined) return true
  }
  const { bytes } = await job.output.read(Math.max(size - PROMPT_BYTES, 0), PROMPT_BYTES)
  return lastLineOf(bytes.toString()).trim() !== ''
}

const CONTROL_SEQUENCE =
  // oxlint-disable-next-line no-control-regex -- control sequences begin with ESC
  /\u001B(?:\[[0-?]*[ -/]*[@-~]|\][^\u0007\u001B]*(?:\u0007|\u001B\\)|[()][0-9A-Z]|[ -/]*[0-~])/g

/** Without control sequences. */
function lastLineOf(text: string): string {
  const plain = text.replaceAll(CONTROL_SEQUENCE, '')
  return plain.slice(plain.lastIndexOf('\n') + 1)
}
