// The code cache of the program (storage/code-cache.ts): what a start writes for the next one, and which files no start
// takes. A planted cache has another version compiled into it, so the answer to `initialize` tells whether it was used.

import { spawnSync } from 'node:child_process'
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'

import { afterEach, beforeAll, describe, expect, test } from 'vitest'

import { codeCachePath, formatCodeCache } from '@scorpiox/server/storage/code-cache'
import { VERSION } from '@scorpiox/server/config/version'
import { emptyFolder, PROGRAM, startServer, type TestClient } from './support/client.js'
import { eventually } from './support/eventually.js'
import { modern, sendRequest, startProgram } from './support/http-client.js'
import { MISSING } from './support/runtime.js'

const PROGRAM_FILE = join(dirname(PROGRAM), 'program.js')
const PLANTED = VERSION.replaceAll(/\d/g, '7')
const IS_ROOT = process.getuid?.() === 0
const ORDINARY_UID = 65534

const clients: TestClient[] = []
let planted: Buffer = Buffer.alloc(0)

/** A valid cache for the real source that was compiled from another one; V8 compares no more than the lengths. */
const MAKE_PLANTED = `
  const { Script } = require('node:vm')
  const source = require('node:fs').readFileSync(process.argv[1], 'latin1')
  const changed = source.replaceAll('"' + process.argv[2] + '"', '"' + process.argv[3] + '"')
  const script = new Script('(function (exports, require, module, __filename, __dirname) {' + changed + '\\n})')
  process.stdout.write(script.createCachedData())`

beforeAll(() => {
  const { stdout } = spawnSync(process.execPath, ['-e', MAKE_PLANTED, PROGRAM_FILE, VERSION, PLANTED])
  planted = formatCodeCache(readFileSync(PROGRAM_FILE), stdout)
})

afterEach(async () => {
  for (const client of clients.splice(0)) await client.close()
})

interface Started {
  readonly client: TestClient
  readonly version: string
}

async function start(home: string, flags: readonly string[] = []): Promise<Started> {
  const client = startServer({ args: [...flags, PROGRAM], env: { HOME: home } })
  clients.push(client)
  const { result } = await client.initialize('2025-11-25')
  const list = await client.request('tools/list')
  expect(list.result.tools.length).toBeGreaterThan(5)
  return { client, version: result.serverInfo.version }
}

function cachePath(home: string): string {
  const path = codeCachePath(home, PROGRAM_FILE, 'stdio')
  expect(path).toBeDefined()
  return path ?? ''
}

/** A home with the planted cache in place. */
function plant(): { readonly home: string; readonly path: string; readonly folder: string } {
  const home = emptyFolder()
  const path = cachePath(home)
  const folder = dirname(path)
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  writeFileSync(path, planted, { mode: 0o600 })
  return { home, path, folder }
}

/** The planted data has fewer compiled functions. */
const isRemade = (path: string): boolean => statSync(path).size > planted.length
const inode = (path: string): number => statSync(path).ino

describe.skipIf(MISSING.codeCache !== undefined)('the code cache', () => {
  test('is written after the first answers, for this user alone, and used by the next start', async () => {
    const home = emptyFolder()
    const path = cachePath(home)
    const { client } = await start(home)
    await eventually(() => existsSync(path))
    expect(statSync(path).mode & 0o777).toBe(0o600)
    expect(statSync(dirname(path)).mode & 0o777).toBe(0o700)
    await client.close()
    const written = inode(path)
    writeFileSync(path, planted)
    expect((await start(home)).version).toBe(PLANTED)
    expect(inode(path)).toBe(written)
  })

  const DAMAGES: readonly (readonly [string, (path: string) => void])[] = [
    ['damaged', (path) => writeFileSync(path, flipByte(planted, planted.length - 1000))],
    ['damaged in the source', (path) => writeFileSync(path, flipByte(planted, 1000))],
    ['truncated', (path) => truncateSync(path, planted.length - 1)],
    ['empty', (path) => truncateSync(path, 0)],
    ['without its header', (path) => writeFileSync(path, flipByte(planted, 0))],
    ['made from an older source', (path) => writeFileSync(path, fromOtherSource())],
    ['readable by others', (path) => chmodSync(path, 0o644)],
    ['writable by the group', (path) => chmodSync(path, 0o660)],
  ]
  test.each(DAMAGES)('that is %s is made anew', async (_, damage) => {
    const { home, path } = plant()
    damage(path)
    expect((await start(home)).version).toBe(VERSION)
    await eventually(() => isRemade(path))
    expect(statSync(path).mode & 0o777).toBe(0o600)
  })

  test.skipIf(!IS_ROOT)('of another user is not used', async () => {
    const { home, path } = plant()
    chownSync(path, ORDINARY_UID, ORDINARY_UID)
    expect((await start(home)).version).toBe(VERSION)
    await eventually(() => statSync(path).uid === 0)
  })

  test.skipIf(!IS_ROOT)('in a folder of another user is neither used nor written', async () => {
    const { home, path, folder } = plant()
    chownSync(folder, ORDINARY_UID, ORDINARY_UID)
    const { client, version } = await start(home)
    expect(version).toBe(VERSION)
    await idle(client)
    expect(readFileSync(path).equals(planted)).toBe(true)
  })

  test('that is a link is not followed, and is replaced', async () => {
    const { home, path } = plant()
    const target = join(home, 'target')
    renameSync(path, target)
    symlinkSync(target, path)
    expect((await start(home)).version).toBe(VERSION)
    await eventually(() => isRemade(path))
    expect(readFileSync(target).equals(planted)).toBe(true)
  })

  test.each(['code-cache', '.scorpiox'])('in a folder %s that is a link is neither used nor written', async (name) => {
    const { home, folder } = plant()
    const linked = name === '.scorpiox' ? dirname(folder) : folder
    renameSync(linked, join(home, 'elsewhere'))
    symlinkSync(join(home, 'elsewhere'), linked)
    const { client, version } = await start(home)
    expect(version).toBe(VERSION)
    await idle(client)
    expect(readFileSync(cachePath(home)).equals(planted)).toBe(true)
  })

  test.each(['777', '1700'])('in a folder with the mode %s is neither used nor written', async (mode) => {
    const { home, path, folder } = plant()
    chmodSync(folder, Number.parseInt(mode, 8))
    const { client, version } = await start(home)
    expect(version).toBe(VERSION)
    await idle(client)
    expect(readFileSync(path).equals(planted)).toBe(true)
  })

  test('is missed by nobody: a home that cannot be written to, and none', async () => {
    const home = emptyFolder()
    writeFileSync(join(home, '.scorpiox'), '')
    for (const one of [home, '/proc', 'relative', ''].slice(0, process.platform === 'linux' ? 4 : 1)) {
      const { client, version } = await start(one)
      expect(version).toBe(VERSION)
      await idle(client)
      expect(client.stderr()).not.toMatch(/code-cache/)
    }
  })

  test('is not written to the home if STATE_DIR is elsewhere', async () => {
    const home = emptyFolder()
    const client = startServer({ env: { HOME: home, STATE_DIR: emptyFolder() } })
    clients.push(client)
    await client.initialize('2025-11-25')
    await client.request('tools/list')
    await idle(client)
    expect(readdirSync(home)).toEqual([])
  })

  test('is written once by two first starts at the same time', async () => {
    const home = emptyFolder()
    await Promise.all([start(home), start(home)])
    const folder = dirname(cachePath(home))
    await eventually(() => existsSync(cachePath(home)))
    for (const client of clients.splice(0)) await client.close()
    expect(readdirSync(folder)).toHaveLength(1)
    const written = inode(cachePath(home))
    const { client } = await start(home)
    await idle(client)
    expect(inode(cachePath(home))).toBe(written)
  })

  test('of other flags of V8 is made anew', async () => {
    const { home, path } = plant()
    expect((await start(home, ['--no-opt'])).version).toBe(VERSION)
    await eventually(() => isRemade(path))
  })

  test('is limited to a few files', async () => {
    const { home, path, folder } = plant()
    for (let number = 0; number < 20; number++) writeFileSync(join(folder, `old-${number}`), '')
    truncateSync(path, 0)
    await start(home)
    await eventually(() => readdirSync(folder).length < 18)
    expect(existsSync(path)).toBe(true)
  })
})

describe.skipIf(MISSING.codeCache !== undefined)('the code caches of a server over HTTP', () => {
  const HTTP_FILES = ['program.js', 'common.js', 'command-line.js', 'http-start.js']
  const pathsIn = (home: string): readonly string[] =>
    HTTP_FILES.map((name) => codeCachePath(home, join(dirname(PROGRAM), name), 'http') ?? '')

  async function serveOnce(home: string, whenListed: () => Promise<unknown>): Promise<string> {
    const server = await startProgram({ env: { HOME: home } })
    const discovered = await sendRequest(server, modern('server/discover'))
    await sendRequest(server, modern('tools/list'))
    await whenListed()
    expect(await server.stop()).toBe(0)
    return /"version":"([\d.]+)"/.exec(discovered.text)?.[1] ?? ''
  }

  test('are written after the first list, apart from that of stdio, and used by the next start', async () => {
    const home = emptyFolder()
    const paths = pathsIn(home)
    expect(await serveOnce(home, () => eventually(() => paths.every((path) => existsSync(path))))).toBe(VERSION)
    expect(existsSync(cachePath(home))).toBe(false)
    const [program = ''] = paths
    writeFileSync(program, planted)
    expect(await serveOnce(home, () => Promise.resolve())).toBe(PLANTED)
  })
})

/** Waits until the work that is deferred at the start is done: the feed of the server is opened by it. */
async function idle(client: TestClient): Promise<void> {
  for (let round = 0; round < 3; round++) {
    await new Promise((resolve) => setTimeout(resolve, 400))
    await client.request('ping')
  }
}

function flipByte(bytes: Buffer, at: number): Buffer {
  const changed = Buffer.from(bytes)
  changed[at] = (changed[at] ?? 0) ^ 0x55
  return changed
}

/** The planted data, for a source that differs in one byte. */
function fromOtherSource(): Buffer {
  const source = readFileSync(PROGRAM_FILE)
  const dataBytes = planted.readUInt32LE(8)
  return formatCodeCache(flipByte(source, 100), planted.subarray(planted.length - dataBytes))
}
