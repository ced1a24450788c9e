// Loads sharp, without its cache because no image is decoded twice, and with two threads; maps decode errors.

import type { Sharp, SharpOptions } from 'sharp'

import { errorMessage, Failure } from '@scorpiox/mcp/errors'
import { toSingleLine } from '../../../text/single-line.js'
import { loadOptionalPackage } from './optional-package.js'

export type OpenSharp = (input: Buffer, options?: SharpOptions) => Sharp

let loading: Promise<OpenSharp> | undefined

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
  return new Failure(`is damaged or cut short and cannot be decoded (${toSingleLine(errorMessage(error), 160)})`)
}
