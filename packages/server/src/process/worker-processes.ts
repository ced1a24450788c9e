// A pool of processes that work on untrusted content (images, PDF files), one request each at a time. A process is
// killed if its request takes too long, needs too much memory or is cancelled, and replaced if it has grown.
// `bounded-worker.ts` is its other side. Used by extractor and image-worker-pool. Starts and kills processes.
// Sets timers.

import { isJsonObject } from '@scorpiox/mcp/json/json'
import { createFairSemaphore } from '../async/concurrency.js'
import { type IpcChild, spawnNodeScript } from './piped-child.js'
import type { ExitStatus } from './spawn.js'

const IDLE_TIMEOUT_MS = 60_000
/** The first request of a process also waits for its start, which takes seconds on a busy machine. */
const START_MS = 5_000

export interface WorkerProcessPool {
  /**
   * Resolves to what the worker returned. Rejects with a WorkerProcessError, with the reason of the signal, or with
   * what the worker reported as its problem.
   */
  run(request: object, options: WorkerRunOptions): Promise<unknown>
  /** Requests of this owner that wait for a process. */
  waitingCount(owner: string): number
  close(): void
}

export interface WorkerRunOptions {
  /** Free processes are shared fairly between owners. */
  readonly owner: string
  readonly timeoutMs: number
  readonly signal?: AbortSignal | undefined
}

export interface WorkerProcessOptions {
  readonly script: string
  readonly env: NodeJS.ProcessEnv
  readonly maxWorkers: number
  /** A process that holds more memory after a request is replaced. */
  readonly maxIdleRssBytes: number
  /** Whether the process may serve the next request after this answer. */
  readonly isReusableAfter?: (answer: unknown) => boolean
}

export class WorkerProcessError extends Error {
  override readonly name = 'WorkerProcessError'

  constructor(readonly reason: 'timeout' | 'memory' | 'crashed' | 'not-started') {
    super(`worker process: ${reason}`)
  }
}

interface WorkerProcess {
  readonly fork: IpcChild
  /** Handlers of the current request. */
  listener?: { onMessage(message: unknown): void; onExit(exit: ExitStatus): void } | undefined
  idleTimer?: NodeJS.Timeout
}

interface WorkerReply {
  readonly answer?: unknown
  readonly problem?: unknown
  readonly residentBytes: number
}

export function createWorkerProcessPool(options: WorkerProcessOptions): WorkerProcessPool {
  const { script, env, maxWorkers, maxIdleRssBytes, isReusableAfter = () => true } = options
  const workers = new Set<WorkerProcess>()
  const idleWorkers: WorkerProcess[] = []
  const semaphore = createFairSemaphore(maxWorkers)

  function terminate(worker: WorkerProcess): void {
    clearTimeout(worker.idleTimer)
    workers.delete(worker)
    if (idleWorkers.includes(worker)) idleWorkers.splice(idleWorkers.indexOf(worker), 1)
    worker.fork.kill()
  }

  async function startWorker(): Promise<WorkerProcess> {
    const worker: { fork?: IpcChild } & Omit<WorkerProcess, 'fork'> = {}
    const fork = await spawnNodeScript(script, env, (message) => worker.listener?.onMessage(message)).catch(
      () => undefined,
    )
    if (!fork) throw new WorkerProcessError('not-started')
    const started = Object.assign(worker, { fork })
    workers.add(started)
    void fork.exited.then((exit) => {
      terminate(started)
      started.listener?.onExit(exit)
    })
    return started
  }

  function park(worker: WorkerProcess): void {
    idleWorkers.push(worker)
    worker.idleTimer = setTimeout(() => terminate(worker), IDLE_TIMEOUT_MS)
    worker.idleTimer.unref()
  }

  async function runInWorker(request: object, timeoutMs: number, signal: AbortSignal): Promise<unknown> {
    const idle = idleWorkers.pop()
    const worker = idle ?? (await startWorker())
    clearTimeout(worker.idleTimer)
    try {
      const limitMs = idle ? timeoutMs : timeoutMs + START_MS
      const { answer, problem, residentBytes } = await sendRequest(worker, request, limitMs, signal)
      if (residentBytes <= maxIdleRssBytes && isReusableAfter(answer)) park(worker)
      else terminate(worker)
      if (problem !== undefined) throw problem
      return answer
    } catch (error) {
      if (!idleWorkers.includes(worker)) terminate(worker)
      throw error
    }
  }

  return {
    async run(request, { owner, timeoutMs, signal = new AbortController().signal }) {
      const release = await semaphore.acquire(owner, signal)
      if (release === undefined) throw signal.reason
      try {
        return await runInWorker(request, timeoutMs, signal)
      } finally {
        release()
      }
    },
    waitingCount: (owner) => semaphore.waitingCount(owner),
    close() {
      for (const worker of workers) terminate(worker)
    },
  }
}

function sendRequest(
  worker: WorkerProcess,
  request: object,
  timeoutMs: number,
  signal: AbortSignal,
): Promise<WorkerReply> {
  return new Promise<WorkerReply>((resolve, reject) => {
    const onAbort = (): void => finish(() => reject(signal.reason))
    const timer = setTimeout(() => finish(() => reject(new WorkerProcessError('timeout'))), timeoutMs)
    const finish = (complete: () => void): void => {
      clearTimeout(timer)
      signal.removeEventListener('abort', onAbort)
      worker.listener = undefined
      complete()
    }
    worker.listener = {
      onMessage: (message) =>
        finish(() => (isWorkerReply(message) ? resolve(message) : reject(new Error('invalid reply of a worker')))),
      // SIGTERM: its watchdog found that it exceeds its memory budget.
      onExit: (exit) => finish(() => reject(new WorkerProcessError(exit.signal === 'SIGTERM' ? 'memory' : 'crashed'))),
    }
    signal.addEventListener('abort', onAbort, { once: true })
    worker.fork.send(request)
  })
}

function isWorkerReply(value: unknown): value is WorkerReply {
  return isJsonObject(value) && typeof value.residentBytes === 'number'
}

/** Variables that libraries need for loading and fonts; no secrets. */
const KEPT_VARIABLES =
  /^(?:PATH|HOME|LANG|LC_\w+|TZ|TMPDIR|TEMP|TMP|SYSTEMROOT|WINDIR|(?:DY)?LD_\w+|FONTCONFIG_\w+|XDG_(?:DATA|CACHE|CONFIG)_\w+)$/i

/** Few malloc arenas, because memory freed in one arena is not reused by another. */
export function createWorkerEnvironment(childEnv: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const variables = Object.entries(childEnv).filter(([name]) => KEPT_VARIABLES.test(name))
  return { ...Object.fromEntries(variables), MALLOC_ARENA_MAX: '2' }
}
