import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

import { expect, test } from 'vitest'

import { eventually } from '../../../../../test/support/eventually.js'
import { openJobOutputReader } from './output-reader.js'
import { createJobOutputWriter } from './output-writer.js'

const newFolder = (): string => join(mkdtempSync(join(tmpdir(), 'scorpiox-reader-')), '1', 'output')

function bytesAt(from: number, length: number): Buffer {
  return Buffer.from(Uint8Array.from({ length }, (_, index) => ((from + index) * 2_654_435_761) >>> 16))
}

function writeSegments(folder: string, segments: Record<number, string>): void {
  mkdirSync(folder, { recursive: true })
  for (const [start, text] of Object.entries(segments)) writeFileSync(join(folder, start.padStart(15, '0')), text)
}

test('is empty if the job has printed nothing', async () => {
  const reader = openJobOutputReader(newFolder())
  expect(await reader.size()).toBe(0)
  expect(await reader.read(0, 10)).toEqual({ from: 0, bytes: Buffer.alloc(0) })
  expect(await reader.read(7, 10)).toEqual({ from: 7, bytes: Buffer.alloc(0) })
})

test('a chunk spans segments and ends at a gap; after a gap `from` is greater', async () => {
  const folder = newFolder()
  writeSegments(folder, { 0: 'abc', 3: 'def', 10: 'klm', 13: '', 20: 'u' })
  const reader = openJobOutputReader(folder)
  const read = async (from: number, max: number): Promise<[number, string]> => {
    const passage = await reader.read(from, max)
    return [passage.from, passage.bytes.toString()]
  }
  expect(await read(0, 100)).toEqual([0, 'abcdef'])
  expect(await read(2, 2)).toEqual([2, 'cd'])
  expect(await read(6, 100)).toEqual([10, 'klm'])
  expect(await read(8, 1)).toEqual([10, 'k'])
  expect(await read(12, 100)).toEqual([12, 'm'])
  expect(await read(13, 100)).toEqual([20, 'u'])
  expect(await read(21, 100)).toEqual([21, ''])
  expect(await read(99, 100)).toEqual([99, ''])
  expect(await read(0, 0)).toEqual([0, ''])
  expect(await reader.size()).toBe(21)
})

test('ignores files that are not segments', async () => {
  const folder = newFolder()
  writeSegments(folder, { 0: 'abc' })
  writeFileSync(join(folder, '000000000000003.tmp'), 'x')
  mkdirSync(join(folder, '000000000000003'))
  symlinkSync('/etc/passwd', join(folder, '000000000000004'))
  const reader = openJobOutputReader(folder)
  expect(await reader.read(0, 100)).toEqual({ from: 0, bytes: Buffer.from('abc') })
  expect(await reader.read(3, 100)).toEqual({ from: 3, bytes: Buffer.alloc(0) })
  expect(await reader.size()).toBe(3)
})

test('an unreadable folder is a Failure', async () => {
  const path = join(mkdtempSync(join(tmpdir(), 'scorpiox-reader-')), 'file')
  writeFileSync(path, '')
  await expect(openJobOutputReader(path).size()).rejects.toThrow(/cannot be read \(ENOTDIR.*\); make it readable/)
})

test('reads every byte correctly and once while another process writes', async () => {
  const path = mkdtempSync(join(tmpdir(), 'scorpiox-beside-'))
  const { rolldown } = await import('rolldown')
  const build = await rolldown({
    input: resolve(import.meta.dirname, 'output-writer.ts'),
    platform: 'node',
    resolve: { conditionNames: ['@scorpiox/source', 'import', 'default'] },
  })
  await build.write({ file: join(path, 'output-writer.mjs'), format: 'esm' })
  writeFileSync(
    join(path, 'run.mjs'),
    `import { createJobOutputWriter } from './output-writer.mjs'
     const bytesAt = ${bytesAt.toString()}
     const writer = createJobOutputWriter(process.argv[2], 200_000)
     while (writer.bytesAppended < 3_000_000) {
       const size = 1 + Math.floor(Math.random() ** 4 * 30_000)
       if (!writer.append(bytesAt(writer.bytesAppended, size))) await writer.whenDrained()
       if (Math.random() < 0.2) await new Promise((resolve) => setTimeout(resolve, 1))
     }
     await writer.close()
     console.log(writer.bytesAppended)`,
  )
  const folder = join(path, 'output')
  const child = spawn(process.execPath, [join(path, 'run.mjs'), folder], { stdio: ['ignore', 'pipe', 'inherit'] })
  const delivered: Buffer[] = []
  child.stdout.on('data', (chunk: Buffer) => delivered.push(chunk))
  let ended = false
  const closed = once(child, 'close').then((result) => {
    ended = true
    return result
  })
  const reader = openJobOutputReader(folder)
  let [at, read, gaps] = [0, 0, 0]
  for (;;) {
    const wasOver = ended
    const { from, bytes } = await reader.read(at, 1 + Math.floor(Math.random() * 60_000))
    expect(bytes.equals(bytesAt(from, bytes.length))).toBe(true)
    if (from > at) gaps++
    at = from + bytes.length
    read += bytes.length
    if (wasOver && bytes.length === 0) break
    // Sometimes it falls behind, so that segments are dropped.
    if (Math.random() < 0.1) await sleep(5)
  }
  expect(await closed).toEqual([0, null])
  expect(at).toBe(Number(Buffer.concat(delivered)))
  expect(read).toBeGreaterThan(200_000)
  expect(read === at).toBe(gaps === 0)
})

test('skips a segment that is deleted between listing and reading', async () => {
  const folder = newFolder()
  const reader = openJobOutputReader(folder)
  for (let round = 0; round < 100; round++) {
    writeSegments(folder, { 0: 'ab', 2: 'cd', 4: 'ef' })
    const reading = reader.read(2, 100)
    for (let turn = 0; turn < round % 4; turn++) await new Promise(setImmediate)
    rmSync(join(folder, '000000000000002'))
    const { from, bytes } = await reading
    expect(['2 cdef', '4 ef']).toContain(`${from} ${bytes.toString()}`)
  }
})

test('a removed folder reads as empty', async () => {
  const folder = newFolder()
  writeSegments(folder, { 0: 'ab', 2: 'cd' })
  const reader = openJobOutputReader(folder)
  const looking = Promise.all([reader.read(0, 10), reader.read(2, 10), reader.size()])
  rmSync(folder, { recursive: true })
  await looking
  expect(await reader.read(0, 10)).toEqual({ from: 0, bytes: Buffer.alloc(0) })
})

test('reports growth soon, also if the folder is created later, limits the rate, and can be stopped', async () => {
  const folder = newFolder()
  const writer = createJobOutputWriter(folder, 1_000_000)
  const reader = openJobOutputReader(folder)
  const calls: number[] = []
  const stop = reader.watch(() => calls.push(performance.now()))
  // Always once at the beginning, so that nothing is missed between reading and watching.
  await eventually(() => calls.length === 1)
  writer.append(Buffer.from('first'))
  await writer.flush()
  await eventually(() => calls.length >= 2)
  while (calls.length < 10) {
    writer.append(Buffer.from('more'))
    await writer.flush()
    // The event loop must also reach its timers.
    await new Promise(setImmediate)
  }
  const gaps = calls.slice(1).map((at, index) => at - (calls[index] ?? 0))
  // Timers may be a millisecond early.
  expect(gaps.filter((ms) => ms < 23)).toEqual([])
  stop()
  const atTheEnd = [...calls]
  // Another watch reports what the stopped one must not.
  let others = 0
  const stopOther = reader.watch(() => others++)
  await eventually(() => others === 1)
  writer.append(Buffer.from('last'))
  await writer.close()
  await eventually(() => others >= 2)
  stopOther()
  expect(calls).toEqual(atTheEnd)
  expect(readdirSync(folder)).toEqual([expect.anything()])
})
