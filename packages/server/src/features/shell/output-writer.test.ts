import { spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'

import fc from 'fast-check'
import { expect, test } from 'vitest'

import { MISSING, needs } from '../../../../../test/support/runtime.js'
import { eventually } from '../../../../../test/support/eventually.js'
import { openJobOutputReader } from './output-reader.js'
import { createJobOutputWriter, type JobOutputWriter } from './output-writer.js'

const newFolder = (): string => join(mkdtempSync(join(tmpdir(), 'scorpiox-output-')), '1', 'output')

/** Bytes that encode their own position. */
function bytesAt(from: number, length: number): Buffer {
  return Buffer.from(Uint8Array.from({ length }, (_, index) => ((from + index) * 2_654_435_761) >>> 16))
}

const filesIn = (folder: string): [number, Buffer][] =>
  readdirSync(folder)
    .toSorted()
    .map((name) => [Number(name), readFileSync(join(folder, name))])

async function write(writer: JobOutputWriter, sizes: readonly number[]): Promise<void> {
  for (const size of sizes) if (!writer.append(bytesAt(writer.bytesAppended, size))) await writer.whenDrained()
  await writer.flush()
}

test('keeps the first segment and the newest ones within the limit, for any chunks', async () => {
  const shares = fc.array(fc.oneof(fc.nat(5), fc.nat(100)), { maxLength: 30 })
  await fc.assert(
    fc.asyncProperty(shares, fc.integer({ min: 8, max: 4000 }), fc.nat(), async (percents, maxBytes, seed) => {
      const chunks = percents.map((percent) => Math.floor((percent * maxBytes) / 100))
      const folder = newFolder()
      const writer = createJobOutputWriter(folder, maxBytes)
      await write(writer, chunks)
      await writer.close()
      const total = chunks.reduce((sum, size) => sum + size, 0)
      expect([writer.bytesAppended, writer.failure]).toEqual([total, undefined])
      if (total === 0) return
      const segment = Math.floor(maxBytes / 8)
      const starts = Array.from({ length: Math.ceil(total / segment) }, (_, index) => index * segment)
      const kept = starts.length > 8 ? [0, ...starts.slice(-7)] : starts
      const expected = kept.map((start) => [start, bytesAt(start, Math.min(segment, total - start))])
      expect(filesIn(folder)).toEqual(expected)

      const reader = openJobOutputReader(folder)
      expect(await reader.size()).toBe(total)
      const from = seed % (total + 2)
      const passage = await reader.read(from, 1 + (seed % 5000))
      expect(passage.from).toBeGreaterThanOrEqual(from)
      expect(passage.bytes).toEqual(bytesAt(passage.from, passage.bytes.length))
      expect(passage.bytes.length === 0).toBe(from >= total)
      if (passage.from > from) expect(kept).toContain(passage.from)
    }),
    { numRuns: 60 },
  )
})

test('writes a hundred megabytes quickly with little queued at once', async () => {
  const folder = newFolder()
  const writer = createJobOutputWriter(folder, 32 * 1024 * 1024)
  const chunk = Buffer.alloc(65_536, 'x')
  let waits = 0
  let taken = 0
  let mostAtOnce = 0
  while (writer.bytesAppended < 100_000_000) {
    taken += chunk.length
    mostAtOnce = Math.max(mostAtOnce, taken)
    if (writer.append(chunk)) continue
    waits++
    await writer.whenDrained()
    taken = 0
  }
  await writer.close()
  expect(waits).toBeGreaterThan(20)
  // Waiting for each chunk would mean 1,526 waits.
  expect(waits).toBeLessThan(500)
  expect(mostAtOnce).toBeLessThan(4_000_000)
  const kept = filesIn(folder).reduce((sum, [, bytes]) => sum + bytes.length, 0)
  expect(kept).toBeLessThanOrEqual(32 * 1024 * 1024)
  expect(kept).toBeGreaterThan(28 * 1024 * 1024)
})

test('gathers output after a write, and writes it at once for a reader', async () => {
  const folder = newFolder()
  const writer = createJobOutputWriter(folder, 1_000_000)
  const reader = openJobOutputReader(folder)
  for (let count = 1; count <= 50; count++) {
    writer.append(Buffer.from('x'))
    await writer.flush()
    expect(await reader.size()).toBe(count)
  }
  // Without a reader it is written a little later.
  writer.append(Buffer.from('y'))
  await eventually(async () => (await reader.size()) === 51)
  await writer.close()
})

test('many jobs together queue little', async () => {
  const writers = Array.from({ length: 50 }, () => createJobOutputWriter(newFolder(), 8_000_000))
  const chunk = Buffer.alloc(65_536, 'x')
  let queued = 0
  for (const writer of writers) for (let accepts = true; accepts; queued += chunk.length) accepts = writer.append(chunk)
  expect(queued).toBeLessThan(32_000_000)
  await Promise.all(writers.map((writer) => writer.whenDrained()))
  await Promise.all(writers.map((writer) => writer.close()))
  expect(writers.map(({ failure }) => failure)).toEqual(writers.map(() => undefined))
})

test('knows where the last escape character is', async () => {
  const writer = createJobOutputWriter(newFolder(), 1_000_000)
  const positions = ['no', '\u001B[m', 'plain', 'a\u001B[1mb\u001B[m', ''].map((text) => {
    writer.append(Buffer.from(text))
    return writer.lastEscapeAt
  })
  expect(positions).toEqual([-1, 2, 2, 16, 16])
  await writer.close()
})

test('counts the memory overhead of single bytes', async () => {
  const writer = createJobOutputWriter(newFolder(), 1_000_000)
  const byte = Buffer.from('x')
  let count = 0
  while (writer.append(byte)) count++
  expect(count).toBeLessThan(20_000)
  await writer.close()
})

test('creates nothing before the first byte, and then private files', async () => {
  const folder = newFolder()
  const writer = createJobOutputWriter(folder, 1000)
  expect(writer.append(Buffer.alloc(0))).toBe(true)
  await writer.close()
  expect(() => statSync(folder)).toThrow('ENOENT')
  await write(writer, [10])
  expect(await openJobOutputReader(folder).size()).toBe(10)
  await writer.close()
  await writer.close()
  if (process.platform === 'win32') return
  expect([folder, join(folder, '000000000000000')].map((path) => statSync(path).mode & 0o777)).toEqual([0o700, 0o600])
})

test('counts bytes that cannot be written, and writes later ones when it is possible again', async () => {
  const folder = newFolder()
  mkdirSync(dirname(folder), { recursive: true })
  writeFileSync(folder, 'in the way')
  const writer = createJobOutputWriter(folder, 8000)
  await write(writer, [100, 200])
  expect(writer.failure).toMatch(
    /^300 bytes of the output are missing: .* cannot be written to \(.+\)\. Free some space/,
  )
  rmSync(folder)
  await write(writer, [50, 60])
  await writer.close()
  expect(writer.bytesAppended).toBe(410)
  expect(writer.failure).toMatch(/^300 bytes/)
  expect(filesIn(folder)).toEqual([[300, bytesAt(300, 110)]])
  const reader = openJobOutputReader(folder)
  expect(await reader.read(0, 1000)).toEqual({ from: 300, bytes: bytesAt(300, 110) })
  expect(await reader.size()).toBe(410)
})

test('does not follow a link in place of a segment', needs(MISSING.links), async () => {
  const folder = newFolder()
  const target = join(dirname(dirname(folder)), 'target')
  writeFileSync(target, 'precious')
  mkdirSync(folder, { recursive: true })
  symlinkSync(target, join(folder, '000000000000000'))
  const writer = createJobOutputWriter(folder, 8000)
  await write(writer, [100])
  await write(writer, [100])
  await writer.close()
  expect(readFileSync(target, 'utf8')).toBe('precious')
  expect(writer.failure).toContain('100 bytes of the output are missing')
  expect(await openJobOutputReader(folder).read(0, 1000)).toEqual({ from: 100, bytes: bytesAt(100, 100) })
})

test(
  'a disk that becomes full during a write keeps the accepted bytes, and the gap is counted exactly',
  needs(MISSING.programsOfLinux),
  async () => {
    const path = mkdtempSync(join(tmpdir(), 'scorpiox-full-'))
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
     const writer = createJobOutputWriter(process.argv[2], 8 * 65536)
     for (const size of [5000, 5000, 30000, 100, 20000]) {
       writer.append(bytesAt(writer.bytesAppended, size))
       await writer.flush()
     }
     await writer.close()
     console.log(JSON.stringify([writer.bytesAppended, writer.failure]))`,
    )
    const folder = join(path, 'output')
    // A file size limit of 8 KiB acts like a full disk and needs no privileges.
    const args = ['-c', 'ulimit -f 8; exec "$@"', 'bash', process.execPath, join(path, 'run.mjs'), folder]
    const child = spawn('bash', args, { stdio: ['ignore', 'pipe', 'inherit'] })
    const lines: Buffer[] = []
    child.stdout.on('data', (chunk: Buffer) => lines.push(chunk))
    expect(await once(child, 'close')).toEqual([0, null])
    const [written, failure] = JSON.parse(Buffer.concat(lines).toString()) as [number, string]
    const files = filesIn(folder)
    // Each of the three oversized segments began where the previous one ended.
    expect(files.map(([start, { length }]) => [start, length])).toEqual([
      [0, 8192],
      [10_000, 8192],
      [40_000, 8192],
    ])
    for (const [start, bytes] of files) expect(bytes).toEqual(bytesAt(start, bytes.length))
    expect(written).toBe(60_100)
    expect(failure).toContain(`${60_100 - 3 * 8192} bytes of the output are missing`)
    expect(failure).toContain('EFBIG')
  },
)
