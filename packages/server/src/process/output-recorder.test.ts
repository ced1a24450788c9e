import { type ChildProcessWithoutNullStreams, execFileSync, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'

import fc from 'fast-check'
import { describe, expect, test } from 'vitest'

import { eventually } from '../../../../test/support/eventually.js'
import RECORDER from './output-recorder.sh?raw'

const newFolder = (): string => join(mkdtempSync(join(tmpdir(), 'scorpiox-recorder-')), 'output')

const which = (name: string): string =>
  execFileSync('sh', ['-c', `command -v ${name} || true`])
    .toString()
    .trim()
const bash = which('bash')

/** A PATH with only these programs. */
function createPath(targets: Record<string, string>): string {
  const folder = mkdtempSync(join(tmpdir(), 'scorpiox-tools-'))
  for (const [name, target] of Object.entries(targets)) symlinkSync(target, join(folder, name))
  return folder
}

const busybox = process.env.BUSYBOX ?? which('busybox')
const toolsets: [string, string][] = [['the tools of the system', process.env.PATH ?? '']]
if (busybox !== '') toolsets.push(['busybox', createPath({ dd: busybox, wc: busybox, rm: busybox, mkdir: busybox })])

interface RecorderOptions {
  readonly folder?: string
  readonly segmentBytes?: number
  readonly maxSegments?: number
  readonly path?: string
  /** Shell code that runs before the recorder starts. */
  readonly prelude?: string
}

/** `command | recorder`, in a process group of their own; resolves when both have ended. */
function record(
  command: string,
  options: RecorderOptions = {},
): { child: ChildProcessWithoutNullStreams; folder: string } {
  const {
    folder = newFolder(),
    segmentBytes: segment = 4_194_304,
    maxSegments = 8,
    path = process.env.PATH ?? '',
    prelude: before = ':',
  } = options
  const script = `${before}; bash -c "$1" 2>&1 | PATH="$2" "$3" -p -c "$4" recorder "$5" "$6" "$7"; exit "\${PIPESTATUS[1]}"`
  const args = ['-c', script, 'bash', command, path, bash, RECORDER, folder, String(segment), String(maxSegments)]
  const child = spawn('bash', args, { detached: true })
  child.stdin.end()
  return { child, folder }
}

async function recorded(command: string, options: RecorderOptions = {}): Promise<[number, Buffer][]> {
  const { child, folder } = record(command, options)
  expect(await once(child, 'exit')).toEqual([0, null])
  return filesIn(folder)
}

const filesIn = (folder: string): [number, Buffer][] =>
  existsSync(folder)
    ? readdirSync(folder)
        .toSorted()
        .map((name) => [Number(name), readFileSync(join(folder, name))])
    : []

/** What the format requires: the first segment, perhaps a gap, and then everything to the end. */
function expectKept(files: readonly [number, Buffer][], source: Buffer, segment: number, maxSegments: number): void {
  expect(files.length).toBeLessThanOrEqual(maxSegments)
  let previousEnd = 0
  for (const [index, [start, bytes]] of files.entries()) {
    expect(bytes.length).toBeGreaterThan(0)
    expect(bytes.length).toBeLessThanOrEqual(segment)
    expect(bytes.equals(source.subarray(start, start + bytes.length))).toBe(true)
    if (index !== 1 || files.length < maxSegments) expect(start).toBe(previousEnd)
    if (index < files.length - 1) expect(bytes.length).toBeGreaterThan((segment * 7) / 8 - 1)
    previousEnd = start + bytes.length
  }
  expect(previousEnd).toBe(source.length)
}

describe.each(toolsets)('with %s', (_, path) => {
  test('much binary data is recorded exactly', async () => {
    const source = randomBytes(40_000_000)
    const file = join(mkdtempSync(join(tmpdir(), 'scorpiox-source-')), 'source')
    writeFileSync(file, source)
    const files = await recorded(`cat ${file}`, { path, segmentBytes: 1_000_000 })
    expect(files).toHaveLength(8)
    expectKept(files, source, 1_000_000, 8)
    expectKept(await recorded(`cat ${file}`, { path, segmentBytes: 10_000_000 }), source, 10_000_000, 8)
  })

  test('however the output is split, every byte is at its offset', async () => {
    const pieces = fc.array(fc.uint8Array({ maxLength: 700 }), { maxLength: 25 })
    await fc.assert(
      fc.asyncProperty(pieces, fc.integer({ min: 100, max: 3000 }), async (chunks, segment) => {
        const folder = newFolder()
        const child = spawn(bash, ['-p', '-c', RECORDER, 'recorder', folder, String(segment), '4'], {
          env: { PATH: path },
        })
        for (const chunk of chunks) {
          child.stdin.write(chunk)
          await new Promise(setImmediate)
        }
        child.stdin.end()
        expect(await once(child, 'exit')).toEqual([0, null])
        const source = Buffer.concat(chunks)
        if (source.length > 0) expectKept(filesIn(folder), source, segment, 4)
        else expect(filesIn(folder)).toEqual([])
      }),
      { numRuns: 12 },
    )
  })

  test('with slow output each line is on disk at once, and segments are still filled', async () => {
    const lines = Array.from({ length: 300 }, (_each, index) => `line ${index}\n`).join('')
    const command = 'for ((i = 0; i < 300; i++)); do echo "line $i"; read -t 0.002 <> <(:); done; sleep 1'
    const { child, folder } = record(command, { path, segmentBytes: 1024, maxSegments: 100 })
    await eventually(() => Buffer.concat(filesIn(folder).map(([, bytes]) => bytes)).toString() === lines)
    expect(child.exitCode).toBeNull()
    expect(await once(child, 'exit')).toEqual([0, null])
    const files = filesIn(folder)
    expect(files.length).toBeLessThan(lines.length / 800)
    expectKept(files, Buffer.from(lines), 1024, 100)
  })

  test('a full disk loses output; what is kept is in order, and the command does not block', async () => {
    const source = randomBytes(3_000_000)
    const file = join(mkdtempSync(join(tmpdir(), 'scorpiox-source-')), 'source')
    writeFileSync(file, source)
    // A file size limit of 40 KiB acts like a full disk, and needs no privileges.
    const limited = { path, segmentBytes: 1_000_000, prelude: 'ulimit -f 40' }
    const files = await recorded(`cat ${file}; sleep 1.1; echo the end`, limited)
    expect(files.length).toBeGreaterThan(1)
    expect(files.length).toBeLessThanOrEqual(8)
    let [found, end] = [0, 0]
    for (const [start, bytes] of files) {
      expect(start === 0 || start > end).toBe(true)
      end = start + bytes.length
      const position = source.indexOf(bytes.subarray(0, 1000), found)
      if (bytes.length < 1000) continue
      expect(position).toBeGreaterThanOrEqual(found)
      expect(
        bytes.subarray(0, 40_000).equals(source.subarray(position, position + Math.min(bytes.length, 40_000))),
      ).toBe(true)
      found = position
    }
    expect(files.at(-1)?.[1].toString()).toBe('the end\n')
  })

  test('without a writable folder, the command runs to its end', async () => {
    const folder = newFolder()
    writeFileSync(folder, 'in the way')
    const { child } = record('head -c 5000000 /dev/zero && touch "$DONE"', {
      folder: join(folder, 'output'),
      path,
      prelude: `export DONE=${join(dirname(folder), 'done')}`,
    })
    expect(await once(child, 'exit')).toEqual([0, null])
    expect(existsSync(join(dirname(folder), 'done'))).toBe(true)
    expect(readFileSync(folder, 'utf8')).toBe('in the way')
  })
})

test('it outlives the command and records its last output, whichever process gets SIGTERM', async () => {
  const command = 'trap "sleep 0.3; echo bye; exit 3" TERM HUP INT USR1; echo ready; while :; do sleep 0.02; done'
  for (const signal of ['SIGTERM', 'SIGHUP', 'SIGINT', 'SIGUSR1'] as const) {
    const { child, folder } = record(command, { prelude: 'trap : TERM HUP INT USR1' })
    const text = (): string => Buffer.concat(filesIn(folder).map(([, bytes]) => bytes)).toString()
    await eventually(() => text() === 'ready\n')
    process.kill(-child.pid!, signal)
    await once(child, 'exit')
    // The shell may report that its sleep was terminated.
    expect(text()).toMatch(/^ready\n(.+\n)?bye\n$/)
  }
})

test('the folder may have any name, and its files are private', async () => {
  const folder = join(newFolder(), `-a b'"$(x)*[0-9]\n;`)
  mkdirSync(dirname(folder))
  const files = await recorded('printf 12345678abcdefghijkl', {
    folder,
    segmentBytes: 8,
    maxSegments: 2,
    prelude: 'umask 0',
  })
  expect(files.map(([start, bytes]) => [start, bytes.toString()])).toEqual([
    [0, '12345678'],
    [16, 'ijkl'],
  ])
  expect(statSync(folder).mode & 0o777).toBe(0o700)
  for (const name of readdirSync(folder)) expect(statSync(join(folder, name)).mode & 0o777).toBe(0o600)
})

test('dd runs with LC_ALL=C, since its output is parsed', async () => {
  const german = join(mkdtempSync(join(tmpdir(), 'scorpiox-german-')), 'dd')
  const script = `#!${bash}\nif [[ $LC_ALL == C ]]; then exec ${which('dd')} "$@"; else exec ${which('dd')} "$@" 2>/dev/null; fi\n`
  writeFileSync(german, script, { mode: 0o755 })
  const path = createPath({ dd: german, wc: which('wc'), rm: which('rm'), mkdir: which('mkdir') })
  const before = 'unset LC_ALL; export LANG=de_DE.UTF-8 LANGUAGE=de'
  const files = await recorded('echo {1..50}', { path, prelude: before, segmentBytes: 64, maxSegments: 100 })
  expectKept(files, execFileSync('bash', ['-c', 'echo {1..50}']), 64, 100)
})

test('without dd nothing is recorded, and the command still runs to its end', async () => {
  const path = createPath({ wc: which('wc'), rm: which('rm'), mkdir: which('mkdir') })
  const files = await recorded("for i in 1 2 3; do printf 'a\\0b\\n'; sleep 0.05; done; head -c 300000 /dev/zero", {
    path,
  })
  expect(Buffer.concat(files.map(([, bytes]) => bytes))).toHaveLength(0)
})
