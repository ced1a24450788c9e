import { execFileSync, spawn, type ChildProcessWithoutNullStreams } from 'node:child_process'
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

import { eventually } from '../../test/support/eventually.js'
import RECORDER from './output-recorder.sh?raw'

const newFolder = (): string => join(mkdtempSync(join(tmpdir(), 'scorpiox-recorder-')), 'output')

const which = (name: string): string =>
  execFileSync('sh', ['-c', `command -v ${name} || true`])
    .toString()
    .trim()
const bash = which('bash')

/** A PATH on which there is nothing but these. */
function toolsOf(targets: Record<string, string>): string {
  const folder = mkdtempSync(join(tmpdir(), 'scorpiox-tools-'))
  for (const [name, target] of Object.entries(targets)) symlinkSync(target, join(folder, name))
  return folder
}

const busybox = process.env.BUSYBOX ?? which('busybox')
const toolsets: [string, string][] = [['the tools of the system', process.env.PATH ?? '']]
if (busybox !== '') toolsets.push(['busybox', toolsOf({ dd: busybox, wc: busybox, rm: busybox, mkdir: busybox })])

interface Recording {
  readonly folder?: string
  readonly segment?: number
  readonly kept?: number
  readonly path?: string
  /** Said in the shell before the recorder starts. */
  readonly before?: string
}

/** `command | recorder`, in a process group of their own; resolves when both have ended. */
function record(command: string, recording: Recording = {}): { child: ChildProcessWithoutNullStreams; folder: string } {
  const { folder = newFolder(), segment = 4_194_304, kept = 8, path = process.env.PATH ?? '', before = ':' } = recording
  const script = `${before}; bash -c "$1" 2>&1 | PATH="$2" "$3" -p -c "$4" recorder "$5" "$6" "$7"; exit "\${PIPESTATUS[1]}"`
  const args = ['-c', script, 'bash', command, path, bash, RECORDER, folder, String(segment), String(kept)]
  const child = spawn('bash', args, { detached: true })
  child.stdin.end()
  return { child, folder }
}

async function recorded(command: string, recording: Recording = {}): Promise<[number, Buffer][]> {
  const { child, folder } = record(command, recording)
  expect(await once(child, 'exit')).toEqual([0, null])
  return filesIn(folder)
}

const filesIn = (folder: string): [number, Buffer][] =>
  existsSync(folder)
    ? readdirSync(folder)
        .toSorted()
        .map((name) => [Number(name), readFileSync(join(folder, name))])
    : []

/** The law of the layout: the first segment, a gap perhaps, and then everything to the end. */
function expectKept(files: readonly [number, Buffer][], source: Buffer, segment: number, kept: number): void {
  expect(files.length).toBeLessThanOrEqual(kept)
  let previousEnd = 0
  for (const [index, [start, bytes]] of files.entries()) {
    expect(bytes.length).toBeGreaterThan(0)
    expect(bytes.length).toBeLessThanOrEqual(segment)
    expect(bytes.equals(source.subarray(start, start + bytes.length))).toBe(true)
    if (index !== 1 || files.length < kept) expect(start).toBe(previousEnd)
    if (index < files.length - 1) expect(bytes.length).toBeGreaterThan((segment * 7) / 8 - 1)
    previousEnd = start + bytes.length
  }
  expect(previousEnd).toBe(source.length)
}

describe.each(toolsets)('with %s', (_, path) => {
  test('a flood of binary data is kept to the byte', async () => {
    const source = randomBytes(40_000_000)
    const file = join(mkdtempSync(join(tmpdir(), 'scorpiox-source-')), 'source')
    writeFileSync(file, source)
    const files = await recorded(`cat ${file}`, { path, segment: 1_000_000 })
    expect(files).toHaveLength(8)
    expectKept(files, source, 1_000_000, 8)
    expectKept(await recorded(`cat ${file}`, { path, segment: 10_000_000 }), source, 10_000_000, 8)
  })

  test('whatever comes in which pieces, every byte is in its place', async () => {
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

  test('a trickle: each line is on disk at once, and segments are filled all the same', async () => {
    const lines = Array.from({ length: 300 }, (_each, index) => `line ${index}\n`).join('')
    const command = 'for ((i = 0; i < 300; i++)); do echo "line $i"; read -t 0.002 <> <(:); done; sleep 1'
    const { child, folder } = record(command, { path, segment: 1024, kept: 100 })
    await eventually(() => Buffer.concat(filesIn(folder).map(([, bytes]) => bytes)).toString() === lines)
    expect(child.exitCode).toBeNull()
    expect(await once(child, 'exit')).toEqual([0, null])
    const files = filesIn(folder)
    expect(files.length).toBeLessThan(lines.length / 800)
    expectKept(files, Buffer.from(lines), 1024, 100)
  })

  test('a disk that fills up loses what it cannot take; what is kept is in order, and the command is not held up', async () => {
    const source = randomBytes(3_000_000)
    const file = join(mkdtempSync(join(tmpdir(), 'scorpiox-source-')), 'source')
    writeFileSync(file, source)
    // No file may be larger than 40 KiB: the same as a full disk, and needs no privileges.
    const limited = { path, segment: 1_000_000, before: 'ulimit -f 40' }
    const files = await recorded(`cat ${file}; sleep 1.1; echo the end`, limited)
    expect(files.length).toBeGreaterThan(1)
    expect(files.length).toBeLessThanOrEqual(8)
    let [found, end] = [0, 0]
    for (const [start, bytes] of files) {
      expect(start === 0 || start > end).toBe(true)
      end = start + bytes.length
      const place = source.indexOf(bytes.subarray(0, 1000), found)
      if (bytes.length < 1000) continue
      expect(place).toBeGreaterThanOrEqual(found)
      expect(bytes.subarray(0, 40_000).equals(source.subarray(place, place + Math.min(bytes.length, 40_000)))).toBe(
        true,
      )
      found = place
    }
    expect(files.at(-1)?.[1].toString()).toBe('the end\n')
  })

  test('where there is no folder to write to, the command runs to its end', async () => {
    const folder = newFolder()
    writeFileSync(folder, 'in the way')
    const { child } = record('head -c 5000000 /dev/zero && touch "$DONE"', {
      folder: join(folder, 'output'),
      path,
      before: `export DONE=${join(dirname(folder), 'done')}`,
    })
    expect(await once(child, 'exit')).toEqual([0, null])
    expect(existsSync(join(dirname(folder), 'done'))).toBe(true)
    expect(readFileSync(folder, 'utf8')).toBe('in the way')
  })
})

test('it outlives the command it records and hears its last words, whoever is told to end', async () => {
  const command = 'trap "sleep 0.3; echo bye; exit 3" TERM HUP INT USR1; echo ready; while :; do sleep 0.02; done'
  for (const signal of ['SIGTERM', 'SIGHUP', 'SIGINT', 'SIGUSR1'] as const) {
    const { child, folder } = record(command, { before: 'trap : TERM HUP INT USR1' })
    const text = (): string => Buffer.concat(filesIn(folder).map(([, bytes]) => bytes)).toString()
    await eventually(() => text() === 'ready\n')
    process.kill(-child.pid!, signal)
    await once(child, 'exit')
    // The shell may tell that its own sleep was ended.
    expect(text()).toMatch(/^ready\n(.+\n)?bye\n$/)
  }
})

test('the folder may have any name, and its files are for their owner only', async () => {
  const folder = join(newFolder(), `-a b'"$(x)*[0-9]\n;`)
  mkdirSync(dirname(folder))
  const files = await recorded('printf 12345678abcdefghijkl', { folder, segment: 8, kept: 2, before: 'umask 0' })
  expect(files.map(([start, bytes]) => [start, bytes.toString()])).toEqual([
    [0, '12345678'],
    [16, 'ijkl'],
  ])
  expect(statSync(folder).mode & 0o777).toBe(0o700)
  for (const name of readdirSync(folder)) expect(statSync(join(folder, name)).mode & 0o777).toBe(0o600)
})

test('dd is asked to speak English, since its words are read', async () => {
  const german = join(mkdtempSync(join(tmpdir(), 'scorpiox-german-')), 'dd')
  const script = `#!${bash}\nif [[ $LC_ALL == C ]]; then exec ${which('dd')} "$@"; else exec ${which('dd')} "$@" 2>/dev/null; fi\n`
  writeFileSync(german, script, { mode: 0o755 })
  const path = toolsOf({ dd: german, wc: which('wc'), rm: which('rm'), mkdir: which('mkdir') })
  const before = 'unset LC_ALL; export LANG=de_DE.UTF-8 LANGUAGE=de'
  const files = await recorded('echo {1..50}', { path, before, segment: 64, kept: 100 })
  expectKept(files, execFileSync('bash', ['-c', 'echo {1..50}']), 64, 100)
})

test('without dd nothing is kept, and the command still runs to its end', async () => {
  const path = toolsOf({ wc: which('wc'), rm: which('rm'), mkdir: which('mkdir') })
  const files = await recorded("for i in 1 2 3; do printf 'a\\0b\\n'; sleep 0.05; done; head -c 300000 /dev/zero", {
    path,
  })
  expect(Buffer.concat(files.map(([, bytes]) => bytes))).toHaveLength(0)
})
