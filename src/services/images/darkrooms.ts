// Pool of decoder processes: at most two, kept for a while after use. A process is killed if its image takes too long or is
// cancelled, and replaced if it has grown.

import { Failure } from '../../lib/failure.js'
import { createTurns } from '../../lib/turns.js'
import { startFork, type Exit, type Fork } from '../../platform/process.js'
import { allowanceFor } from './limits.js'
import { isReply, type Order, type Reply } from './picture.js'

const MAX_WORKERS = 2
const IDLE_TIMEOUT_MS = 60_000
/** A worker that holds more memory after an image is replaced. */
const MAX_IDLE_RSS_BYTES = 160 * 1024 * 1024

export interface Darkrooms {
  /** Throws a Failure whose message continues a sentence that starts with the path. */
  develop(request: Order, signal: AbortSignal): Promise<Reply>
  close(): void
}

interface ImageWorker {
  readonly fork: Fork
  /** Handlers of the current request. */
  listener?: { onMessage(message: unknown): void; onExit(exit: Exit): void } | undefined
  idleTimer?: NodeJS.Timeout
}

export function createDarkrooms(script: string, env: NodeJS.ProcessEnv): Darkrooms {
  const workers = new Set<ImageWorker>()
  const idleWorkers: ImageWorker[] = []
  const semaphore = createTurns(MAX_WORKERS)

  function terminate(worker: ImageWorker): void {
    clearTimeout(worker.idleTimer)
    workers.delete(worker)
    if (idleWorkers.includes(worker)) idleWorkers.splice(idleWorkers.indexOf(worker), 1)
    worker.fork.kill()
  }

  async function startWorker(): Promise<ImageWorker> {
    const worker: { fork?: Fork } & Omit<ImageWorker, 'fork'> = {}
    const fork = await startFork(script, env, (message) => worker.listener?.onMessage(message)).catch(() => undefined)
    if (!fork) throw new Failure('cannot be decoded now: the system cannot start another process')
    const started = Object.assign(worker, { fork })
    workers.add(started)
    void fork.exited.then((exit) => {
      terminate(started)
      started.listener?.onExit(exit)
    })
    return started
  }

  function park(worker: ImageWorker): void {
    idleWorkers.push(worker)
    worker.idleTimer = setTimeout(() => terminate(worker), IDLE_TIMEOUT_MS)
    worker.idleTimer.unref()
  }

  async function runInWorker(request: Order, signal: AbortSignal): Promise<Reply> {
    const worker = idleWorkers.pop() ?? (await startWorker())
    clearTimeout(worker.idleTimer)
    try {
      const reply = await sendRequest(worker, request, signal)
      // A missing package may be installed by the next time.
      if ('missing' in reply || reply.residentBytes > MAX_IDLE_RSS_BYTES) terminate(worker)
      else park(worker)
      return reply
    } catch (error) {
      terminate(worker)
      throw error
    }
  }

  return {
    async develop(request, signal) {
      const release = await semaphore.take(signal)
      if (release === undefined) throw signal.reason
      try {
        return await runInWorker(request, signal)
      } finally {
        release()
      }
    },
    close() {
      for (const worker of workers) terminate(worker)
    },
  }
}

function sendRequest(worker: ImageWorker, request: Order, signal: AbortSignal): Promise<Reply> {
  return new Promise<Reply>((resolve, reject) => {
    const onAbort = (): void => reject(signal.reason)
    const { ms } = allowanceFor(request.format)
    const timer = setTimeout(() => {
      reject(new Failure(`takes longer than ${ms / 1000} s to decode; make a smaller or simpler copy of it`))
    }, ms)
    const finish = (complete: () => void): void => {
      clearTimeout(timer)
      signal.removeEventListener('abort', onAbort)
      worker.listener = undefined
      complete()
    }
    worker.listener = {
      onMessage: (message) =>
        finish(() =>
          isReply(message) ? resolve(message) : reject(new Error('The image worker sent an invalid reply')),
        ),
      onExit: (exit) => finish(() => reject(new Failure(describeExit(exit)))),
    }
    signal.addEventListener('abort', onAbort, { once: true })
    worker.fork.tell(request)
  })
}

function describeExit({ signal }: Exit): string {
  return signal === 'SIGTERM'
    ? 'needs more memory to decode than allowed; make a smaller copy of it'
    : 'crashed its decoder: the file is damaged or malicious'
}
