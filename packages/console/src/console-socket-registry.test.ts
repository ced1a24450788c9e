import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { createServer } from 'node:net'
import { hostname, tmpdir } from 'node:os'
import { join } from 'node:path'

import { afterEach, beforeEach, expect, test } from 'vitest'

import { currentProcessIdentity, pidNamespace } from '@scorpiox/server/process/process-identity'
import { MISSING, needs } from '../../../test/support/runtime.js'
import { consoleAddressIn } from '../../../test/support/socket-address.js'
import {
  describeSocketFolderProblem,
  listLiveSockets,
  registerSocket,
  removeDeadSocketsIfMany,
  removeUnreachableSocket,
  renewSocketRegistration,
} from './console-socket-registry.js'

const LONG_AGO = new Date(Date.now() - 48 * 60 * 60 * 1000)
/** Where the socket is a named pipe. */
const IS_WINDOWS = process.platform === 'win32'
const LIVE_ID = 'ffffffffffffffff'
let folder = ''
let server = createServer()

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'scorpiox-test-'))
  const address = consoleAddressIn(folder, LIVE_ID)
  server = createServer().unref()
  await new Promise<void>((resolve) => server.listen(address, resolve))
  registerSocket(folder, LIVE_ID, address)
})

// The next test has a named pipe of the same name.
afterEach(() => new Promise<void>((resolve) => server.close(() => resolve())))

function idOf(number: number): string {
  return number.toString(16).padStart(16, '0')
}

function writeEntry(number: number, changes: object | string, at = new Date()): string {
  const id = idOf(number)
  const path = join(folder, `${id}.json`)
  const address = consoleAddressIn(folder, id)
  const entry = { id, owner: currentProcessIdentity(), host: hostname(), pidSpace: pidNamespace(), address }
  writeFileSync(path, typeof changes === 'string' ? changes : JSON.stringify({ ...entry, ...changes }))
  utimesSync(path, at, at)
  return path
}

test('finds a live entry among many invalid files', async () => {
  for (let number = 0; number < 700; number++) writeEntry(number, number % 2 === 0 ? '' : { host: 'elsewhere' })
  expect((await listLiveSockets(folder)).map(({ id }) => id)).toEqual([LIVE_ID])
})

test('removes dead entries and keeps those that may be alive', async () => {
  const gone = [
    writeEntry(1, { owner: { ...currentProcessIdentity(), pid: 2 ** 22 - 1 } }),
    writeEntry(2, { owner: { ...currentProcessIdentity(), boot: 'another' } }),
    writeEntry(3, '', LONG_AGO),
    writeEntry(4, { host: 'elsewhere' }, LONG_AGO),
  ]
  const kept = [
    writeEntry(5, ''),
    writeEntry(6, { host: 'elsewhere' }),
    writeEntry(7, { pidSpace: 'another' }, LONG_AGO),
  ]
  const target = join(folder, 'target')
  writeFileSync(target, '')
  symlinkSync(target, join(folder, `${idOf(8)}.json`))
  await listLiveSockets(folder)
  expect(gone.filter((path) => existsSync(path))).toEqual([])
  expect(kept.filter((path) => !existsSync(path))).toEqual([])
  expect(existsSync(target)).toBe(true)
})

test('a renewed entry is kept by a machine that cannot see its process, and a removed one is restored', async () => {
  const path = join(folder, `${LIVE_ID}.json`)
  const address = consoleAddressIn(folder, LIVE_ID)
  utimesSync(path, LONG_AGO, LONG_AGO)
  renewSocketRegistration(folder, LIVE_ID, address)
  const [entry] = await listLiveSockets(folder)
  if (entry) removeUnreachableSocket({ ...entry, host: 'elsewhere' })
  expect(existsSync(path)).toBe(true)
  rmSync(path)
  renewSocketRegistration(folder, LIVE_ID, address)
  expect(await listLiveSockets(folder)).toHaveLength(1)
})

test('a failed write leaves no file', () => {
  const address = join(folder, 'x.sock')
  mkdirSync(join(folder, `${idOf(1)}.json`))
  expect(() => registerSocket(folder, idOf(1), address)).toThrow('cannot be written to')
  expect(readdirSync(folder).filter((name) => name.endsWith('.tmp'))).toEqual([])
})

test('describes an untrusted folder, and not a missing one', needs(MISSING.links), () => {
  expect(describeSocketFolderProblem(folder)).toBeUndefined()
  expect(describeSocketFolderProblem(join(folder, 'missing'))).toBeUndefined()
  symlinkSync(folder, join(folder, 'link'))
  expect(describeSocketFolderProblem(join(folder, 'link'))).toContain('is not a folder')
})

test('removes dead entries when there are many', async () => {
  const dead = { owner: { ...currentProcessIdentity(), pid: 2 ** 22 - 1 } }
  for (let number = 0; number < 40; number++) writeEntry(number, dead)
  await removeDeadSocketsIfMany(folder)
  const live = IS_WINDOWS ? [`${LIVE_ID}.json`] : [`${LIVE_ID}.json`, `${LIVE_ID}.sock`]
  expect(readdirSync(folder)).toHaveLength(40 + live.length)
  for (let number = 40; number < 120; number++) writeEntry(number, dead)
  await removeDeadSocketsIfMany(folder)
  expect(readdirSync(folder).toSorted()).toEqual(live)
})
