// The executable at its place: of what it is made, and what happens to whatever is there.

import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'

import { expect, test } from 'vitest'

import { emptyFolder } from '../../../test/support/client.js'
import { VERSION } from '../../lib/version.js'
import { isPassing } from './carried-program.js'
import {
  findSource,
  folderOf,
  placeOf,
  presenceOf,
  putExecutable,
  removeExecutable,
  type Running,
} from './executable.js'

const NOW = new Date('2026-11-16T05:00:00Z')

function scene(script: string | undefined = '/srv/shop/dist/scorpiox-code.js') {
  const folder = join(emptyFolder(), '.scorpiox')
  const running: Running = {
    platform: 'linux',
    runtime: '/usr/bin/node',
    script,
    temporary: '/nowhere',
    versionOf: () => Promise.resolve(VERSION),
  }
  return { folder, running, place: placeOf(folder, 'linux') }
}

function program(text: string): string {
  const file = join(emptyFolder(), 'scorpiox-code')
  writeFileSync(file, text)
  chmodSync(file, 0o700)
  return file
}

test('a program that is one file copies itself', async () => {
  const { folder, running, place } = scene()
  const own = program('one')
  const source = await findSource(folder, { ...running, script: undefined, runtime: own })
  expect(source).toEqual({ file: own, launch: { command: place, args: [] } })
  expect(presenceOf(place, source, undefined)).toBe('absent')
  const { hash } = putExecutable(folder, place, source, 'absent', NOW)
  expect(readFileSync(place, 'utf8')).toBe('one')
  expect(statSync(place).mode & 0o777).toBe(0o755)
  expect(presenceOf(place, source, hash)).toBe('current')
  expect(presenceOf(place, { ...source, file: program('two') }, hash)).toBe('ours')
  expect(presenceOf(place, { ...source, file: place }, undefined)).toBe('current')
})

test('an executable beside the script is taken if it is of this version', async () => {
  const { folder, running } = scene()
  const beside = program('built')
  const script = join(beside, '..', 'scorpiox-code.js')
  expect(await findSource(folder, { ...running, script })).toMatchObject({ file: beside })
  for (const version of ['0.9.0', undefined]) {
    const other = { ...running, script, versionOf: () => Promise.resolve(version) }
    expect(await findSource(folder, other)).toMatchObject({ text: expect.stringContaining(script) })
  }
})

test('where there is none, a script starts the program; on Windows the client does', async () => {
  const { folder, running, place } = scene()
  expect(await findSource(folder, running)).toEqual({
    text: expect.stringMatching(/^#!\/bin\/sh\n/),
    launch: { command: place, args: [] },
  })
  const windows = await findSource(folder, { ...running, platform: 'win32' })
  expect(windows).toEqual({ launch: { command: '/usr/bin/node', args: ['/srv/shop/dist/scorpiox-code.js'] } })
  expect(placeOf(folder, 'win32')).toMatch(/scorpiox-code\.exe$/)
})

test('what is not ours is kept under another name, links too', async () => {
  const { folder, running, place } = scene()
  const source = await findSource(folder, running)
  mkdirSync(folder, { mode: 0o700 })
  writeFileSync(place, 'the C program')
  expect(presenceOf(place, source, undefined)).toBe('foreign')
  const { kept, hash } = putExecutable(folder, place, source, 'foreign', NOW)
  expect(readFileSync(kept ?? '', 'utf8')).toBe('the C program')
  expect(presenceOf(place, source, hash)).toBe('current')
  const linked = scene()
  mkdirSync(linked.folder, { mode: 0o700 })
  symlinkSync('/nowhere/at/all', linked.place)
  expect(presenceOf(linked.place, source, undefined)).toBe('foreign')
  const put = putExecutable(linked.folder, linked.place, source, 'foreign', NOW)
  expect(readlinkSync(put.kept ?? '')).toBe('/nowhere/at/all')
  expect(statSync(linked.place).isFile()).toBe(true)
})

test('a folder at its place is said, not removed', () => {
  const { folder, place } = scene()
  mkdirSync(place, { recursive: true })
  expect(() => presenceOf(place, {}, undefined)).toThrow(`${place} is a folder`)
  expect(readdirSync(folder)).toEqual(['scorpiox-code'])
})

test('an older script of ours is ours without a record', async () => {
  const { folder, running, place } = scene()
  const old = await findSource(folder, { ...running, runtime: '/old/node' })
  putExecutable(folder, place, old, 'absent', NOW)
  expect(presenceOf(place, await findSource(folder, running), undefined)).toBe('ours')
})

test('removing takes what was put there and leaves the rest', async () => {
  const { folder, running, place } = scene()
  putExecutable(folder, place, await findSource(folder, running), 'absent', NOW)
  writeFileSync(join(folder, 'state.db'), 'tasks')
  expect(removeExecutable(folder, place)).toEqual([])
  expect(existsSync(place)).toBe(false)
  expect(readdirSync(folder)).toEqual(['state.db'])
})

test('without a home there is nowhere to install', () => {
  expect(() => folderOf('')).toThrow('There is no home directory')
})

test.each([
  ['/home/ann/.npm/_npx/0123/node_modules/scorpiox-code/dist/scorpiox-code.js', true],
  ['/home/ann/.cache/pnpm/dlx/0123/node_modules/scorpiox-code/dist/scorpiox-code.js', true],
  ['/var/bunx-1000-scorpiox-code@latest/node_modules/scorpiox-code/dist/scorpiox-code.js', true],
  ['/temporary/clone/dist/scorpiox-code.js', true],
  ['C:\\npm-cache\\_npx\\0123\\node_modules\\scorpiox-code\\dist\\scorpiox-code.js', true],
  ['/temporary-but-not/dist/scorpiox-code.js', false],
  ['/usr/lib/node_modules/scorpiox-code/dist/scorpiox-code.js', false],
  ['/home/ann/src/scorpiox-code/dist/scorpiox-code.js', false],
])('%s may vanish: %s', (path, expected) => {
  expect(isPassing(path, '/temporary')).toBe(expected)
})
