// Decompresses the body of a response, chunk by chunk.

import { Transform } from 'node:stream'
import * as zlib from 'node:zlib'

import { FetchFailure } from './fetch-failure.js'

/** No legitimate server uses more layers. */
const MAX_LAYERS = 3

/** The value of the Accept-Encoding header. */
export function acceptedEncodings(): string {
  return ['gzip', 'deflate', 'br', ...(findZstdDecoder(zlib) ? ['zstd'] : [])].join(', ')
}

/** The streams to pipe a body that begins like this through, in order; none if it is not compressed. */
export function decodersFor(contentEncoding: string, firstBytes: Buffer): readonly Transform[] {
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
