// The installed program: its source, and what happens to an existing file at its path.

import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { basename, dirname, join } from 'node:path'

import { expect, test } from 'vitest'

import { VERSION } from '@scorpiox/server/config/version'
import { MISSING, MODES, needs } from '../../../../test/support/runtime.js'
import { emptyFolder } from '../../../../test/support/client.js'
import {
  compareInstalled,
  executablePath,
  findInstallSource,
  installDirectory,
  removeExecutable,
  replaceProgram,
  type RunningProgram,
  writeExecutable,
} from './installed-program.js'
import { isTemporaryPath, removeOldCopies } from './program-copy.js'

const NOW = new Date('2026-11-16T05:00:00Z')

function createInstallation(script: string | undefined = '/srv/shop/dist/scorpiox-code.js') {
  const folder = join(emptyFolder(), '.scorpiox')
  const running: RunningProgram = {
    platform: 'linux',
    runtime: '/usr/bin/node',
    script,
    temporaryDirectory: '/nowhere',
    versionOf: () => Promise.resolve(VERSION),
  }
  return { folder, running, path: executablePath(folder, 'linux') }
}

function program(text: string): string {
  const file = join(emptyFolder(), 'scorpiox-code')
  writeFileSync(file, text)
  chmodSync(file, 0o700)
  return file
}

test('a program that is one file copies itself', async () => {
  const { folder, running, path } = createInstallation()
  const own = program('one')
  const source = await findInstallSource(folder, { ...running, script: undefined, runtime: own })
  expect(source).toEqual({ file: own, launch: { command: path, args: [] } })
  expect(compareInstalled(path, source, undefined)).toBe('absent')
  const { hash } = writeExecutable(folder, path, source, 'absent', NOW)
  expect(readFileSync(path, 'utf8')).toBe('one')
  expect(statSync(path).mode & 0o777).toBe(MODES.program)
  expect(compareInstalled(path, source, hash)).toBe('current')
  expect(compareInstalled(path, { ...source, file: program('two') }, hash)).toBe('outdated')
  expect(compareInstalled(path, { ...source, file: path }, undefined)).toBe('current')
})

test('an executable next to the script is used if its version matches', async () => {
  const { folder, running } = createInstallation()
  const beside = program('built')
  const script = join(beside, '..', 'scorpiox-code.js')
  expect(await findInstallSource(folder, { ...running, script })).toMatchObject({ file: beside })
  for (const version of ['0.9.0', undefined]) {
    const other = { ...running, script, versionOf: () => Promise.resolve(version) }
    expect(await findInstallSource(folder, other)).toMatchObject({ text: expect.stringContaining(script) })
  }
})

test('without an executable, a script starts the program; on Windows the client does', async () => {
  const { folder, running, path } = createInstallation()
  expect(await findInstallSource(folder, running)).toEqual({
    text: expect.stringMatching(/^#!\/bin\/sh\n/),
    launch: { command: path, args: [] },
  })
  const windows = await findInstallSource(folder, { ...running, platform: 'win32' })
  expect(windows).toEqual({ launch: { command: '/usr/bin/node', args: ['/srv/shop/dist/scorpiox-code.js'] } })
  expect(executablePath(folder, 'win32')).toMatch(/scorpiox-code\.exe$/)
})

test(
  'on Bun the script passes flags to it, and none to the Node.js that takes its place',
  needs(MISSING.posixPaths),
  async () => {
    const { folder, running } = createInstallation()
    const record = join(folder, '..', 'arguments')
    const fake = (name: string): string => {
      mkdirSync(join(folder, '..', name), { recursive: true })
      const file = join(folder, '..', name, name)
      writeFileSync(file, `#!/bin/sh\necho ${name} "$@" >${record}\n`, { mode: 0o755 })
      return file
    }
    const [bun, node] = [fake('bun'), fake('node')]
    const script = join(folder, '..', 'program.js')
    writeFileSync(script, '')
    const flags = ['--no-env-file', '--config=/dev/null']
    const source = await findInstallSource(folder, { ...running, runtime: bun, runtimeFlags: flags, script })
    const launcher = join(folder, '..', 'launcher')
    writeFileSync(launcher, source.text ?? '', { mode: 0o755 })
    const run = (): string => {
      execFileSync(launcher, ['serve'], { env: { PATH: `${dirname(node)}:/usr/bin:/bin` } })
      return readFileSync(record, 'utf8')
    }
    expect(run()).toBe(`bun ${flags.join(' ')} ${script} serve\n`)
    rmSync(bun)
    expect(run()).toBe(`node ${script} serve\n`)
  },
)

test('a file or link of another program is kept under another name', needs(MISSING.links), async () => {
  const { folder, running, path } = createInstallation()
  const source = await findInstallSource(folder, running)
  mkdirSync(folder, { mode: 0o700 })
  writeFileSync(path, 'the C program')
  expect(compareInstalled(path, source, undefined)).toBe('other-file')
  const { movedTo, hash } = writeExecutable(folder, path, source, 'other-file', NOW)
  expect(readFileSync(movedTo ?? '', 'utf8')).toBe('the C program')
  expect(compareInstalled(path, source, hash)).toBe('current')
  const linked = createInstallation()
  mkdirSync(linked.folder, { mode: 0o700 })
  symlinkSync('/nowhere/at/all', linked.path)
  expect(compareInstalled(linked.path, source, undefined)).toBe('other-file')
  const put = writeExecutable(linked.folder, linked.path, source, 'other-file', NOW)
  expect(readlinkSync(put.movedTo ?? '')).toBe('/nowhere/at/all')
  expect(statSync(linked.path).isFile()).toBe(true)
})

test('a directory at the path is an error and is not removed', () => {
  const { folder, path } = createInstallation()
  mkdirSync(path, { recursive: true })
  expect(() => compareInstalled(path, {}, undefined)).toThrow(`${path} is a directory`)
  expect(readdirSync(folder)).toEqual(['scorpiox-code'])
})

test('an older launcher script is recognized without a record', async () => {
  const { folder, running, path } = createInstallation()
  const old = await findInstallSource(folder, { ...running, runtime: '/old/node' })
  writeExecutable(folder, path, old, 'absent', NOW)
  expect(compareInstalled(path, await findInstallSource(folder, running), undefined)).toBe('outdated')
})

test('removal deletes only what was installed', async () => {
  const { folder, running, path } = createInstallation()
  writeExecutable(folder, path, await findInstallSource(folder, running), 'absent', NOW)
  writeFileSync(join(folder, 'state.db'), 'tasks')
  expect(removeExecutable(folder, path)).toEqual([])
  expect(existsSync(path)).toBe(false)
  expect(readdirSync(folder)).toEqual(['state.db'])
})

test('a missing home directory is an error', () => {
  expect(() => installDirectory('')).toThrow('There is no home directory')
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
])('%s is temporary: %s', (path, expected) => {
  expect(isTemporaryPath(path, '/temporary')).toBe(expected)
})

/** As on Windows while `running` runs: it can be renamed, not replaced. */
function renameAround(running: string, isFull = false): typeof renameSync {
  return (from, to) => {
    if (String(to) === running && (existsSync(running) || (isFull && String(from).endsWith('.tmp'))))
      throw Object.assign(new Error('EPERM: operation not permitted, rename'), { code: 'EPERM' })
    renameSync(from, to)
  }
}

test('a running program is renamed and replaced, and earlier ones are removed', () => {
  const folder = emptyFolder()
  const path = join(folder, 'scorpiox-code.exe')
  writeFileSync(path, 'old')
  writeFileSync(`${path}.tmp`, 'new')
  writeFileSync(`${path}.17.old`, 'older')
  writeFileSync(`${path}.backup.old`, 'of the user')
  replaceProgram(`${path}.tmp`, path, renameAround(path))
  expect(readFileSync(path, 'utf8')).toBe('new')
  const names = readdirSync(folder).filter((name) => name !== 'scorpiox-code.exe')
  expect(names.toSorted()).toEqual([expect.stringMatching(/\.\d{13}\.old$/), 'scorpiox-code.exe.backup.old'])
})

test.each([
  ['that is new', undefined],
  ['that replaces another', 'old'],
])('a program %s is installed once no scanner has it open', (_, old) => {
  const folder = emptyFolder()
  const path = join(folder, 'scorpiox-code.exe')
  if (old !== undefined) writeFileSync(path, old)
  writeFileSync(`${path}.tmp`, 'new')
  let attempts = 0
  const rename: typeof renameSync = (from, to) => {
    if (from === `${path}.tmp` && ++attempts < 4)
      throw Object.assign(new Error('EPERM: operation not permitted, rename'), { code: 'EPERM' })
    renameSync(from, to)
  }
  replaceProgram(`${path}.tmp`, path, rename, 'win32')
  expect(readFileSync(path, 'utf8')).toBe('new')
})

test('a running program that cannot be replaced keeps its name', () => {
  const folder = emptyFolder()
  const path = join(folder, 'scorpiox-code.exe')
  writeFileSync(path, 'old')
  writeFileSync(`${path}.tmp`, 'new')
  expect(() => replaceProgram(`${path}.tmp`, path, renameAround(path, true))).toThrow('EPERM')
  expect(readFileSync(path, 'utf8')).toBe('old')
})

test('a copy that a server still runs from is left whole, and others are removed', () => {
  const folder = emptyFolder()
  const copies = ['a', 'b', 'c', 'd'].map((letter) => join(folder, `1.0.0-${letter.repeat(8)}`))
  for (const [age, copy] of copies.entries()) {
    mkdirSync(copy)
    writeFileSync(join(copy, 'program.js'), '')
    utimesSync(copy, new Date(), new Date(NOW.getTime() - age * 1000))
  }
  const [newest = '', before = '', used = ''] = copies
  removeOldCopies(folder, newest, (from, to) => {
    if (from === used) throw Object.assign(new Error('EPERM: operation not permitted, rename'), { code: 'EPERM' })
    renameSync(from, to)
  })
  expect(readdirSync(folder).toSorted()).toEqual([newest, before, used].map((path) => basename(path)))
  expect(readdirSync(used)).toEqual(['program.js'])
})
