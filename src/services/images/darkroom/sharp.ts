// The library that decodes and encodes: without a cache, since no image comes twice, and with two threads.

import type { Sharp, SharpOptions } from 'sharp'

import { Failure } from '../../../lib/failure.js'
import { oneLine } from '../../../lib/one-line.js'
import { reasonOf } from '../../../lib/reason-of.js'
import { loaded } from './missing-package.js'

export type Open = (input: Buffer, options?: SharpOptions) => Sharp

let opening: Promise<Open> | undefined

export function loadSharp(): Promise<Open> {
  return (opening ??= load())
}

async function load(): Promise<Open> {
  const { default: sharp } = await loaded('sharp', () => import('sharp'))
  sharp.cache(false)
  sharp.concurrency(2)
  return sharp
}

/** What a decoder says of an image is about the image. */
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
