// Reads a response: its headers and its body, decompressed and bounded, complete or as far as it arrived. No layer of
// compression may exceed the limit, and nothing more is read once one has. Used by follow-redirects.ts.

import type { IncomingMessage } from 'node:http'
import { type Readable, Transform } from 'node:stream'
import * as zlib from 'node:zlib'

import { errorMessage } from '@scorpiox/mcp/errors'
import { FetchFailure, type FetchFailureKind } from './fetch-failure.js'
import type { FetchRequest, FetchResponse } from './guarded-fetch.js'
import type { HttpClientRequest } from './http-client.js'

/** No legitimate server uses more layers. */
const MAX_LAYERS = 3

/** The value of the Accept-Encoding header. */
export function acceptEncodingHeader(): string {
  return ['gzip', 'deflate', 'br', ...(findZstdDecoder(zlib) ? ['zstd'] : [])].join(', ')
}

/** The streams to pipe a body that begins like this through, in order; none if it is not compressed. */
function createDecoders(contentEncoding: string, firstBytes: Buffer): readonly Transform[] {
  const layers = contentEncoding
    .toLowerCase()
    .split(',')
    .map((layer) => layer.trim())
    .filter((layer) => layer !== '' && layer !== 'identity')
  if (layers.length > MAX_LAYERS) throw new FetchFailure('broken', 'its body has too many layers of compression.')
  return layers.toReversed().map((layer, index) => createDecoder(layer, index === 0 ? firstBytes : undefined))
}

function createDecoder(layer: string, firstBytes: Buffer | undefined): Transform {
  if (layer === 'gzip' || layer === 'x-gzip') return zlib.createGunzip()
  if (layer === 'br') return zlib.createBrotliDecompress()
  if (layer === 'deflate') return hasZlibHeader(firstBytes) ? zlib.createInflate() : zlib.createInflateRaw()
  const zstd = layer === 'zstd' ? findZstdDecoder(zlib) : undefined
  if (zstd) return zstd()
  throw new FetchFailure(
    'broken',
    `its body is compressed as ${JSON.stringify(layer.slice(0, 40))}, which is not supported.`,
  )
}

/** "deflate" has a zlib header of two bytes; some servers omit it. */
function hasZlibHeader(firstBytes: Buffer | undefined): boolean {
  return ((firstBytes?.[0] ?? 8) & 0x0f) === 8
}

/** Only newer versions of Node.js have it. */
function findZstdDecoder(library: object): (() => Transform) | undefined {
  if (!('createZstdDecompress' in library)) return undefined
  const { createZstdDecompress } = library
  if (typeof createZstdDecompress !== 'function') return undefined
  return () => {
    const stream: unknown = createZstdDecompress()
    if (stream instanceof Transform) return stream
    throw new Error('createZstdDecompress did not return a stream')
  }
}

/** Compressed data may be this much larger than its content. */
const COMPRESSION_SLACK = 256 * 1024

interface ResponseBody {
  readonly bytes: Buffer
  /** Why the body is not complete. */
  readonly endedBy?: FetchFailure
}

/** If the body ends early, what was read by then is kept. */
function readResponseBody(response: IncomingMessage, maxBytes: number, signal: AbortSignal): Promise<ResponseBody> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = []
    const streams: Readable[] = [response]
    let size = 0
    const finish = (endedBy?: FetchFailure): void => {
      signal.removeEventListener('abort', stop)
      // Destroying an unread response closes its connection; a response that was read completely leaves it reusable.
      if (endedBy) for (const stream of streams) stream.destroy()
      resolve({ bytes: Buffer.concat(chunks), ...(endedBy && { endedBy }) })
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
  const decoders = createDecoders(response.headers['content-encoding'] ?? '', firstBytes)
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
      fail(new FetchFailure('broken', `its body cannot be decompressed (${errorMessage(error)}).`)),
    )
    source = source.pipe(decoder)
  }
  return decoders
}

function tooLargeFailure(maxBytes: number): FetchFailure {
  return new FetchFailure('too-large', `its body is larger than ${maxBytes} bytes.`)
}

function toFetchFailure(reason: unknown): FetchFailure {
  return reason instanceof FetchFailure ? reason : new FetchFailure('broken', errorMessage(reason))
}

const MAX_BYTES = 10 * 1024 * 1024

export async function readResponse(
  response: IncomingMessage,
  { url }: HttpClientRequest,
  redirects: readonly string[],
  { maxBytes = MAX_BYTES, acceptsPartial = false }: FetchRequest,
  signal: AbortSignal,
): Promise<FetchResponse> {
  const { bytes, endedBy } = await readResponseBody(response, maxBytes, signal)
  const truncatedBy = endedBy && TRUNCATION_REASONS.get(endedBy.kind)
  if (endedBy && !(acceptsPartial && truncatedBy)) throw endedBy
  return {
    url: url.href,
    redirects,
    status: response.statusCode ?? 0,
    headers: toHeaders(response),
    bytes,
    ...(truncatedBy && { truncatedBy }),
  }
}

const TRUNCATION_REASONS: ReadonlyMap<FetchFailureKind, NonNullable<FetchResponse['truncatedBy']>> = new Map([
  ['too-large', 'size'],
  ['timeout', 'time'],
  ['broken', 'broken'],
])

function toHeaders({ rawHeaders }: IncomingMessage): Headers {
  const headers = new Headers()
  for (let index = 0; index < rawHeaders.length; index += 2) {
    try {
      headers.append(rawHeaders[index] ?? '', rawHeaders[index + 1] ?? '')
    } catch {
      // Node's parser accepts a few invalid header names and values.
    }
  }
  return headers
}
