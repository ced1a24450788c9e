// The door to other threads: a few that work on one question each and are ended when it takes too long, needs too much
// memory or nobody wants the answer any more. An idle one does not keep the process alive, and is let go after a while.

import { Worker } from 'node:worker_threads'

import { isObject } from '../lib/json.js'
import { watchMemory } from './thread-memory.js'

export interface Threads {
  /** Throws a ThreadFailure where the thread had to be ended or fell, else what the thread threw. */
  ask(question: object, signal?: AbortSignal): Promise<unknown>
  /** Starts one ahead of the first question. */
  warm(): void
  close(): Promise<void>
}

export interface ThreadTerms {
  /** The script each runs: it answers `{ question }` with `{ answer }` or `{ problem }`. */
  readonly file: string
  readonly most: number
  readonly timeoutMs: number
  readonly idleMs: number
  readonly memoryMb: number
}

export class ThreadFailure extends Error {
  override readonly name = 'ThreadFailure'

  constructor(
    readonly reason: 'timeout' | 'memory' | 'fallen' | 'closed',
    options?: ErrorOptions,
  ) {
    super(`thread: ${reason}`, options)
  }
}

interface Asked {
  readonly question: object
  readonly signal: AbortSignal | undefined
  readonly resolve: (answer: unknown) => void
  readonly reject: (reason: unknown) => void
}

interface Thread {
  readonly worker: Worker
  asked: Asked | undefined
  timer: NodeJS.Timeout | undefined
  settle: (() => void) | undefined
}

export function openThreads(terms: ThreadTerms): Threads {
  const threads = new Set<Thread>()
  const queue: Asked[] = []
  let isClosed = false

  const start = (): Thread => {
    const worker = new Worker(terms.file, {
      env: {},
      execArgv: [],
      // What a thread prints must not get into our streams. It is not read either: that would keep the process alive.
      stdout: true,
      stderr: true,
      resourceLimits: { maxOldGenerationSizeMb: terms.memoryMb, maxYoungGenerationSizeMb: 8, stackSizeMb: 8 },
    })
    const thread: Thread = { worker, asked: undefined, timer: undefined, settle: undefined }
    threads.add(thread)
    worker.unref()
    worker.on('message', (message: unknown) => answered(thread, message))
    worker.on('error', (error) =>
      end(thread, new ThreadFailure(isMemory(error) ? 'memory' : 'fallen', { cause: error })),
    )
    worker.on('exit', () => end(thread, new ThreadFailure('fallen')))
    return thread
  }

  const end = (thread: Thread, reason: unknown): void => {
    if (!threads.delete(thread)) return
    const { asked } = thread
    release(thread)
    void thread.worker.terminate()
    asked?.reject(reason)
    next()
  }

  const release = (thread: Thread): void => {
    clearTimeout(thread.timer)
    thread.settle?.()
    thread.asked = undefined
    thread.settle = undefined
    thread.worker.unref()
  }

  const answered = (thread: Thread, message: unknown): void => {
    const { asked } = thread
    if (asked === undefined) return
    release(thread)
    rest(thread)
    if (isObject(message) && 'answer' in message) asked.resolve(message.answer)
    else asked.reject(isObject(message) ? message.problem : message)
    next()
  }

  const rest = (thread: Thread): void => {
    thread.timer = setTimeout(() => end(thread, new ThreadFailure('closed')), terms.idleMs).unref()
  }

  const next = (): void => {
    const idle = [...threads].find(({ asked }) => asked === undefined)
    if (queue.length === 0 || isClosed || (idle === undefined && threads.size >= terms.most)) return
    const asked = queue.shift()
    if (asked !== undefined) give(idle ?? start(), asked)
  }

  const give = (thread: Thread, asked: Asked): void => {
    clearTimeout(thread.timer)
    const leave = () => end(thread, asked.signal?.reason)
    const lookAway = watchMemory(terms.memoryMb, () => end(thread, new ThreadFailure('memory')))
    asked.signal?.addEventListener('abort', leave, { once: true })
    thread.settle = () => {
      lookAway()
      asked.signal?.removeEventListener('abort', leave)
    }
    thread.asked = asked
    thread.timer = setTimeout(() => end(thread, new ThreadFailure('timeout')), terms.timeoutMs)
    thread.worker.ref()
    thread.worker.postMessage({ question: asked.question }, [])
  }

  return {
    ask: (question, signal) =>
      new Promise((resolve, reject) => {
        if (isClosed) throw new ThreadFailure('closed')
        signal?.throwIfAborted()
        const leave = () => withdraw(queue, asked)
        const settle = (tell: () => void) => {
          signal?.removeEventListener('abort', leave)
          tell()
        }
        const asked: Asked = {
          question,
          signal,
          resolve: (answer) => settle(() => resolve(answer)),
          reject: (reason) => settle(() => reject(reason)),
        }
        signal?.addEventListener('abort', leave, { once: true })
        queue.push(asked)
        next()
      }),
    warm() {
      if (!isClosed && threads.size === 0) rest(start())
    },
    async close() {
      isClosed = true
      for (const { reject } of queue.splice(0)) reject(new ThreadFailure('closed'))
      const ended = [...threads].map(({ worker }) => worker.terminate())
      for (const thread of threads) end(thread, new ThreadFailure('closed'))
      await Promise.all(ended)
    },
  }
}

/** One that is being worked on is not in the queue any more. */
function withdraw(queue: Asked[], asked: Asked): void {
  const at = queue.indexOf(asked)
  if (at === -1) return
  queue.splice(at, 1)
  asked.reject(asked.signal?.reason)
}

function isMemory(error: unknown): boolean {
  return isObject(error) && error.code === 'ERR_WORKER_OUT_OF_MEMORY'
}
