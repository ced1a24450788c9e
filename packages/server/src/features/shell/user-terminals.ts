// The terminals of jobs as a person uses them through the console: reads them for a display, types into them, and gives
// them back to the model. What a person types is not recorded or logged, because it may be a password. Created by
// job-service. Reads job output and waits for it with a timeout; writes to the inputs of jobs; runs stty for a new
// size. Sets timers.

import type { Caller } from '@scorpiox/mcp/definitions/caller'
import { Failure } from '@scorpiox/mcp/errors'
import { checkSize } from './argument-ranges.js'
import { refuseMoreRights, requireTerminal, resizeTerminal } from './job-typing.js'
import type { Job } from './job.js'
import type { TerminalChunk } from './terminal-replay.js'
import type { TerminalSize } from './terminal-size.js'
import type { Terminals } from './terminal.js'
import { typeUserText } from './type-into-job.js'
import { endUserTyping, hasUnfinishedLine, noteUserTyping } from './user-typing.js'

/** How long a read waits for output. */
const WAIT_MS = 2000
/** How long a program may take to take what a person types. */
const TYPE_MS = 3000

export interface UserTerminals {
  /** The next output, after a wait if there is none; `from` undefined: from where a new display begins. */
  read(id: number, caller: Caller, from: number | undefined): Promise<TerminalChunk>
  /** From now on the model's input is refused. Throws a Failure if not all of it was typed. */
  type(id: number, caller: Caller, text: string): Promise<void>
  /** `isLeaving`: the person does not look any more; a line that is not ended keeps the terminal. */
  giveBack(id: number, caller: Caller, isLeaving: boolean): Promise<void>
  resize(id: number, caller: Caller, size: TerminalSize): Promise<void>
}

export interface UserTerminalsDeps {
  readonly find: (id: number, caller: Caller) => Promise<Job>
  /** Called when a person begins or ends typing. */
  readonly onChange: (job: Job) => void
  readonly terminals: () => Promise<Terminals>
  readonly sandboxKey: (caller: Caller) => Promise<string | undefined>
}

export function createUserTerminals({ find, onChange, terminals, sandboxKey }: UserTerminalsDeps): UserTerminals {
  async function findTerminal(id: number, caller: Caller): Promise<Job> {
    const job = await find(id, caller)
    requireTerminal(job, false)
    return job
  }

  function endTyping(job: Job): void {
    if (endUserTyping(job)) onChange(job)
  }

  /** A line that is not ended stays the person's, except on the alternate screen, which has no lines. */
  async function endTypingUnlessUnfinished(job: Job): Promise<void> {
    if (!hasUnfinishedLine(job) || (await isOnAlternateScreen(job))) endTyping(job)
  }

  return {
    async read(id, caller, from) {
      const job = await findTerminal(id, caller)
      return readOrWait(job, from)
    },
    async type(id, caller, text) {
      const job = await findTerminal(id, caller)
      if (!job.isRunning) throw new Failure('Nothing was typed: the program has ended.')
      if (!job.stdin) throw new Failure('Nothing was typed: the terminal cannot be reached from this server.')
      await refuseMoreRights(job, caller, sandboxKey)
      if (noteUserTyping(job, text, () => void endTypingUnlessUnfinished(job))) onChange(job)
      const taken = await typeUserText(job, text, TYPE_MS)
      const bytes = Buffer.byteLength(text)
      if (taken < bytes)
        throw new Failure(
          `The program does not read its input: ${taken} of ${bytes} bytes were typed. Wait for it, or kill the job.`,
        )
    },
    async giveBack(id, caller, isLeaving) {
      const job = await findTerminal(id, caller)
      if (isLeaving) await endTypingUnlessUnfinished(job)
      else endTyping(job)
    },
    async resize(id, caller, size) {
      checkSize(size)
      const job = await findTerminal(id, caller)
      if (!job.isRunning) throw new Failure('The terminal was not resized: the program has ended.')
      await refuseMoreRights(job, caller, sandboxKey)
      await resizeTerminal(job, size, await terminals())
    },
  }
}

async function readOrWait(job: Job, from: number | undefined): Promise<TerminalChunk> {
  const { readTerminalChunk } = await import('./terminal-replay.js')
  const waiting = new AbortController()
  const timer = setTimeout(() => waiting.abort(), WAIT_MS)
  try {
    // Before the first read, so that no change is missed.
    const changed = job.nextChange(waiting.signal)
    const chunk = await readTerminalChunk(job, from)
    if (chunk.bytes.length > 0 || chunk.setup !== null || !chunk.isRunning) return chunk
    await changed
    return await readTerminalChunk(job, from)
  } finally {
    clearTimeout(timer)
    waiting.abort()
  }
}

async function isOnAlternateScreen(job: Job): Promise<boolean> {
  const { readModes } = await import('./read-terminal.js')
  await job.flush()
  return (await readModes(job, await job.output.size())).alternateFrom !== undefined
}
