// Loads sharp and the optional packages of the image worker. An error names a package that is missing. Turns errors of
// decoders into failures of the file. Imports packages; no other I/O.

import type { Sharp, SharpOptions } from 'sharp'

import { errorMessage, Failure } from '@scorpiox/mcp/errors'
import { toSingleLine } from '../../../text/format.js'
import type { OptionalPackage } from '../image-types.js'

export type OpenSharp = (input: Buffer, options?: SharpOptions) => Sharp

let loading: Promise<OpenSharp> | undefined

/** Without its cache, because no image is decoded twice, and with two threads. */
export function loadSharp(): Promise<OpenSharp> {
  return (loading ??= loadAndConfigure())
}

async function loadAndConfigure(): Promise<OpenSharp> {
  const { default: sharp } = await loadOptionalPackage('sharp', () => import('sharp'))
  sharp.cache(false)
  sharp.concurrency(2)
  return sharp
}

/** Decoder errors are failures of the image file. */
export async function withDecodeErrors<T>(work: Promise<T>): Promise<T> {
  try {
    return await work
  } catch (error) {
    throw damagedImageFailure(error)
  }
}

export function damagedImageFailure(error: unknown): Failure {
  return new Failure(`is damaged or truncated and cannot be decoded (${toSingleLine(errorMessage(error), 160)})`)
}

/** An optional package is not installed, or cannot be loaded. */
export class MissingPackageError extends Error {
  constructor(readonly packageName: OptionalPackage) {
    super(`${packageName} is not installed`)
  }
}

/** Any load error counts as missing, because reinstalling is the remedy. */
export async function loadOptionalPackage<T>(name: OptionalPackage, load: () => Promise<T>): Promise<T> {
  try {
    return await load()
  } catch {
    throw new MissingPackageError(name)
  }
}
