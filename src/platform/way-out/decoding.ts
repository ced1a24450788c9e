// Undoes the compression of an answer's body, chunk by chunk.

import { Transform } from 'node:stream'
import * as zlib from 'node:zlib'

import { FetchFailure } from './fetch-failure.js'

/** More layers than anybody sends honestly. */
const MAX_LAYERS = 3

/** What to ask for. */
export function acceptedEncodings(): string {
  return ['gzip', 'deflate', 'br', ...(zstdOf(zlib) ? ['zstd'] : [])].join(', ')
}

/** The streams to send a body that begins so through, in this order; none if it is not compressed. */
export function decodersFor(contentEncoding: string, beginning: Buffer): readonly Transform[] {
  const layers = contentEncoding
    .toLowerCase()
    .split(',')
    .map((layer) => layer.trim())
    .filter((layer) => layer !== '' && layer !== 'identity')
  if (layers.length > MAX_LAYERS) throw new FetchFailure('broken', 'its body is compressed again and again.')
  return layers.toReversed().map((layer, index) => decoderFor(layer, index === 0 ? beginning : undefined))
}

function decoderFor(layer: string, beginning: Buffer | undefined): Transform {
  if (layer === 'gzip' || layer === 'x-gzip') return zlib.createGunzip()
  if (layer === 'br') return zlib.createBrotliDecompress()
  if (layer === 'deflate') return hasHead(beginning) ? zlib.createInflate() : zlib.createInflateRaw()
  const zstd = layer === 'zstd' ? zstdOf(zlib) : undefined
  if (zstd) return zstd()
  throw new FetchFailure(
    'broken',
    `its body is compressed as ${JSON.stringify(layer.slice(0, 40))}, which is unknown here.`,
  )
}

/** "deflate" means with a head of two bytes; some servers send it without. */
function hasHead(beginning: Buffer | undefined): boolean {
  return ((beginning?.[0] ?? 8) & 0x0f) === 8
}

/** Only newer versions of Node have it. */
function zstdOf(library: object): (() => Transform) | undefined {
  if (!('createZstdDecompress' in library)) return undefined
  const { createZstdDecompress } = library
  if (typeof createZstdDecompress !== 'function') return undefined
  return () => {
    const stream: unknown = createZstdDecompress()
    if (stream instanceof Transform) return stream
    throw new Error('zstd is no stream')
  }
}
