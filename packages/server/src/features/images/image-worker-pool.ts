// The processes that decode images: at most two, shared fairly between users.

import { Failure } from '@scorpiox/mcp/errors'
import { createWorkerProcessPool, WorkerProcessError } from '../../process/worker-processes.js'
import { decodeBudgetFor, type DecodeRequest, type ImageWorkerReply, isImageWorkerReply } from './image-types.js'

const MAX_WORKERS = 2
const MAX_IDLE_RSS_BYTES = 160 * 1024 * 1024
/** Each waiting request keeps a file open. */
const MAX_WAITING_PER_USER = 100

export interface ImageWorkerPool {
  /** Throws a Failure whose message continues a sentence that starts with the path. */
  decode(request: DecodeRequest, user: string, signal: AbortSignal): Promise<ImageWorkerReply>
  close(): void
}

export function createImageWorkerPool(script: string, env: NodeJS.ProcessEnv): ImageWorkerPool {
  const processes = createWorkerProcessPool({
    script,
    env,
    maxWorkers: MAX_WORKERS,
    maxIdleRssBytes: MAX_IDLE_RSS_BYTES,
    // A missing package may be installed by the next time.
    isReusableAfter: (reply) => !(isImageWorkerReply(reply) && 'missing' in reply),
  })
  return {
    async decode(request, user, signal) {
      if (processes.waitingCount(user) >= MAX_WAITING_PER_USER)
        throw new Failure(
          `was not read: ${MAX_WAITING_PER_USER} images of this user are waiting to be decoded, which is the limit; read it when they are done`,
        )
      const { ms } = decodeBudgetFor(request.format)
      try {
        const reply = await processes.run(request, { owner: user, timeoutMs: ms, signal })
        if (isImageWorkerReply(reply)) return reply
      } catch (error) {
        throw error instanceof WorkerProcessError ? new Failure(describeEnd(error, ms)) : error
      }
      throw new Error('The image worker sent an invalid reply')
    },
    close: () => processes.close(),
  }
}

function describeEnd({ reason }: WorkerProcessError, ms: number): string {
  if (reason === 'timeout') return `takes longer than ${ms / 1000} s to decode; make a smaller or simpler copy of it`
  if (reason === 'memory') return 'needs more memory to decode than allowed; make a smaller copy of it'
  return reason === 'not-started'
    ? 'cannot be decoded now: the system cannot start another process'
    : 'crashed its decoder: the file is damaged or malicious'
}
