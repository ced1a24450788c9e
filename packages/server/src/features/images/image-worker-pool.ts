// Pool of decoder processes (worker/main.ts): at most two, kept for a while after use. A process is killed if its image
// takes too long or is cancelled, and replaced if it has grown. Used by image-reader. Starts and kills processes.

import { Failure } from '@scorpiox/mcp/errors'
import { type IpcChild, spawnNodeScript } from '../../process/piped-child.js'
import type { ExitStatus } from '../../process/spawn.js'
import { createSemaphore } from '../../util/concurrency.js'
import { decodeBudgetFor, type DecodeRequest, type ImageWorkerReply, isImageWorkerReply } from './image-types.js'

const MAX_WORKERS = 2
const IDLE_TIMEOUT_MS = 60_000
/** A worker that holds more memory after an image is replaced. */
const MAX_IDLE_RSS_BYTES = 160 * 1024 * 1024

export interface ImageWorkerPool {
  /** Throws a Failure whose message continues a sentence that starts with the path. */
  decode(request: DecodeRequest, signal: AbortSignal): Promise<ImageWorkerReply>
  close(): void
}

interface ImageWorker {
  readonly fork: IpcChild
  /** Handlers of the current request. */
  listener?: { onMessage(message: unknown): void; onExit(exit: ExitStatus): void } | undefined
  idleTimer?: NodeJS.Timeout
}

export function createImageWorkerPool(script: string, env: NodeJS.ProcessEnv): ImageWorkerPool {
  const workers = new Set<ImageWorker>()
  const idleWorkers: ImageWorker[] = []
  const semaphore = createSemaphore(MAX_WORKERS)

  function terminate(worker: ImageWorker): void {
    clearTimeout(worker.idleTimer)
    workers.delete(worker)
    if (idleWorkers.includes(worker)) idleWorkers.splice(idleWorkers.indexOf(worker), 1)
    worker.fork.kill()
  }

  async function startWorker(): Promise<ImageWorker> {
    const worker: { fork?: IpcChild } & Omit<ImageWorker, 'fork'> = {}
    const fork = await spawnNodeScript(script, env, (message) => worker.listener?.onMessage(message)).catch(
      () => undefined,
    )
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

  async function runInWorker(request: DecodeRequest, signal: AbortSignal): Promise<ImageWorkerReply> {
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
    async decode(request, signal) {
      const release = await semaphore.acquire(signal)
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

function sendRequest(worker: ImageWorker, request: DecodeRequest, signal: AbortSignal): Promise<ImageWorkerReply> {
  return new Promise<ImageWorkerReply>((resolve, reject) => {
    const onAbort = (): void => reject(signal.reason)
    const { ms } = decodeBudgetFor(request.format)
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
          isImageWorkerReply(message) ? resolve(message) : reject(new Error('The image worker sent an invalid reply')),
        ),
      onExit: (exit) => finish(() => reject(new Failure(describeExit(exit)))),
    }
    signal.addEventListener('abort', onAbort, { once: true })
    worker.fork.send(request)
  })
}

function describeExit({ signal }: ExitStatus): string {
  return signal === 'SIGTERM'
    ? 'needs more memory to decode than allowed; make a smaller copy of it'
    : 'crashed its decoder: the file is damaged or malicious'
}
