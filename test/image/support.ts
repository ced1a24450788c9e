// Shared by the ReadImage tests: a call, its pixels, and the memory of the server and its workers.

import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'

import sharp from 'sharp'
import { onTestFinished } from 'vitest'

import { type Json, resultData, type StartOptions, startServer, type TestClient } from '../support/client.js'

export interface ImageResult {
  readonly isError: boolean
  readonly text: string
  readonly image: { readonly data: string; readonly mimeType: string } | undefined
  readonly structured: Json
}

export async function openServer(options: StartOptions = {}): Promise<TestClient> {
  const client = startServer(options)
  onTestFinished(async () => void (await client.close()))
  await client.initialize('2025-11-25')
  return client
}

export async function readImage(client: TestClient, path: string, more: object = {}): Promise<ImageResult> {
  const answer = await client.request('tools/call', { name: 'ReadImage', arguments: { file_path: path, ...more } })
  if (answer.error !== undefined) throw new Error(`${path}: ${JSON.stringify(answer.error)}`)
  const { content, isError } = answer.result
  const texts = content.filter(({ type }: Json) => type === 'text').map(({ text }: Json) => text)
  return {
    isError,
    text: texts.join('\n'),
    image: content.find(({ type }: Json) => type === 'image'),
    structured: resultData(answer.result),
  }
}

export interface Pixels {
  readonly width: number
  readonly height: number
  at(x: number, y: number): readonly number[]
}

/** The pixels of the returned image. */
export async function decodeImage({ image, text }: ImageResult): Promise<Pixels> {
  if (!image) throw new Error(`no image was shown: ${text}`)
  const { data, info } = await sharp(Buffer.from(image.data, 'base64')).raw().toBuffer({ resolveWithObject: true })
  const { width, height, channels } = info
  return {
    width,
    height,
    at: (x, y) => [...data.subarray((y * width + x) * channels, (y * width + x) * channels + 3)],
  }
}

/** Within the error of a JPEG. */
export function isNear(one: readonly number[], other: readonly number[]): boolean {
  return one.every((value, index) => Math.abs(value - (other[index] ?? 0)) < 24)
}

export function peakMegabytes(pid: number | undefined, field: 'VmHWM' | 'VmRSS' = 'VmHWM'): number {
  const path = `/proc/${pid}/status`
  const status = existsSync(path) ? readFileSync(path, 'utf8') : ''
  return Number(new RegExp(`${field}:\\s+(\\d+)`).exec(status)?.[1] ?? 0) / 1024
}

/** Resets the peak to the current value. */
export function forgetPeak(pid: number): void {
  const path = `/proc/${pid}/clear_refs`
  try {
    if (existsSync(path)) writeFileSync(path, '5')
  } catch {
    // The process exited in the meantime.
  }
}

export function childrenOf(pid: number | undefined): readonly number[] {
  const folder = `/proc/${pid}/task`
  if (!existsSync(folder)) return []
  return readdirSync(folder).flatMap((thread) => readChildren(`${folder}/${thread}/children`))
}

/** None if the thread has ended in the meantime. */
function readChildren(path: string): readonly number[] {
  try {
    return readFileSync(path, 'utf8').split(' ').filter(Boolean).map(Number)
  } catch {
    return []
  }
}
