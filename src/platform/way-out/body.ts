// Reads the body of an answer, decompressed and bounded: no layer of it may become larger than allowed, and nothing more
// is taken from the wire once one has. Whatever ends it early, what was there by then is kept.

import type { IncomingMessage } from 'node:http'
import type { Readable } from 'node:stream'

import { reasonOf } from '../../lib/reason-of.js'
import { decodersFor } from './decoding.js'
import { FetchFailure } from './fetch-failure.js'

/** What is packed may be this much larger than what comes out of it. */
const PACKED_SLACK = 256 * 1024

export interface Body {
  readonly bytes: Buffer
  /** Why there is not more of it. */
  readonly ended?: FetchFailure
}

export function readBody(answer: IncomingMessage, maxBytes: number, signal: AbortSignal): Promise<Body> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = []
    const stages: Readable[] = [answer]
    let size = 0
    const finish = (ended?: FetchFailure): void => {
      signal.removeEventListener('abort', stop)
      // Destroyed unread, an answer takes its connection with it; one that was read whole lets others use it.
      if (ended) for (const stage of stages) stage.destroy()
      resolve({ bytes: Buffer.concat(chunks), ...(ended && { ended }) })
    }
    const stop = (): void => finish(asFailure(signal.reason))
    signal.addEventListener('abort', stop)
    let cutOff: FetchFailure | undefined
    // A decoder that was cut off says so when it has given all it has.
    answer.on('error', (error) => {
      cutOff = new FetchFailure('broken', 'it hung up in the middle.', { cause: error })
      if (stages.length === 1) finish(cutOff)
    })
    // An empty one ends without having been readable.
    answer.once('end', () => stages.length === 1 && finish(cutOff))
    if (signal.aborted) return stop()
    answer.once('readable', () => {
      try {
        stages.push(...connect(answer, maxBytes, (failure) => finish(cutOff ?? failure)))
      } catch (error) {
        return finish(asFailure(error))
      }
      stages.at(-1)?.on('data', (chunk: Buffer) => {
        size += chunk.length
        if (size > maxBytes) chunks.push(chunk.subarray(0, chunk.length - (size - maxBytes)))
        else chunks.push(chunk)
        if (size > maxBytes) finish(tooLarge(maxBytes))
      })
      return stages.at(-1)?.once('end', () => finish(cutOff))
    })
    return undefined
  })
}

function connect(
  answer: IncomingMessage,
  maxBytes: number,
  fail: (failure: FetchFailure) => void,
): readonly Readable[] {
  const beginning: unknown = answer.read()
  if (!Buffer.isBuffer(beginning)) return []
  answer.unshift(beginning)
  const decoders = decodersFor(answer.headers['content-encoding'] ?? '', beginning)
  let source: Readable = answer
  for (const decoder of decoders) {
    let size = 0
    source.on('data', (chunk: Buffer) => {
      size += chunk.length
      if (size > maxBytes + PACKED_SLACK) fail(tooLarge(maxBytes))
    })
    // What came before it was cut off is still decoded.
    source.once('error', () => decoder.end())
    decoder.on('error', (error) =>
      fail(new FetchFailure('broken', `its body cannot be decompressed (${reasonOf(error)}).`)),
    )
    source = source.pipe(decoder)
  }
  return decoders
}

function tooLarge(maxBytes: number): FetchFailure {
  return new FetchFailure('too-large', `its body is larger than ${maxBytes} bytes.`)
}

function asFailure(reason: unknown): FetchFailure {
  return reason instanceof FetchFailure ? reason : new FetchFailure('broken', reasonOf(reason))
}
