// A chunk of a job's output as raw bytes: read from disk, and encoded for transfer between processes.

import { isObject } from '../../lib/json.js'
import type { Job } from '../jobs/job.js'

/** Limit per request. */
export const MAX_PASSAGE_BYTES = 256 * 1024

export interface OutputPassage {
  /** Offset of the first byte; greater than requested if bytes were dropped. */
  readonly from: number
  readonly bytes: Buffer
  /** Bytes printed so far. */
  readonly size: number
  /** False: nothing more will be printed, and `size` is final. */
  readonly isRunning: boolean
}

export interface WirePassage extends Omit<OutputPassage, 'bytes'> {
  /** The bytes in Base64. */
  readonly base64: string
}

export async function readPassage(job: Job, from: number, maxBytes: number): Promise<OutputPassage> {
  // Read first: output printed after this is returned by the next request.
  const { isRunning } = job
  await job.flush()
  const passage = await job.output.read(from, Math.min(maxBytes, MAX_PASSAGE_BYTES))
  return { ...passage, size: await job.output.size(), isRunning }
}

export function toWirePassage({ bytes, from, size, isRunning }: OutputPassage): WirePassage {
  return { from, size, isRunning, base64: bytes.toString('base64') }
}

export function fromWirePassage({ base64, from, size, isRunning }: WirePassage): OutputPassage {
  return { from, size, isRunning, bytes: Buffer.from(base64, 'base64') }
}

export function readWirePassage(value: unknown): WirePassage | undefined {
  if (!isObject(value)) return undefined
  const { from, size, isRunning, base64 } = value
  if (typeof from !== 'number' || typeof size !== 'number' || typeof isRunning !== 'boolean') return undefined
  return typeof base64 === 'string' ? { from, size, isRunning, base64 } : undefined
}
