// One command at work: started, heard, and ended with everything it started. What it prints is digested for whoever
// waits for it and spooled for whoever may want it whole.

import { promised } from '../../lib/promised.js'
import { readBytes } from '../../platform/buffer-tide.js'
import type { Order, Running } from '../../platform/launcher.js'
import type { Exit } from '../../platform/process.js'
import { createDigest, type Digester } from './digest.js'
import { createSpool, type Spool } from './spool.js'

/** How long a child may take to notice that its parent has gone before it counts as left behind. */
const NOTICE_MS = 50

export interface Work {
  readonly command: string
  readonly startedAt: number
  readonly tag: string
  /** To be said of it if it fails. */
  readonly note: string | undefined
  readonly digester: Digester
  readonly spool: Spool
  /** When it has ended and its last bytes are in. */
  readonly over: Promise<Exit>
  /** Tells of every chunk from now on. Returns the way out. */
  onOutput(listener: () => void): () => void
  /** Gives the processes that could not be killed. */
  end(killAfterMs: number): Promise<readonly number[]>
  /** What it left running, once it is over; undefined where that cannot be seen. */
  left(): Promise<readonly number[] | undefined>
}

export interface WorkSettings {
  readonly launch: (order: Order) => Promise<Running>
  readonly order: Omit<Order, 'onOutput' | 'onGap' | 'onTag'>
  readonly maxCharacters: number
  /** Characters of a line that are shown; see `createDigest`. */
  readonly maxLine?: number | undefined
  readonly maxHeldBytes: number
  /** Told once, when what it prints is too much to be held. */
  readonly onOverflow?: ((work: Work) => void) | undefined
}

export async function startWork(settings: WorkSettings): Promise<Work> {
  const { launch, order, maxCharacters, maxLine, maxHeldBytes, onOverflow = () => {} } = settings
  const startedAt = Date.now()
  const digester = createDigest({ maxCharacters, maxLine })
  const listeners = new Set<() => void>()
  // It may print before it is known to run.
  const begun = promised<{ readonly child: Running; readonly work: Work }>()
  const spool = createSpool({
    maxHeldBytes,
    onOverflow: () => void begun.promise.then(({ work }) => onOverflow(work)),
    pause: () => void begun.promise.then(({ child }) => child.pause()),
    resume: () => void begun.promise.then(({ child }) => child.resume()),
  })
  const child = await launch({
    ...order,
    onGap: (bytes) => digester.skip(bytes),
    onOutput(chunk) {
      digester.write(chunk)
      spool.write(chunk)
      readBytes(chunk.length)
      for (const listener of listeners) listener()
    },
  })
  const work: Work = {
    command: order.command,
    startedAt,
    tag: child.tag,
    note: order.confine?.note,
    digester,
    spool,
    over: lastWords(child),
    onOutput(listener) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    end: (killAfterMs) => child.end(killAfterMs),
    left: () => leftBy(child),
  }
  begun.resolve({ child, work })
  return work
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
