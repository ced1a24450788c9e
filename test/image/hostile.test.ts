// Hostile input of ReadImage: every outcome is an image or a message, in time, and the memory of the server stays
// bounded.

import { writeFileSync } from 'node:fs'
import { join } from 'node:path'

import fc from 'fast-check'
import { expect, onTestFinished, test } from 'vitest'

import { childrenOf, emptyFolder, type TestClient } from '../support/client.js'
import { MEMORY_SLACK } from '../support/runtime.js'
import { CANARY, makeCorpus, makeSamples, openSocket } from './hostile-corpus.js'
import { forgetPeak, openServer, peakMegabytes, readImage } from './support.js'

/** The memory of the server and its image worker, minus that after a harmless image. */
const MOST_MEGABYTES = 150 * MEMORY_SLACK
/** Drawings and documents are programs, and legitimate ones need more: a page scanned at 600 dpi half a gigabyte. */
const MOST_FOR_PROGRAMS = 260 * MEMORY_SLACK

test('a sample of the hostile files and paths: no crash, no leak, no growth', () => readHostileFiles(10))

test('all hostile files and paths: no crash, no leak, no growth', { tags: ['long'] }, () => readHostileFiles(1))

/** Reads each `step`th case of the corpus. */
async function readHostileFiles(step: number): Promise<void> {
  const folder = emptyFolder()
  const socket = await openSocket(folder)
  onTestFinished(() => void socket.close())
  const cases = await makeCorpus(folder)
  expect(cases.length).toBeGreaterThan(150)
  const client = await openServer({ cwd: folder, env: { SECRET_OF_THE_SERVER: CANARY } })
  await readImage(client, join(folder, 'sound.png'))
  const server = peakMegabytes(client.child.pid)
  const imageWorker = watchWorkers(client)
  const warm = imageWorker.peak()
  const wrong: string[] = []
  const measure = async (path: string) => {
    imageWorker.forget()
    forgetPeak(client.child.pid ?? 0)
    const result = await readImage(client, path)
    return { result, grown: peakMegabytes(client.child.pid) - server + imageWorker.peak() - warm }
  }
  for (const { name, path, outcome } of cases.filter((_, index) => index % step === 0)) {
    const limit = /^(svg|pdf)/.test(name) ? MOST_FOR_PROGRAMS : MOST_MEGABYTES
    const first = await measure(path)
    const { isError, text, image } = first.result
    // A peak that depends on when garbage was collected does not come twice.
    const grown = first.grown > limit ? (await measure(path)).grown : first.grown
    if (grown > limit) wrong.push(`${name} took ${first.grown} MB, then ${grown} MB`)
    const output = `${name}: ${isError ? 'failed' : 'shown'}: ${text.slice(0, 200)}`
    if (outcome === 'image' ? isError : outcome !== 'either' && !(isError && outcome.test(text))) wrong.push(output)
    if (text.includes(CANARY) || text.length > 1000) wrong.push(`leaks ${output}`)
    if (isError === (image !== undefined)) wrong.push(`neither image nor failure ${output}`)
    if ((image?.data.length ?? 0) > 1_000_000) wrong.push(`too large ${output}`)
  }
  expect(wrong).toEqual([])
  expect(client.stderr()).toBe('')
}

/** The peak since the last reset; an exited process is measured until shortly before. */
function watchWorkers({ child }: TestClient): { peak(): number; forget(): void } {
  let most = 0
  const note = (): void => childrenOf(child.pid).forEach((pid) => (most = Math.max(most, peakMegabytes(pid))))
  const timer = setInterval(note, 5)
  onTestFinished(() => clearInterval(timer))
  return {
    peak() {
      note()
      return most
    },
    forget() {
      most = 0
      for (const pid of childrenOf(child.pid)) forgetPeak(pid)
    },
  }
}

test('images with any bytes changed give an image or a message', async () => {
  const samples = Object.values(await makeSamples()).map((bytes: Buffer) => bytes)
  const path = join(emptyFolder(), 'changed')
  const client = await openServer()
  const change = fc.tuple(fc.nat(), fc.integer({ min: 0, max: 255 }))
  const property = fc.asyncProperty(
    fc.constantFrom(...samples),
    fc.array(change, { minLength: 1, maxLength: 8 }),
    async (sample, changes) => {
      const bytes = Buffer.from(sample)
      for (const [where, value] of changes) bytes[where % bytes.length] = value
      writeFileSync(path, bytes)
      const { isError, image, text } = await readImage(client, path)
      expect(isError).toBe(image === undefined)
      expect(text).not.toBe('')
    },
  )
  await fc.assert(property, { numRuns: 150 })
  expect(childrenOf(client.child.pid).length).toBeLessThanOrEqual(2)
})
