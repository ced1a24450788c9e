// Loads sharp, without its cache because no image is decoded twice, and with two threads; maps decode errors.

import type { Sharp, SharpOptions } from 'sharp'

import { Failure } from '../../../lib/failure.js'
import { oneLine } from '../../../lib/one-line.js'
import { reasonOf } from '../../../lib/reason-of.js'
import { loaded } from './missing-package.js'

export type Open = (input: Buffer, options?: SharpOptions) => Sharp

let loading: Promise<Open> | undefined

export function loadSharp(): Promise<Open> {
  return (loading ??= loadAndConfigure())
}

async function loadAndConfigure(): Promise<Open> {
  const { default: sharp } = await loaded('sharp', () => import('sharp'))
  sharp.cache(false)
  sharp.concurrency(2)
  return sharp
}

/** Decoder errors are failures of the image file. */
export async function decoding<T>(work: Promise<T>): Promise<T> {
  try {
    return await work
  } catch (error) {
    throw damaged(error)
  }
}

export function damaged(error: unknown): Failure {
  return new Failure(`is damaged or cut short and cannot be decoded (${oneLine(reasonOf(error), 160)})`)
}
