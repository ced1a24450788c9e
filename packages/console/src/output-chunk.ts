// Reads a chunk of a job's output as raw bytes from disk, and encodes it for transfer between processes. Read by
// server-feed; sent by console-socket and received by feed-connections. Reads through the job.

import { isJsonObject } from '@scorpiox/mcp/json/json'
import type { Job } from '@scorpiox/server/features/shell/index'

/** Limit per request. */
export const MAX_CHUNK_BYTES = 256 * 1024

export interface OutputChunk {
  /** Offset of the first byte; greater than requested if bytes were dropped. */
  readonly from: number
  readonly bytes: Buffer
  /** Bytes printed so far. */
  readonly size: number
  /** False: nothing more will be printed, and `size` is final. */
  readonly isRunning: boolean
}

export interface EncodedOutputChunk extends Omit<OutputChunk, 'bytes'> {
  /** The bytes in Base64. */
  readonly base64: string
}

export async function readOutputChunk(job: Job, from: number, maxBytes: number): Promise<OutputChunk> {
  // Read first: output printed after this is returned by the next request.
  const { isRunning } = job
  await job.flush()
  const chunk = await job.output.read(from, Math.min(maxBytes, MAX_CHUNK_BYTES))
  return { ...chunk, size: await job.output.size(), isRunning }
}

export function encodeOutputChunk({ bytes, from, size, isRunning }: OutputChunk): EncodedOutputChunk {
  return { from, size, isRunning, base64: bytes.toString('base64') }
}

export function decodeOutputChunk({ base64, from, size, isRunning }: EncodedOutputChunk): OutputChunk {
  return { from, size, isRunning, bytes: Buffer.from(base64, 'base64') }
}

export function parseEncodedOutputChunk(value: unknown): EncodedOutputChunk | undefined {
  if (!isJsonObject(value)) return undefined
  const { from, size, isRunning, base64 } = value
  if (typeof from !== 'number' || typeof size !== 'number' || typeof isRunning !== 'boolean') return undefined
  return typeof base64 === 'string' ? { from, size, isRunning, base64 } : undefined
}
