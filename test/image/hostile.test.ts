// What is put before ReadImage to harm it: every outcome is an image or a sentence, soon, and the server stays small.

import { writeFileSync } from 'node:fs'
import { join } from 'node:path'

import fc from 'fast-check'
import { expect, onTestFinished, test } from 'vitest'

import { emptyFolder, HAS_PROC } from '../support.js'
import { CANARY, makeCorpus, makeSamples, openSocket } from './corpus.js'
import { childrenOf, look, openServer, peakMegabytes } from './support.js'

const MOST_MEGABYTES = 150

test('hostile files and paths: no crash, no leak, no growth', { timeout: 240_000 }, async () => {
  const folder = emptyFolder()
  const socket = await openSocket(folder)
  onTestFinished(() => void socket.close())
  const cases = await makeCorpus(folder)
  expect(cases.length).toBeGreaterThan(150)
  const client = await openServer({ cwd: folder, env: { SECRET_OF_THE_SERVER: CANARY } })
  const before = peakMegabytes(client.child.pid)
  const wrong: string[] = []
  for (const { name, path, outcome } of cases) {
    const { isError, text, image } = await look(client, path)
    const said = `${name}: ${isError ? 'failed' : 'shown'}: ${text.slice(0, 200)}`
    if (outcome === 'image' ? isError : outcome !== 'either' && !(isError && outcome.test(text))) wrong.push(said)
    if (text.includes(CANARY) || text.length > 1000) wrong.push(`leaks ${said}`)
    if (isError === (image !== undefined)) wrong.push(`neither image nor failure ${said}`)
    if ((image?.data.length ?? 0) > 1_000_000) wrong.push(`too large ${said}`)
  }
  expect(wrong).toEqual([])
  expect(client.stderr()).toBe('')
  if (HAS_PROC) expect(peakMegabytes(client.child.pid) - before).toBeLessThan(MOST_MEGABYTES)
})

test('images with any bytes changed are an image or a sentence', { timeout: 120_000 }, async () => {
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
      const { isError, image, text } = await look(client, path)
      expect(isError).toBe(image === undefined)
      expect(text).not.toBe('')
    },
  )
  await fc.assert(property, { numRuns: 150 })
  expect(childrenOf(client.child.pid).length).toBeLessThanOrEqual(2)
})
