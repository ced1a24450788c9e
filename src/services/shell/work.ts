// One running command. Its output goes to the renderer (for the result) and to the buffer (for the job file). Killing
// it kills its process tree.

import { promised } from '../../lib/promised.js'
import { readBytes } from '../../platform/buffer-tide.js'
import type { Order, Running } from '../../platform/launcher.js'
import type { Exit } from '../../platform/process.js'
import { createDigest, type Digester } from './digest.js'
import { createSpool, type Spool } from './spool.js'

/** Time for children to exit after their parent before they count as left running. */
const NOTICE_MS = 50

export interface Work {
  readonly command: string
  readonly startedAt: number
  readonly tag: string
  /** Possible reason of a failure, such as the sandbox. */
  readonly note: string | undefined
  readonly digester: Digester
  readonly spool: Spool
  /** Resolves when it has exited and its last output has been received. */
  readonly over: Promise<Exit>
  /** Calls the listener for every chunk of output. Returns a function that unsubscribes. */
  onOutput(listener: () => void): () => void
  /** Resolves to the pids that could not be killed. */
  end(killAfterMs: number): Promise<readonly number[]>
  /** Processes still running after it exited; undefined if the platform cannot tell. */
  left(): Promise<readonly number[] | undefined>
}

export interface WorkSettings {
  readonly launch: (request: Order) => Promise<Running>
  readonly order: Omit<Order, 'onOutput' | 'onGap' | 'onTag'>
  readonly maxCharacters: number
  /** Characters of a line that are shown; see OutputLimits. */
  readonly maxLine?: number | undefined
  readonly maxHeldBytes: number
  /** Called once, when the output no longer fits into the buffer. */
  readonly onOverflow?: ((execution: Work) => void) | undefined
}

export async function startWork(settings: WorkSettings): Promise<Work> {
  const { launch, order: request, maxCharacters, maxLine, maxHeldBytes, onOverflow = () => {} } = settings
  const startedAt = Date.now()
  const renderer = createDigest({ maxCharacters, maxLine })
  const listeners = new Set<() => void>()
  // Output may arrive before `launch` resolves.
  const started = promised<{ readonly child: Running; readonly work: Work }>()
  const buffer = createSpool({
    maxHeldBytes,
    onOverflow: () => void started.promise.then(({ work: execution }) => onOverflow(execution)),
    pause: () => void started.promise.then(({ child }) => child.pause()),
    resume: () => void started.promise.then(({ child }) => child.resume()),
  })
  const child = await launch({
    ...request,
    onGap: (bytes) => renderer.skip(bytes),
    onOutput(chunk) {
      renderer.write(chunk)
      buffer.write(chunk)
      readBytes(chunk.length)
      for (const listener of listeners) listener()
    },
  })
  const execution: Work = {
    command: request.command,
    startedAt,
    tag: child.tag,
    note: request.confine?.note,
    digester: renderer,
    spool: buffer,
    over: lastWords(child),
    onOutput(listener) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    end: (killAfterMs) => child.end(killAfterMs),
    left: () => leftBy(child),
  }
  started.resolve({ child, work: execution })
  return execution
}

async function lastWords(child: Running): Promise<Exit> {
  const exit = await child.exited
  await child.heard()
  child.ignoreOutput()
  return exit
}

async function leftBy(child: Running): Promise<readonly number[] | undefined> {
  if (child.left()?.length === 0) return []
  await new Promise((resolve) => setTimeout(resolve, NOTICE_MS))
  return child.left()
}
