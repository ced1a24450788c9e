// Reads the body of a response, decompressed and bounded: no layer may exceed the limit, and nothing more is read once
// one has. If it ends early, what was read by then is kept.

import type { IncomingMessage } from 'node:http'
import type { Readable } from 'node:stream'

import { reasonOf } from '../../lib/reason-of.js'
import { decodersFor } from './decoding.js'
import { FetchFailure } from './fetch-failure.js'

/** Compressed data may be this much larger than its content. */
const COMPRESSION_SLACK = 256 * 1024

interface Body {
  readonly bytes: Buffer
  /** Why the body is not complete. */
  readonly ended?: FetchFailure
}

export function readBody(response: IncomingMessage, maxBytes: number, signal: AbortSignal): Promise<Body> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = []
    const streams: Readable[] = [response]
    let size = 0
    const finish = (endedBy?: FetchFailure): void => {
      signal.removeEventListener('abort', stop)
      // Destroying an unread response closes its connection; a response that was read completely leaves it reusable.
      if (endedBy) for (const stream of streams) stream.destroy()
      resolve({ bytes: Buffer.concat(chunks), ...(endedBy && { ended: endedBy }) })
    }
    const stop = (): void => finish(toFetchFailure(signal.reason))
    signal.addEventListener('abort', stop)
    let cutOff: FetchFailure | undefined
    // A decoder whose input was cut off reports that after it has returned all its data.
    response.on('error', (error) => {
      cutOff = new FetchFailure('broken', 'the connection was closed before the end of the response.', { cause: error })
      if (streams.length === 1) finish(cutOff)
    })
    // An empty body ends without a `readable` event.
    response.once('end', () => streams.length === 1 && finish(cutOff))
    if (signal.aborted) return stop()
    response.once('readable', () => {
      try {
        streams.push(...pipeThroughDecoders(response, maxBytes, (failure) => finish(cutOff ?? failure)))
      } catch (error) {
        return finish(toFetchFailure(error))
      }
      streams.at(-1)?.on('data', (chunk: Buffer) => {
        size += chunk.length
        if (size > maxBytes) chunks.push(chunk.subarray(0, chunk.length - (size - maxBytes)))
        else chunks.push(chunk)
        if (size > maxBytes) finish(tooLargeFailure(maxBytes))
      })
      return streams.at(-1)?.once('end', () => finish(cutOff))
    })
    return undefined
  })
}

function pipeThroughDecoders(
  response: IncomingMessage,
  maxBytes: number,
  fail: (failure: FetchFailure) => void,
): readonly Readable[] {
  const firstBytes: unknown = response.read()
  if (!Buffer.isBuffer(firstBytes)) return []
  response.unshift(firstBytes)
  const decoders = decodersFor(response.headers['content-encoding'] ?? '', firstBytes)
  let source: Readable = response
  for (const decoder of decoders) {
    let size = 0
    source.on('data', (chunk: Buffer) => {
      size += chunk.length
      if (size > maxBytes + COMPRESSION_SLACK) fail(tooLargeFailure(maxBytes))
    })
    // What arrived before the connection was closed is still decoded.
    source.once('error', () => decoder.end())
    decoder.on('error', (error) =>
      fail(new FetchFailure('broken', `its body cannot be decompressed (${reasonOf(error)}).`)),
    )
    source = source.pipe(decoder)
  }
  return decoders
}

function tooLargeFailure(maxBytes: number): FetchFailure {
  return new FetchFailure('too-large', `its body is larger than ${maxBytes} bytes.`)
}

function toFetchFailure(reason: unknown): FetchFailure {
  return reason instanceof FetchFailure ? reason : new FetchFailure('broken', reasonOf(reason))
}
