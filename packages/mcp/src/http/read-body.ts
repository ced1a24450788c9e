// Reads a request body as UTF-8 text, for router.ts. A body that is too large is refused by its Content-Length before
// anything is read, or as soon as it exceeds the limit; so is a body for which its user has no memory left.

import { isUtf8 } from 'node:buffer'
import type { IncomingMessage } from 'node:http'

import { type Refusal, tooManyRequests } from './host-policy.js'
import type { MemoryHold } from './rate-limits.js'

export const TOO_MUCH_MEMORY = tooManyRequests('Too many large requests at once: wait until some have ended', 1)

/** Undefined if the client disconnected. */
export type BodyResult = string | Refusal | undefined

export interface BodyOptions {
  readonly maxBytes: number
  readonly memory: MemoryHold
  /** Runs the decoding of a complete body and what `done` does with it, now or later. */
  readonly schedule: (work: () => void) => void
}

export function readRequestBody(
  request: IncomingMessage,
  { maxBytes, memory, schedule }: BodyOptions,
  done: (body: BodyResult, bytes: number) => void,
): void {
  // Without `connection: close`: Node would close the connection before the response is sent.
  const tooLarge = describeTooLarge(maxBytes)
  if (exceedsContentLength(request, maxBytes)) return done(tooLarge, 0)
  const chunks: Buffer[] = []
  let size = 0
  let isFinished = false
  let isComplete = false
  const finish = (body: BodyResult): void => {
    if (isFinished) return
    isFinished = true
    done(body, size)
  }
  request.on('data', (chunk: Buffer) => {
    size += chunk.length
    if (isFinished) return
    if (size <= maxBytes && memory.add(chunk.length)) chunks.push(chunk)
    else {
      chunks.length = 0
      finish(size > maxBytes ? tooLarge : TOO_MUCH_MEMORY)
    }
  })
  request.on('end', () => {
    isComplete = true
    if (!isFinished) schedule(() => finish(decodeBody(chunks)))
  })
  request.on('error', () => finish(undefined))
  // Also emitted after a complete body, which may still wait to be decoded.
  request.on('close', () => {
    if (!isComplete) finish(undefined)
  })
}

export function describeTooLarge(maxBytes: number): Refusal {
  return { status: 413, reason: `The body is larger than ${maxBytes} bytes` }
}

/** For a body that was read already. */
export function checkBodySize(body: string, maxBytes: number): string | Refusal {
  return Buffer.byteLength(body) > maxBytes ? describeTooLarge(maxBytes) : body
}

/** Whether the Content-Length exceeds the limit. */
export function exceedsContentLength({ headers }: IncomingMessage, maxBytes: number): boolean {
  return Number(headers['content-length']) > maxBytes
}

function decodeBody(chunks: readonly Buffer[]): string | Refusal {
  const [first] = chunks
  const bytes = chunks.length === 1 && first ? first : Buffer.concat(chunks)
  if (bytes.length === 0) return { status: 400, reason: 'The body is empty; send one JSON-RPC message' }
  if (!isUtf8(bytes)) return { status: 400, reason: 'Parse error: the body is not valid UTF-8' }
  const text = bytes.toString()
  return text.startsWith('\uFEFF') ? text.slice(1) : text
}
