import { spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

import { beforeAll, describe, expect, test } from 'vitest'

import { Failure } from '@scorpiox/mcp/errors'
import { MISSING, needs } from '../../../../../test/support/runtime.js'
import { jobDirectoryOf } from './job-files.js'
import type { JobRecord } from './job-record.js'
import { openJobStore } from './job-store.js'

const newFolder = (): string =>
  jobDirectoryOf(mkdtempSync(join(tmpdir(), 'scorpiox-jobs-')), '/project').userDirectory('ann')
const DAY_MS = 24 * 60 * 60 * 1000
const ROOMY = { keepEnded: 50, maxAgeMs: 7 * DAY_MS, maxTotalBytes: 512 * 1024 * 1024 }

const fields: Omit<JobRecord, 'id'> = {
  user: 'ann',
  session: 's1',
  command: 'make \ud800 "ä"\n',
  cwd: '/project',
  startedAt: 1_700_000_000_000,
  background: true,
  owner: { pid: 1, startedAt: '5', boot: 'b' },
  family: 'f-1',
  tag: 'f-1.1',
  keep: false,
}
const end = (endedAt: number): Partial<JobRecord> => ({ endedAt, exitCode: 0, signal: null, ending: 'exit' })

describe('records', () => {
  test('have ids from 1, are saved, and are found by the next server', async () => {
    const folder = newFolder()
    const jobs = openJobStore(folder)
    expect(await jobs.list()).toEqual([])
    const first = jobs.create(fields)
    const second = jobs.create({ ...fields, background: false })
    expect([first.id, second.id]).toEqual([1, 2])
    const ended: JobRecord = { ...first, endedAt: 5, exitCode: null, signal: 'SIGKILL', ending: 'killed' }
    await jobs.save(ended)
    const others = openJobStore(folder)
    expect(await others.load(1)).toEqual(ended)
    expect(await others.list()).toEqual([ended, second])
    expect(others.create(fields).id).toBe(3)
  })

  test('are readable by their owner only', () => {
    const folder = newFolder()
    const jobs = openJobStore(folder)
    jobs.create(fields)
    expect(jobs.outputFolder(1)).toBe(join(folder, '1', 'output'))
    if (process.platform === 'win32') return
    const modes = [dirname(folder), folder, join(folder, '1'), join(folder, '1', 'record.json')].map(
      (path) => statSync(path).mode & 0o777,
    )
    expect(modes).toEqual([0o700, 0o700, 0o700, 0o600])
  })

  test('of other users and projects are in other folders', () => {
    const paths = [
      ['a', 'bc'],
      ['ab', 'c'],
      ['ab', ''],
      ['a', 'b'],
    ].map(([project, user]) => jobDirectoryOf('/state', project!).userDirectory(user!).replaceAll('\\', '/'))
    expect([...new Set(paths)]).toHaveLength(4)
    for (const path of paths) expect(path).toMatch(/^\/state\/jobs\/[\da-f]{16}\/[\da-f]{16}$/)
  })

  test('saved concurrently: the last one wins', async () => {
    const jobs = openJobStore(newFolder())
    const record = jobs.create(fields)
    for (let round = 0; round < 20; round++) {
      const saves = Array.from({ length: 5 }, (_, index) => jobs.save({ ...record, ...end(round * 10 + index) }))
      await Promise.all(saves)
      expect((await jobs.load(1))?.endedAt).toBe(round * 10 + 4)
    }
  })

  test('have the exit status of the status file', async () => {
    const jobs = openJobStore(newFolder())
    const { id } = jobs.create(fields)
    expect(await jobs.readExitStatus(id)).toBeUndefined()
    for (const [text, status] of [
      ['0\n', 0],
      ['137\n', 137],
      ['', undefined],
      ['1', undefined],
      ['-1\n', undefined],
      ['x\n', undefined],
      ['1\n'.repeat(100), undefined],
    ] as const) {
      writeFileSync(jobs.statusFile(id), text)
      expect(await jobs.readExitStatus(id)).toBe(status)
    }
  })
})

describe('damaged or foreign files count as missing', () => {
  test.each([
    '',
    '{',
    'null',
    '[]',
    '{"id":1}',
    '\0'.repeat(200),
    JSON.stringify({ ...fields, id: 2 }),
    JSON.stringify({ ...fields, id: '1' }),
    JSON.stringify({ ...fields, id: 1, owner: { pid: '1' } }),
    JSON.stringify({ ...fields, id: 1, keep: 'yes' }),
    JSON.stringify({ ...fields, id: 1, endedAt: 'now' }),
    JSON.stringify({ ...fields, id: 1, ending: 'well' }),
    JSON.stringify({ ...fields, id: 1, exitCode: 1.5 }),
  ])('%j', async (text) => {
    const folder = newFolder()
    const jobs = openJobStore(folder)
    jobs.create(fields)
    const second = jobs.create(fields)
    writeFileSync(join(folder, '1', 'record.json'), text)
    expect(await jobs.load(1)).toBeUndefined()
    expect(await jobs.list()).toEqual([second])
    expect(jobs.create(fields).id).toBe(3)
  })

  test.each([0, -1, 1.5, NaN, Infinity, 1e15, 99])('job %d', async (id) => {
    const jobs = openJobStore(newFolder())
    jobs.create(fields)
    expect(await jobs.load(id)).toBeUndefined()
    expect(await jobs.readExitStatus(id)).toBeUndefined()
  })

  test('files and folders of other names and kinds', async () => {
    const folder = newFolder()
    const jobs = openJobStore(folder)
    jobs.create(fields)
    for (const name of ['x', '01', '-1', '1.5', '12345678901234567890', 'servers']) mkdirSync(join(folder, name))
    writeFileSync(join(folder, '7'), 'a file')
    mkdirSync(join(folder, '8', 'record.json'), { recursive: true })
    mkdirSync(join(folder, '9'))
    symlinkSync(join(folder, '1', 'record.json'), join(folder, '9', 'record.json'))
    expect((await jobs.list()).map(({ id }) => id)).toEqual([1])
    expect(jobs.create(fields).id).toBe(10)
    await jobs.prune({ keepEnded: 0, maxAgeMs: 1e12, maxTotalBytes: 0 })
    expect(readdirSync(folder)).toContain('8')
  })

  test('a FIFO in place of a record, which would block', needs(MISSING.fifos), async () => {
    const folder = newFolder()
    const jobs = openJobStore(folder)
    jobs.create(fields)
    rmSync(join(folder, '1', 'record.json'))
    const mkfifo = spawn('mkfifo', [join(folder, '1', 'record.json')], { stdio: 'ignore' })
    expect(await once(mkfifo, 'exit')).toEqual([0, null])
    expect(await jobs.list()).toEqual([])
  })
})

describe('if nothing can be written, a Failure says what to do', () => {
  const failureOf = (act: () => unknown): string => {
    try {
      act()
    } catch (error) {
      expect(error).toBeInstanceOf(Failure)
      return (error as Failure).message
    }
    throw new Error('nothing was thrown')
  }

  test('a file is at the path of the directory', () => {
    const folder = newFolder()
    mkdirSync(dirname(folder), { recursive: true })
    writeFileSync(folder, '')
    const text = failureOf(() => openJobStore(folder).create(fields))
    expect(text).toBe(`${folder} is not a folder; move it away, or set STATE_DIR to a folder of this user`)
  })

  test(
    'the directory cannot be created, as on a read-only disk',
    needs(existsSync('/proc/self') ? undefined : 'there is no /proc'),
    () => {
      const text = failureOf(() => openJobStore('/proc/scorpiox/jobs').create(fields))
      expect(text).toMatch(
        /cannot be written to \(ENOENT.*\); free some space there or make it writable, or set STATE_DIR/,
      )
    },
  )

  test('the disk is full', async () => {
    const folder = newFolder()
    const jobs = openJobStore(folder)
    const record = jobs.create(fields)
    // A folder cannot be replaced by a file, so that writing fails late.
    rmSync(join(folder, '1', 'record.json'))
    mkdirSync(join(folder, '1', 'record.json', 'x'), { recursive: true })
    await expect(jobs.save(record)).rejects.toThrow(/cannot be written to \(.+\); free some space there/)
    await expect(jobs.save(record)).rejects.toBeInstanceOf(Failure)
    expect(readdirSync(join(folder, '1'))).toEqual(['record.json'])
    await expect(jobs.save({ ...record, id: 5 })).rejects.toThrow('cannot be written to')
  })

  test(
    'the folder is a link, is writable by others, or belongs to another user',
    needs(MISSING.fileModes),
    async () => {
      const folder = newFolder()
      const jobs = openJobStore(folder)
      jobs.create(fields)
      chmodSync(folder, 0o777)
      expect(failureOf(() => jobs.create(fields))).toContain(`run: chmod 700 ${folder}`)
      expect(await jobs.list()).toEqual([])
      expect(await jobs.load(1)).toBeUndefined()
      chmodSync(folder, 0o700)
      expect(await jobs.list()).toHaveLength(1)

      const link = join(dirname(folder), 'link')
      symlinkSync(folder, link)
      expect(failureOf(() => openJobStore(link).create(fields))).toContain('is not a folder')
      expect(await openJobStore(link).list()).toEqual([])

      // Only root can change the owner; for other users `/` belongs to another user.
      if (process.geteuid?.() === 0) chownSync(folder, 12_345, 12_345)
      const foreign = openJobStore(process.geteuid?.() === 0 ? folder : '/')
      expect(failureOf(() => foreign.create(fields))).toContain('belongs to another user; move it away')
      expect(await foreign.list()).toEqual([])
    },
  )
})

describe('pruning', () => {
  function createEnded(folder: string, ages: readonly (number | undefined)[], bytes = 0): void {
    const jobs = openJobStore(folder)
    for (const age of ages) {
      const { id } = jobs.create({ ...fields, ...(age !== undefined && end(Date.now() - age)) })
      mkdirSync(jobs.outputFolder(id))
      writeFileSync(join(jobs.outputFolder(id), '000000000000000'), Buffer.alloc(bytes))
    }
  }
  const idsIn = async (folder: string): Promise<number[]> => (await openJobStore(folder).list()).map(({ id }) => id)

  test('keeps the newest ended jobs, running jobs, and the highest id', async () => {
    const folder = newFolder()
    createEnded(folder, [100, 500, undefined, 300, 200, 900])
    await openJobStore(folder).prune({ ...ROOMY, keepEnded: 2 })
    expect(await idsIn(folder)).toEqual([1, 3, 5, 6])
    await openJobStore(folder).prune({ ...ROOMY, keepEnded: 0 })
    expect(await idsIn(folder)).toEqual([3, 6])
    expect(readdirSync(folder).toSorted()).toEqual(['3', '6'])
    expect(openJobStore(folder).create(fields).id).toBe(7)
  })

  test('deletes jobs that ended too long ago', async () => {
    const folder = newFolder()
    createEnded(folder, [8 * DAY_MS, 6 * DAY_MS, undefined, 8 * DAY_MS])
    await openJobStore(folder).prune(ROOMY)
    expect(await idsIn(folder)).toEqual([2, 3, 4])
  })

  test('deletes the oldest until the total output is within its limit', async () => {
    const folder = newFolder()
    createEnded(folder, [400, 300, 200, undefined, 100, 0], 1000)
    await openJobStore(folder).prune({ ...ROOMY, maxTotalBytes: 4000 })
    expect(await idsIn(folder)).toEqual([3, 4, 5, 6])
  })

  test('deletes old folders without a record, and nothing that is not a job', async () => {
    const folder = newFolder()
    createEnded(folder, [undefined, undefined, undefined])
    for (const id of ['1', '2']) rmSync(join(folder, id, 'record.json'))
    utimesSync(join(folder, '1'), new Date(0), new Date(0))
    mkdirSync(join(folder, 'servers'))
    utimesSync(join(folder, 'servers'), new Date(0), new Date(0))
    await openJobStore(folder).prune(ROOMY)
    expect(readdirSync(folder).toSorted()).toEqual(['2', '3', 'servers'])
  })

  test('deletes empty folders after a minute, except the highest, and returns their ids', async () => {
    const folder = newFolder()
    createEnded(folder, [100, undefined])
    const jobs = openJobStore(folder)
    const [old, young, highest] = [jobs.create(fields).id, jobs.create(fields).id, jobs.create(fields).id]
    for (const id of [old, young, highest]) {
      writeFileSync(jobs.statusFile(id), '0\n')
      await jobs.deleteFiles(id)
    }
    const minutesAgo = new Date(Date.now() - 2 * 60_000)
    for (const id of [old, highest]) utimesSync(join(folder, String(id)), minutesAgo, minutesAgo)
    expect(await jobs.prune({ ...ROOMY, keepEnded: 0 })).toEqual([old, 1])
    expect(readdirSync(folder).toSorted()).toEqual(['2', String(young), String(highest)])
  })

  test('follows no links', async () => {
    const folder = newFolder()
    createEnded(folder, [100, undefined])
    const outside = join(dirname(folder), 'precious')
    mkdirSync(outside)
    writeFileSync(join(outside, 'file'), 'x')
    rmSync(join(folder, '1', 'output'), { recursive: true })
    symlinkSync(outside, join(folder, '1', 'output'))
    await openJobStore(folder).prune({ ...ROOMY, keepEnded: 0 })
    expect(await idsIn(folder)).toEqual([2])
    expect(readFileSync(join(outside, 'file'), 'utf8')).toBe('x')
  })

  test('of an empty or missing folder does nothing', async () => {
    await openJobStore(newFolder()).prune(ROOMY)
    await openJobStore('/dev/null/x').prune(ROOMY)
  })
})

describe('several servers', () => {
  const path = mkdtempSync(join(tmpdir(), 'scorpiox-servers-'))

  beforeAll(async () => {
    const { rolldown } = await import('rolldown')
    const build = await rolldown({
      input: resolve(import.meta.dirname, 'job-store.ts'),
      platform: 'node',
      resolve: { conditionNames: ['@scorpiox/source', 'import', 'default'] },
    })
    await build.write({ file: join(path, 'job-store.mjs'), format: 'esm', codeSplitting: false })
    writeFileSync(
      join(path, 'server.mjs'),
      `import { writeSync } from 'node:fs'
       import { openJobStore } from './job-store.mjs'
       const [folder, count, keepEnded] = process.argv.slice(2)
       const jobs = openJobStore(folder)
       const limits = { keepEnded: Number(keepEnded), maxAgeMs: 1e9, maxTotalBytes: 1e9 }
       for (let n = 0; n < Number(count); n++) {
         const record = jobs.create({ ...${JSON.stringify(fields)}, session: String(process.pid) })
         writeSync(1, record.id + '\\n')
         await jobs.save({ ...record, command: 'x'.repeat(n * 50) + '!' })
         await jobs.save({ ...record, endedAt: Date.now(), ending: 'exit', exitCode: 0 })
         writeSync(1, record.id + ' ended\\n')
         if (n % 5 === 4) await jobs.prune(limits)
       }`,
    )
  })

  function start(folder: string, count: number, keepEnded: number) {
    const args = [join(path, 'server.mjs'), folder, String(count), String(keepEnded)]
    const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] })
    const chunks: Buffer[] = []
    child.stdout.on('data', (chunk: Buffer) => chunks.push(chunk))
    // An incomplete last line is ignored.
    return { child, acknowledged: () => Buffer.concat(chunks).toString().split('\n').slice(0, -1) }
  }

  test('allocate no id twice and lose no record', async () => {
    const folder = newFolder()
    const servers = Array.from({ length: 6 }, () => start(folder, 40, 1000))
    const codes = await Promise.all(servers.map(({ child }) => once(child, 'close')))
    expect(codes).toEqual(servers.map(() => [0, null]))
    const ids = servers.flatMap(({ acknowledged }) => acknowledged().filter((line) => /^\d+$/.test(line)))
    expect([...new Set(ids)]).toHaveLength(240)
    const records = await openJobStore(folder).list()
    expect(records.map(({ id }) => String(id)).toSorted()).toEqual(ids.toSorted())
    expect(records.filter(({ ending }) => ending !== 'exit')).toEqual([])
    for (const { acknowledged } of servers) {
      const own = acknowledged()
        .filter((line) => /^\d+$/.test(line))
        .map(Number)
      expect(own).toEqual(own.toSorted((a, b) => a - b))
    }
  })

  test('allocate no id twice while they delete old jobs', { tags: ['long'] }, async () => {
    const folder = newFolder()
    const servers = Array.from({ length: 6 }, () => start(folder, 40, 1))
    await Promise.all(servers.map(({ child }) => once(child, 'close')))
    const ids = servers.flatMap(({ acknowledged }) => acknowledged().filter((line) => /^\d+$/.test(line)))
    expect(ids).toHaveLength(240)
    expect([...new Set(ids)]).toHaveLength(240)
    expect(openJobStore(folder).create(fields).id).toBeGreaterThan(Math.max(...ids.map(Number)))
  })

  test('killed at any moment leave each record in its old or new version', async () => {
    const folder = newFolder()
    const lines: string[] = []
    for (let round = 0; round < 8; round++) {
      const { child, acknowledged } = start(folder, 10_000, 100_000)
      await once(child.stdout, 'data')
      await sleep(20 + Math.random() * 60)
      child.kill('SIGKILL')
      await once(child, 'close')
      lines.push(...acknowledged())
    }
    const jobs = openJobStore(folder)
    const ids = lines.filter((line) => /^\d+$/.test(line)).map(Number)
    expect(ids.length).toBeGreaterThanOrEqual(8)
    expect([...new Set(ids)]).toEqual(ids)
    for (const id of ids) {
      const record = await jobs.load(id)
      expect(record?.command).toMatch(/^(make [^]*|x*!)$/)
      if (lines.includes(`${id} ended`)) expect(record?.ending).toBe('exit')
    }
    expect(jobs.create(fields).id).toBeGreaterThan(Math.max(...ids))
  })
})
