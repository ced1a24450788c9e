import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs'
import { hostname, tmpdir } from 'node:os'
import { join } from 'node:path'

import { afterEach, expect, test, vi } from 'vitest'

import { identifyProcess, pidNamespace, type ProcessIdentity } from '../process/process-identity.js'
import { listDeadServers, registerServer, removeServerEntry } from './server-registry.js'

const newFolder = (): string => join(mkdtempSync(join(tmpdir(), 'scorpiox-roll-')), 'jobs', 'x')
const us = identifyProcess()!
const families = async (folder: string): Promise<string[]> =>
  (await listDeadServers(folder)).map(({ family }) => family).toSorted()
const MINUTE_MS = 60_000

afterEach(() => vi.useRealTimers())

/** An entry of another server. */
function leave(folder: string, family: string, owner: ProcessIdentity, more: object = {}): string {
  registerServer(folder, { owner, family, outlive: false })
  const path = join(folder, 'servers', `${family}.json`)
  writeFileSync(path, JSON.stringify({ ...JSON.parse(readFileSync(path, 'utf8')), ...more }))
  return path
}

async function deadOwner(): Promise<ProcessIdentity> {
  const child = spawn(process.execPath, ['-e', 'setTimeout(() => {}, 60_000)'], { stdio: 'ignore' })
  await once(child, 'spawn')
  const owner = identifyProcess(child.pid)!
  child.kill('SIGKILL')
  await once(child, 'exit')
  return owner
}

test('a running server is not dead, and an unregistered one leaves no file', async () => {
  const folder = newFolder()
  expect(await listDeadServers(folder)).toEqual([])
  const signOut = registerServer(folder, { owner: us, family: 'us', outlive: false })
  expect(readdirSync(join(folder, 'servers'))).toEqual(['us.json'])
  expect(await listDeadServers(folder)).toEqual([])
  signOut()
  signOut()
  expect(readdirSync(join(folder, 'servers'))).toEqual([])
})

test('a dead server is listed until its entry is removed, also if its pid was reused or the machine restarted', async () => {
  const folder = newFolder()
  leave(folder, 'alive', us)
  leave(folder, 'dead', await deadOwner())
  // With only the pid it cannot be distinguished from another process.
  const expected = us.startedAt === '' ? ['dead'] : ['dead', 'earlier', 'namesake']
  if (us.startedAt !== '') {
    leave(folder, 'namesake', { ...us, startedAt: '1' })
    leave(folder, 'earlier', { ...us, boot: 'another' }, { pidSpace: 'pid:[1]' })
  }
  expect(await families(folder)).toEqual(expected)
  for (const entry of await listDeadServers(folder)) removeServerEntry(entry)
  expect(await listDeadServers(folder)).toEqual([])
  expect(readdirSync(join(folder, 'servers'))).toEqual(['alive.json'])
})

test('a server that is not visible is kept while it renews its entry', async () => {
  const folder = newFolder()
  const dead = await deadOwner()
  const paths = [
    leave(folder, 'other-machine', { ...dead, boot: 'another' }, { host: `not-${hostname()}` }),
    leave(folder, 'other-container', dead, { host: `not-${hostname()}`, pidSpace: 'pid:[1]' }),
    leave(folder, 'sandbox', dead, { pidSpace: 'pid:[1]' }),
  ]
  expect(await families(folder)).toEqual([])
  const age = (ms: number): void =>
    paths.forEach((path) => utimesSync(path, new Date(Date.now() - ms), new Date(Date.now() - ms)))
  age(10 * MINUTE_MS)
  expect(await families(folder)).toEqual([])
  age(20 * MINUTE_MS)
  expect(await families(folder)).toEqual(['other-container', 'other-machine', 'sandbox'])
  // A clock that is ahead.
  age(-20 * MINUTE_MS)
  expect(await families(folder)).toEqual([])
})

test('a server renews its entry, and restores it if it was removed', async () => {
  const folder = newFolder()
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
  const signOut = registerServer(folder, { owner: us, family: 'us', outlive: false })
  const path = join(folder, 'servers', 'us.json')
  const text = readFileSync(path, 'utf8')
  const unknownEntry = { ...JSON.parse(text), pidSpace: `not ${pidNamespace()}` }
  writeFileSync(path, JSON.stringify(unknownEntry))
  utimesSync(path, new Date(0), new Date(0))
  expect(await families(folder)).toEqual(['us'])
  vi.advanceTimersByTime(MINUTE_MS)
  expect(await families(folder)).toEqual([])
  rmSync(path)
  vi.advanceTimersByTime(MINUTE_MS)
  expect(readFileSync(path, 'utf8')).toBe(text)
  rmSync(folder, { recursive: true })
  vi.advanceTimersByTime(MINUTE_MS)
  signOut()
  vi.advanceTimersByTime(10 * MINUTE_MS)
})

test('ignores invalid entries', async () => {
  const folder = newFolder()
  leave(folder, 'dead', await deadOwner())
  const registryPath = join(folder, 'servers')
  for (const [index, text] of ['', '{', 'null', '{"family":"x"}', '\0\0'].entries())
    writeFileSync(join(registryPath, `${index}.json`), text)
  symlinkSync(join(registryPath, 'dead.json'), join(registryPath, 'link.json'))
  writeFileSync(join(registryPath, 'x.json.1.tmp'), readFileSync(join(registryPath, 'dead.json')))
  expect(await families(folder)).toEqual(['dead'])
})

test('registering says what to do if nothing can be written', () => {
  const file = join(mkdtempSync(join(tmpdir(), 'scorpiox-roll-')), 'file')
  writeFileSync(file, '')
  expect(() => registerServer(file, { owner: us, family: 'us', outlive: false })).toThrow(
    'is not a folder; move it away, or set STATE_DIR',
  )
})
