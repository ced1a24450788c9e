// A bounded pool of worker threads, used to extract documents (extractor.ts) and to match patterns
// (pattern-matcher.ts). Each thread works on one request at a time and is terminated if that takes too long, needs too
// much memory or is cancelled. An idle thread does not keep the process alive, and ends after a while. The memory of
// buffers is not limited: what is decompressed is read in worker-processes.ts. Starts and ends threads; on Bun, if an
// option says so, processes. Sets timers.

import { Worker } from 'node:worker_threads'

import { isJsonObject } from '@scorpiox/mcp/json/json'
import { bunVersion } from '@scorpiox/mcp/runtime'
import { spawnNodeScript } from './piped-child.js'

const CHECK_MS = 25
/** A request may take this many times its limit while the processor is busy with other programs. */
const MAX_EXTENSION = 10
const MIN_EXTENSION_MS = 25

/**
 * Calls back once when the process has grown by this much; the returned function stops the watch. Limits the memory of
 * a worker thread on Bun, which ignores resourceLimits; Node.js enforces them itself.
 */
function watchRssGrowth(megabytes: number, onExceeded: () => void): () => void {
  if (bunVersion() === undefined) return () => {}
  const maxBytes = process.memoryUsage.rss() + megabytes * 1024 * 1024
  const timer = setInterval(() => {
    if (process.memoryUsage.rss() <= maxBytes) return
    clearInterval(timer)
    onExceeded()
  }, CHECK_MS)
  return () => clearInterval(timer)
}

interface WorkerThreadPool {
  /** Rejects with a WorkerThreadError if the thread was terminated or crashed, else with what the thread threw. */
  run(question: object, signal?: AbortSignal): Promise<unknown>
  /** Starts a thread before the first request. */
  startOne(): void
  close(): Promise<void>
}

export interface WorkerThreadOptions {
  /** The script of each thread: it replies to `{ question }` with `{ answer }` or `{ problem }`. */
  readonly file: string
  readonly maxThreads: number
  /** Of processor time, so that a busy machine fails no request; at most ten times as long by the clock. */
  readonly timeoutMs: number
  readonly idleMs: number
  readonly memoryMb: number
  /**
   * On Bun, run the script in a process: there, terminating a thread does not end a regular expression that is being
   * matched. The script then gets the same messages through `process.on('message')`.
   */
  readonly usesProcessOnBun?: boolean
}

export class WorkerThreadError extends Error {
  override readonly name = 'WorkerThreadError'

  constructor(
    readonly reason: 'timeout' | 'memory' | 'crashed' | 'closed',
    options?: ErrorOptions,
  ) {
    super(`worker thread: ${reason}`, options)
  }
}

interface QueuedRequest {
  readonly payload: object
  readonly signal: AbortSignal | undefined
  readonly resolve: (answer: unknown) => void
  readonly reject: (reason: unknown) => void
}

/** A worker thread, or a process in its place. */
interface Runner {
  /** What it uses of the processor is counted for this process. */
  readonly isInProcess: boolean
  send(message: object): void
  /** Resolves when it has ended. */
  terminate(): Promise<unknown>
  ref(): void
  unref(): void
}

interface RunnerEvents {
  readonly onMessage: (message: unknown) => void
  readonly onEnd: (reason: WorkerThreadError) => void
}

interface Thread {
  readonly runner: Runner
  request: QueuedRequest | undefined
  timer: NodeJS.Timeout | undefined
  cleanUp: (() => void) | undefined
}

export function openWorkerThreadPool(options: WorkerThreadOptions): WorkerThreadPool {
  const threads = new Set<Thread>()
  const queue: QueuedRequest[] = []
  let isClosed = false

  const start = (): Thread => {
    const isProcess = options.usesProcessOnBun === true && bunVersion() !== undefined
    const runner = (isProcess ? startProcess : startThread)(options, {
      onMessage: (message) => handleReply(thread, message),
      onEnd: (reason) => terminate(thread, reason),
    })
    const thread: Thread = { runner, request: undefined, timer: undefined, cleanUp: undefined }
    threads.add(thread)
    runner.unref()
    return thread
  }

  const terminate = (thread: Thread, reason: unknown): void => {
    if (!threads.delete(thread)) return
    const { request } = thread
    release(thread)
    void thread.runner.terminate()
    request?.reject(reason)
    startNext()
  }

  const release = (thread: Thread): void => {
    clearTimeout(thread.timer)
    thread.cleanUp?.()
    thread.request = undefined
    thread.cleanUp = undefined
    thread.runner.unref()
  }

  const handleReply = (thread: Thread, message: unknown): void => {
    const { request } = thread
    if (request === undefined) return
    release(thread)
    startIdleTimer(thread)
    if (isJsonObject(message) && 'answer' in message) request.resolve(message.answer)
    else request.reject(isJsonObject(message) ? message.problem : message)
    startNext()
  }

  const startIdleTimer = (thread: Thread): void => {
    thread.timer = setTimeout(() => terminate(thread, new WorkerThreadError('closed')), options.idleMs).unref()
  }

  const startNext = (): void => {
    const idle = [...threads].find(({ request }) => request === undefined)
    if (queue.length === 0 || isClosed || (idle === undefined && threads.size >= options.maxThreads)) return
    const request = queue.shift()
    if (request !== undefined) assign(idle ?? start(), request)
  }

  const assign = (thread: Thread, request: QueuedRequest): void => {
    clearTimeout(thread.timer)
    const onAbort = () => terminate(thread, request.signal?.reason)
    const stopWatching = watchRssGrowth(options.memoryMb, () => terminate(thread, new WorkerThreadError('memory')))
    request.signal?.addEventListener('abort', onAbort, { once: true })
    thread.cleanUp = () => {
      stopWatching()
      request.signal?.removeEventListener('abort', onAbort)
    }
    thread.request = request
    limitTime(thread)
    thread.runner.ref()
    thread.runner.send({ question: request.payload })
  }

  /** What the whole process has used is an upper limit of what the thread has used. */
  const limitTime = (thread: Thread): void => {
    const before = process.cpuUsage()
    const endsAt = performance.now() + options.timeoutMs * (thread.runner.isInProcess ? MAX_EXTENSION : 1)
    const check = (): void => {
      const { user, system } = process.cpuUsage(before)
      const left = Math.min(options.timeoutMs - (user + system) / 1000, endsAt - performance.now())
      if (left <= 0) terminate(thread, new WorkerThreadError('timeout'))
      else thread.timer = setTimeout(check, Math.max(left, MIN_EXTENSION_MS))
    }
    thread.timer = setTimeout(check, options.timeoutMs)
  }

  return {
    run: (question, signal) =>
      new Promise((resolve, reject) => {
        if (isClosed) throw new WorkerThreadError('closed')
        signal?.throwIfAborted()
        const onAbort = () => removeFromQueue(queue, request)
        const finish = (complete: () => void) => {
          signal?.removeEventListener('abort', onAbort)
          complete()
        }
        const request: QueuedRequest = {
          payload: question,
          signal,
          resolve: (answer) => finish(() => resolve(answer)),
          reject: (reason) => finish(() => reject(reason)),
        }
        signal?.addEventListener('abort', onAbort, { once: true })
        queue.push(request)
        startNext()
      }),
    startOne() {
      if (!isClosed && threads.size === 0) startIdleTimer(start())
    },
    async close() {
      isClosed = true
      for (const { reject } of queue.splice(0)) reject(new WorkerThreadError('closed'))
      const ended = [...threads].map(({ runner }) => runner.terminate())
      for (const thread of threads) terminate(thread, new WorkerThreadError('closed'))
      await Promise.all(ended)
    },
  }
}

function startThread({ file, memoryMb }: WorkerThreadOptions, { onMessage, onEnd }: RunnerEvents): Runner {
  const worker = new Worker(file, {
    env: {},
    execArgv: [],
    // The output of a thread must not reach our streams. It is not read either: that would keep the process alive.
    stdout: true,
    stderr: true,
    resourceLimits: { maxOldGenerationSizeMb: memoryMb, maxYoungGenerationSizeMb: 8, stackSizeMb: 8 },
  })
  worker.on('message', onMessage)
  worker.on('error', (error) =>
    onEnd(new WorkerThreadError(isOutOfMemory(error) ? 'memory' : 'crashed', { cause: error })),
  )
  worker.on('exit', () => onEnd(new WorkerThreadError('crashed')))
  return {
    isInProcess: true,
    send: (message) => worker.postMessage(message, []),
    terminate: () => worker.terminate(),
    ref: () => worker.ref(),
    unref: () => worker.unref(),
  }
}

/** The process never keeps this one alive; the time limit of a request does. */
function startProcess({ file }: WorkerThreadOptions, { onMessage, onEnd }: RunnerEvents): Runner {
  const starting = spawnNodeScript(file, {}, onMessage)
  starting.then(
    ({ exited }) => exited.then(() => onEnd(new WorkerThreadError('crashed'))),
    (error: unknown) => onEnd(new WorkerThreadError('crashed', { cause: error })),
  )
  return {
    isInProcess: false,
    send: (message) =>
      void starting.then(
        (child) => child.send(message),
        () => {},
      ),
    async terminate() {
      const child = await starting.catch(() => undefined)
      child?.kill()
      await child?.exited
    },
    ref() {},
    unref() {},
  }
}

/** A request that is being worked on is not in the queue any more. */
function removeFromQueue(queue: QueuedRequest[], request: QueuedRequest): void {
  const at = queue.indexOf(request)
  if (at === -1) return
  queue.splice(at, 1)
  request.reject(request.signal?.reason)
}

function isOutOfMemory(error: unknown): boolean {
  return isJsonObject(error) && error.code === 'ERR_WORKER_OUT_OF_MEMORY'
}
